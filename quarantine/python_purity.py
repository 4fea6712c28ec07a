"""Finds the work that a module does while it is imported [PM-53, PM-54].

Second part of the program that begins with python_scope.py. What it cannot
resolve it reports: a call is harmless only when the name it goes by can mean
nothing else than one of the functions listed here.
"""

import ast
import builtins

# Calls that a module may make while it is imported, because they only make a
# value. Higher-order functions are not here: sorted(key=os.system) runs a call.
PURE_BUILTINS = frozenset(
    "abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate float frozenset hex int "
    "isinstance issubclass len list max min object oct ord pow range repr reversed round set slice sorted "
    "staticmethod classmethod property str sum super tuple zip".split()
) | {n for n in dir(builtins) if isinstance(getattr(builtins, n), type) and issubclass(getattr(builtins, n), BaseException)}
PURE_BUILTIN_METHODS = frozenset(
    "dict.fromkeys str.maketrans bytes.fromhex bytearray.fromhex int.from_bytes float.fromhex".split()
)
PURE_CALLS = frozenset(
    """re.compile re.escape logging.getLogger logging.NullHandler collections.namedtuple collections.OrderedDict
    collections.defaultdict collections.Counter collections.deque collections.ChainMap typing.NamedTuple typing.TypedDict
    typing.NewType typing.TypeVar typing.ParamSpec typing.TypeVarTuple typing.cast enum.Enum enum.IntEnum enum.StrEnum
    enum.Flag enum.IntFlag enum.auto dataclasses.dataclass dataclasses.field pathlib.Path pathlib.PurePath
    pathlib.PurePosixPath pathlib.PureWindowsPath os.path.join os.path.dirname os.path.basename os.path.abspath
    os.path.normpath os.path.splitext decimal.Decimal decimal.Context fractions.Fraction datetime.timedelta
    datetime.timezone datetime.date datetime.time datetime.datetime uuid.UUID struct.Struct struct.calcsize
    itertools.count itertools.chain itertools.product itertools.repeat functools.partial operator.itemgetter
    operator.attrgetter string.Template textwrap.dedent types.MappingProxyType types.SimpleNamespace
    contextvars.ContextVar threading.Lock threading.RLock threading.local zoneinfo.ZoneInfo math.sqrt math.log
    math.radians ipaddress.ip_network ipaddress.ip_address base64.b64decode weakref.WeakKeyDictionary
    weakref.WeakValueDictionary functools.lru_cache json.dumps""".split()
)
PURE_DECORATORS = frozenset(
    """dataclasses.dataclass functools.lru_cache functools.cache functools.wraps functools.total_ordering
    functools.singledispatch functools.cached_property typing.overload typing.final typing.runtime_checkable
    typing.no_type_check typing.override contextlib.contextmanager contextlib.asynccontextmanager enum.unique
    abc.abstractmethod warnings.deprecated typing.deprecated""".split()
)
PURE_BASES = frozenset(
    """typing.NamedTuple typing.TypedDict typing.Protocol typing.Generic enum.Enum enum.IntEnum enum.StrEnum enum.Flag
    enum.IntFlag abc.ABC""".split()
)
# Methods of strings and dictionaries that no module has as a function with an
# effect, so an alias of a module cannot hide behind them.
PURE_METHODS = frozenset(
    """lower upper strip lstrip rstrip split rsplit splitlines join title capitalize casefold encode startswith endswith
    format items keys values zfill ljust rjust isdigit isalpha""".split()
)
LITERAL_METHODS = PURE_METHODS | frozenset("replace translate decode get copy union count index expandtabs partition".split())
PATH_METHODS = frozenset("resolve joinpath with_suffix with_name absolute as_posix".split())
CLASS_HOOKS = frozenset("__init_subclass__ __set_name__ __class_getitem__ __prepare__ __del__ __instancecheck__".split())
# Modules of the standard library that do something when they are imported.
LOUD_MODULES = frozenset("antigravity this __hello__ __phello__".split())
SIMPLE_FACTORIES = frozenset("list dict set tuple str int float bool".split())


class Purity:
    """Finds the work that a module does while it is imported [PM-53, PM-54]."""

    def __init__(self, facts, tree):
        self.facts = facts
        self.scope = Scope()
        self.scope.collect(tree.body)
        self.simple = set()  # own classes whose construction runs no code of the file
        self.properties = set()
        self.future = False
        for node in ast.walk(tree):
            if isinstance(node, ast.NamedExpr):
                self.scope.bind(node.target.id, "own")
            elif isinstance(node, ast.comprehension):
                for name in target_names(node.target):
                    self.scope.bind(name, "own")
            elif isinstance(node, ast.ImportFrom) and node.module == "__future__":
                self.future = self.future or any(a.name == "annotations" for a in node.names)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.decorator_list:
                self.properties.add(node.name)
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and self.is_simple(node):
                self.simple.add(node.name)

    def record(self, kind, target, place, origin, node):
        self.facts.add("effects", {"kind": kind, "target": clip(target), "place": place, "origin": origin}, node)

    def is_simple(self, node):
        for base in node.bases:
            base = base.value if isinstance(base, ast.Subscript) else base
            origin, full = self.scope.resolve(dotted(base) or ["?"])
            if not (full in PURE_BASES or origin == "builtin" and full in PURE_BUILTINS or full in self.simple):
                return False
        if node.keywords:
            return False
        for part in ast.walk(node):
            if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and part.name.startswith("__"):
                return False
            if isinstance(part, ast.keyword) and part.arg == "default_factory":
                if not (isinstance(part.value, ast.Name) and part.value.id in SIMPLE_FACTORIES):
                    return False
        for decorator in node.decorator_list:
            func = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.scope.resolve(dotted(func) or ["?"])[1] not in ("dataclasses.dataclass", "enum.unique"):
                return False
        return True

    def callee(self, func, scope, node):
        """None for a call that only makes a value, else (origin, target)."""
        if isinstance(func, ast.Attribute):
            value = func.value
            literal = isinstance(value, (ast.Constant, ast.JoinedStr, ast.List, ast.Dict, ast.Set, ast.Tuple))
            if literal and func.attr in LITERAL_METHODS:
                return None
            if isinstance(value, (ast.Call, ast.Attribute)) and dotted(value) is None and func.attr in PURE_METHODS | PATH_METHODS:
                return None
        parts = dotted(func)
        if parts is None:
            return "own", "a computed function"
        origin, full = scope.resolve(parts)
        if origin == "builtin":
            pure = full in PURE_BUILTINS or full in PURE_BUILTIN_METHODS
            keyed = full in ("sorted", "min", "max") and any(k.arg in ("key", None) for k in node.keywords)
            return None if pure and not keyed else (origin, full)
        if origin == "import":
            if full in PURE_CALLS:
                return None
            return ("stdlib" if full.split(".")[0] in STDLIB else "package"), full
        if len(parts) == 1 and full in self.simple:
            return None
        if len(parts) == 2 and parts[1] in PURE_METHODS:
            return None
        return origin, full

    def expression(self, root, place, scope):
        stack = [root]
        while stack:
            node = stack.pop()
            if node is None or isinstance(node, ast.Constant):
                continue
            if isinstance(node, ast.Lambda):
                stack.extend(node.args.defaults + node.args.kw_defaults)
                continue
            if isinstance(node, ast.Call):
                work = self.callee(node.func, scope, node)
                if work is not None:
                    self.record("call", work[1], place, work[0], node)
                stack.extend(node.args + [k.value for k in node.keywords])
                if isinstance(node.func, ast.Attribute):
                    stack.append(node.func.value)
                elif not isinstance(node.func, ast.Name):
                    stack.append(node.func)
                continue
            if isinstance(node, ast.Attribute) and node.attr in self.properties:
                parts = dotted(node)
                if parts is None or scope.resolve(parts)[0] == "own":
                    self.record("property", node.attr, place, "own", node)
            if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom)):
                self.record("statement", type(node).__name__.lower(), place, "own", node)
            stack.extend(ast.iter_child_nodes(node))

    def decorators(self, node, scope):
        for decorator in node.decorator_list:
            func = decorator.func if isinstance(decorator, ast.Call) else decorator
            parts = dotted(func)
            if parts is None:
                self.record("decorator", "a computed function", "decorator", "own", decorator)
                continue
            origin, full = scope.resolve(parts)
            accessor = len(parts) == 2 and parts[1] in ("setter", "getter", "deleter") and parts[0] in self.properties
            if not (full in PURE_DECORATORS or accessor or origin == "builtin" and full in ("staticmethod", "classmethod", "property")):
                if origin == "import":
                    origin = "stdlib" if full.split(".")[0] in STDLIB else "package"
                self.record("decorator", full, "decorator", origin, decorator)
            if isinstance(decorator, ast.Call):
                for value in decorator.args + [k.value for k in decorator.keywords]:
                    self.expression(value, "decorator", scope)

    def function(self, node, scope):
        self.decorators(node, scope)
        args = node.args
        for default in args.defaults + args.kw_defaults:
            self.expression(default, "default", scope)
        if not self.future:
            every = getattr(args, "posonlyargs", []) + args.args + args.kwonlyargs + [args.vararg, args.kwarg]
            for note in [a.annotation for a in every if a is not None] + [node.returns]:
                self.expression(note, "annotation", scope)

    def class_(self, node, scope):
        self.decorators(node, scope)
        for base in node.bases + [k.value for k in node.keywords]:
            self.expression(base, "class", scope)
        for keyword in node.keywords:
            if keyword.arg == "metaclass" and scope.resolve(dotted(keyword.value) or ["?"])[1] not in ("abc.ABCMeta", "enum.EnumMeta"):
                self.record("metaclass", ".".join(dotted(keyword.value) or ["?"]), "class", "own", keyword.value)
        for part in node.body:
            if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and part.name in CLASS_HOOKS:
                self.record("hook", part.name, "class", "own", part)
        self.statements(node.body, "class", scope.inner(node.body))

    def statements(self, body, place, scope, handler=False):
        for node in body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
                    if module.split(".")[0] in LOUD_MODULES:
                        self.record("import", module, place, "stdlib", node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.function(node, scope)
            elif isinstance(node, ast.ClassDef):
                self.class_(node, scope)
            elif isinstance(node, ast.Expr):
                before = len(self.facts.doc["effects"])
                self.expression(node.value, place, scope)
                # A call that stands alone is there for its effect.
                for effect in self.facts.doc["effects"][before:]:
                    effect["kind"] = "standalone" if effect["kind"] == "call" else effect["kind"]
            elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)):
                targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else [node.target]
                for target in targets:
                    self.assigned(target, place, scope)
                if isinstance(node, ast.AnnAssign) and not self.future:
                    self.expression(node.annotation, "annotation", scope)
                if not isinstance(node, ast.Delete):
                    self.expression(node.value, place, scope)
            elif isinstance(node, ast.If):
                if not is_guard(node.test):
                    self.expression(node.test, place, scope)
                    self.statements(node.body, place, scope, handler)
                self.statements(node.orelse, place, scope, handler)
            elif isinstance(node, ast.Try):
                for part in (node.body, node.orelse, node.finalbody):
                    self.statements(part, place, scope, handler)
                for h in node.handlers:
                    self.expression(h.type, place, scope)
                    self.statements(h.body, place, scope, True)
            elif isinstance(node, ast.Raise) and handler:
                self.expression(node.exc, place, scope)
            elif isinstance(node, ast.Assert):
                self.expression(node.test, place, scope)
                self.expression(node.msg, place, scope)
            elif not isinstance(node, (ast.Pass, ast.Global)) and type(node).__name__ != "TypeAlias":
                names = {"For": "for loop", "AsyncFor": "for loop", "While": "while loop", "With": "with block"}
                name = type(node).__name__
                self.record("statement", names.get(name, name.lower()), place, "own", node)

    def assigned(self, target, place, scope):
        stack = [target]
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.Tuple, ast.List)):
                stack.extend(node.elts)
            elif isinstance(node, ast.Starred):
                stack.append(node.value)
            elif isinstance(node, (ast.Attribute, ast.Subscript)):
                root = node
                while isinstance(root, (ast.Attribute, ast.Subscript)):
                    if isinstance(root, ast.Subscript):
                        self.expression(root.slice, place, scope)
                    root = root.value
                own = isinstance(root, ast.Name) and scope.bound.get(root.id) == "own"
                if not own:
                    base = node.value if isinstance(node, ast.Subscript) else node
                    self.record("assignment", ".".join(dotted(base) or ["?"]), place, "stdlib", node)
