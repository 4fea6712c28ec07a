"""Finds the work that a module does while it is imported [PM-53, PM-54].

Second part of the program that begins with python_scope.py. What it cannot
resolve it reports: a call is harmless only when the name it goes by can mean
nothing else than one of the functions listed here.
"""

import _ast as ast
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
    operator.attrgetter string.Template textwrap.dedent types.MappingProxyType
    contextvars.ContextVar threading.Lock threading.RLock threading.local zoneinfo.ZoneInfo math.sqrt math.log
    math.radians ipaddress.ip_network ipaddress.ip_address base64.b64decode weakref.WeakKeyDictionary
    weakref.WeakValueDictionary functools.lru_cache""".split()
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
    items keys values zfill ljust rjust isdigit isalpha""".split()
)
LITERAL_METHODS = PURE_METHODS | frozenset("replace translate decode get copy union count index expandtabs partition".split())
PATH_METHODS = frozenset("resolve joinpath with_suffix with_name absolute as_posix".split())
# Methods that Python calls while it makes a class or looks at one; those of an
# enumeration also make its members.
CLASS_HOOKS = frozenset(
    "__init_subclass__ __set_name__ __class_getitem__ __prepare__ __del__ __instancecheck__ __subclasscheck__ __subclasshook__".split()
)
ENUM_HOOKS = frozenset("__new__ __init__ _generate_next_value_".split())
# Modules of the standard library that do something when they are imported.
LOUD_MODULES = frozenset("antigravity this __hello__ __phello__".split())
READING = Late(r"\{[^{}]*[.\[]")  # a field that reads an attribute or an item
SIMPLE_FACTORIES = frozenset("list dict set tuple str int float bool".split())


class Purity:
    """Finds the work that a module does while it is imported [PM-53, PM-54]."""

    def __init__(self, facts, tree):
        self.facts = facts
        self.scope = Scope()
        self.scope.collect(tree.body)
        self.simple = set()  # own classes whose construction runs no code of the file
        self.enums = set()
        self.properties = set()  # attributes whose reading may run code of the file
        self.defined = set()  # attributes that may hide a method of a built-in type
        self.aliases = set()  # own names that may stand for something imported
        self.functions = {}
        self.loggers = set()  # names that are bound once, to a logger of the standard library
        self.future = False
        for node in every(tree):
            if isinstance(node, ast.NamedExpr):
                self.scope.bind(node.target.id, "own")
                self.aliases.add(node.target.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                self.defined.add(node.attr)
                self.properties.add(node.attr)
            elif isinstance(node, DEFINITIONS):
                self.defined.add(node.name)
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                names = [n for t in getattr(node, "targets", None) or [node.target] for n in target_names(t)]
                self.defined.update(names)
                if self.refers(node.value):
                    self.aliases.update(names)
            if isinstance(node, ast.ClassDef):
                for part in node.body:
                    if isinstance(part, (ast.Assign, ast.AnnAssign)) and self.descriptor(part.value):
                        for target in getattr(part, "targets", None) or [part.target]:
                            self.properties.update(target_names(target))
            if isinstance(node, ast.comprehension):
                for name in target_names(node.target):
                    self.scope.bind(name, "own")
            elif isinstance(node, ast.ImportFrom) and node.module == "__future__":
                self.future = self.future or any(a.name == "annotations" for a in node.names)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.decorator_list:
                self.properties.add(node.name)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                if self.is_enum(node):
                    self.enums.add(node.name)
                if self.is_simple(node):
                    self.simple.add(node.name)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if self.scope.resolve(dotted(node.value.func) or ["?"])[1] == "logging.getLogger" and self.scope.times[name] == 1 and len(node.targets) == 1:
                    self.loggers.add(name)
            elif isinstance(node, ast.FunctionDef) and self.scope.times[node.name] == 1:
                self.functions[node.name] = node

    def refers(self, value):
        """Tells whether a value may be something imported, and not only what a call made of it."""
        stack = [value] if value is not None else []
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Call):
                stack.extend(node.args + [k.value for k in node.keywords])
            elif isinstance(node, ast.Name) and (self.scope.bound.get(node.id, "own") != "own" or node.id in self.aliases):
                return True
            elif not isinstance(node, ast.Lambda):
                stack.extend(children(node))
        return False

    def descriptor(self, value):
        """Tells whether a value in a class may run code when it is read as an attribute."""
        harmless = ("enum.auto", "dataclasses.field")
        for node in walk(value) if value is not None else []:
            if isinstance(node, ast.Call) and self.scope.resolve(dotted(node.func) or ["?"])[1] not in harmless:
                return True
        return isinstance(value, (ast.Name, ast.Attribute)) and value is not None

    def is_enum(self, node):
        for base in node.bases:
            full = self.scope.resolve(dotted(base) or ["?"])[1]
            if full.startswith("enum.") or full in self.enums:
                return True
        return False

    def record(self, kind, target, place, origin, node):
        self.facts.add("effects", {"kind": kind, "target": clip(target), "place": place, "origin": origin}, node)

    def is_simple(self, node):
        if self.scope.times.get(node.name) != 1:
            return False
        for base in node.bases:
            base = base.value if isinstance(base, ast.Subscript) else base
            origin, full = self.scope.resolve(dotted(base) or ["?"])
            if not (full in PURE_BASES or origin == "builtin" and full in PURE_BUILTINS or full in self.simple):
                return False
        if node.keywords:
            return False
        for part in walk(node):
            name = getattr(part, "name", None) or getattr(part, "id", None) or ""
            bound = isinstance(part, DEFINITIONS) or isinstance(getattr(part, "ctx", None), ast.Store)
            if bound and name.startswith("_") and name.endswith("_") and name not in ("__slots__", "_"):
                return False
            if isinstance(part, ast.keyword) and part.arg == "default_factory":
                if not (isinstance(part.value, ast.Name) and part.value.id in SIMPLE_FACTORIES and part.value.id not in self.scope.bound):
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
            if literal and (func.attr in LITERAL_METHODS or func.attr == "format" and self.plain_format(value)):
                return None
            known = func.attr in PURE_METHODS | PATH_METHODS and func.attr not in self.defined
            if isinstance(value, (ast.Call, ast.Attribute)) and dotted(value) is None and known:
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
            if full in PURE_CALLS and (full != "collections.defaultdict" or self.simple_factory(node)):
                return None
            return ("stdlib" if full.split(".")[0] in STDLIB else "package"), full
        if len(parts) == 1 and full in self.simple:
            return None
        if len(parts) == 2 and parts[1] in PURE_METHODS and parts[1] not in self.defined:
            return None
        return origin, full

    def plain_format(self, value):
        """A format string that reads no attribute and no item of what it formats."""
        return isinstance(value, ast.Constant) and isinstance(value.value, str) and not READING.search(value.value)

    def simple_factory(self, node):
        factory = node.args[0] if node.args else None
        if isinstance(factory, ast.Lambda):
            return isinstance(factory.body, ast.Constant)
        return factory is None or isinstance(factory, ast.Name) and factory.id in SIMPLE_FACTORIES and factory.id not in self.scope.bound

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
            stack.extend(children(node))

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
                if origin == "own" and self.wraps(full, 2 if isinstance(decorator, ast.Call) else 1):
                    continue
                self.record("decorator", full, "decorator", origin, decorator)
            for value in [decorator] if parts is None else []:
                self.expression(value, "decorator", scope)
            if isinstance(decorator, ast.Call):
                for value in decorator.args + [k.value for k in decorator.keywords]:
                    self.expression(value, "decorator", scope)

    def wraps(self, name, depth):
        """Tells whether an own decorator only makes functions of functions.

        depth is how many of the nested functions run while it is applied: a
        decorator itself, and for one with arguments also what it returns.
        """
        found, self.facts.doc["effects"] = self.facts.doc["effects"], []
        try:
            layer = [self.functions.pop(name)] if name in self.functions else []
            whole = list(layer)
            for _ in range(depth if layer else 0):
                below = []
                for node in layer:
                    args = node.args.args + node.args.kwonlyargs + getattr(node.args, "posonlyargs", [])
                    scope = self.scope.inner(node.body)
                    for arg in args + [a for a in (node.args.vararg, node.args.kwarg) if a is not None]:
                        scope.bind(arg.arg, "own")
                    self.statements(node.body, "decorator", scope, inside=True)
                    below += [n for n in node.body if isinstance(n, ast.FunctionDef)]
                layer = below
            return bool(whole) and not self.facts.doc["effects"]
        finally:
            self.functions.update((n.name, n) for n in whole)
            self.facts.doc["effects"] = found

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
        hooks = CLASS_HOOKS | ENUM_HOOKS if self.is_enum(node) else CLASS_HOOKS
        for part in node.body:
            names = [part.name] if isinstance(part, DEFINITIONS) else []
            for target in getattr(part, "targets", [getattr(part, "target", None)]):
                names += target_names(target) if target is not None else []
            for name in hooks.intersection(names):
                self.record("hook", name, "class", "own", part)
        self.statements(node.body, "class", scope.inner(node.body))

    def statements(self, body, place, scope, handler=False, inside=False):
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
            elif isinstance(node, ast.Expr) and handler == "missing" and self.notice(node.value, scope):
                for value in node.value.args:
                    self.expression(value, place, scope)
                if not self.leaves(node.value, scope):
                    self.record("notice", ".".join(dotted(node.value.func)), place, "stdlib", node)
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
                    self.statements(node.body, place, scope, handler, inside)
                self.statements(node.orelse, place, scope, handler, inside)
            elif isinstance(node, ast.Try):
                for part in (node.body, node.orelse, node.finalbody):
                    self.statements(part, place, scope, handler, inside)
                missing = all(isinstance(n, (ast.Import, ast.ImportFrom)) for n in node.body) and all(self.only_missing(h.type, scope) for h in node.handlers)
                for h in node.handlers:
                    self.expression(h.type, place, scope)
                    self.statements(h.body, place, scope, "missing" if missing else True, inside)
            elif isinstance(node, ast.Raise) and handler:
                self.expression(node.exc, place, scope)
            elif isinstance(node, ast.Return) and inside:
                self.expression(node.value, place, scope)
            elif isinstance(node, ast.Assert):
                self.expression(node.test, place, scope)
                self.expression(node.msg, place, scope)
            elif not isinstance(node, (ast.Pass, ast.Global)) and type(node).__name__ != "TypeAlias":
                names = {"For": "for loop", "AsyncFor": "for loop", "While": "while loop", "With": "with block"}
                name = type(node).__name__
                self.record("statement", names.get(name, name.lower()), place, "own", node)

    def only_missing(self, caught, scope):
        """Tells whether a handler is for a module that is not there, and for nothing else."""
        types = caught.elts if isinstance(caught, ast.Tuple) else [caught]
        return all(scope.resolve(dotted(t) or ["?"]) in (("builtin", "ImportError"), ("builtin", "ModuleNotFoundError")) for t in types)

    def leaves(self, call, scope):
        return scope.resolve(dotted(call.func) or ["?"]) == ("import", "sys.exit")

    def notice(self, node, scope):
        """Tells whether a call only says that a module is missing: print, warn, log, exit."""
        if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
            return False
        parts = dotted(node.func) or ["?"]
        origin, full = scope.resolve(parts)
        for keyword in node.keywords:
            place = scope.resolve(dotted(keyword.value) or ["?"])
            harmless = keyword.arg == "file" and place in (("import", "sys.stderr"), ("import", "sys.stdout"))
            if not (harmless or keyword.arg in ("stacklevel", "flush", "category") and isinstance(keyword.value, (ast.Constant, ast.Name))):
                return False
        if (origin, full) == ("builtin", "print") or origin == "import" and full in ("sys.exit", "warnings.warn", "logging.warning", "logging.error", "logging.info"):
            return True
        return len(parts) == 2 and parts[0] in self.loggers and parts[1] in ("debug", "info", "warning", "error", "exception", "critical")

    def assigned(self, target, place, scope):
        stack = [target]
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.Tuple, ast.List)):
                stack.extend(node.elts)
            elif isinstance(node, ast.Starred):
                stack.append(node.value)
            elif isinstance(node, (ast.Attribute, ast.Subscript)):
                # Only a name of the file's own, which stands for nothing else,
                # may be changed: CACHE["a"] = 1, function.attribute = 1.
                root = node.value
                name = getattr(root, "id", None)
                own = scope.bound.get(name) == "own" and name not in self.aliases
                if isinstance(node, ast.Attribute):
                    own = own and not node.attr.startswith("__")
                else:
                    self.expression(node.slice, place, scope)
                self.expression(root, place, scope)
                if not own:
                    base = node.value if isinstance(node, ast.Subscript) else node
                    self.record("assignment", ".".join(dotted(base) or ["?"]), place, "stdlib", node)
