"""Lists what a file names that is not its own, wherever it stands in the file.

Part of the program that program.go joins. What a name may stand for is worked
out over the whole file at once, without an order of statements: every binding
of a name counts everywhere that the name is seen. So an alias can add a
meaning and never take one away, and what cannot be followed is said to be
unknown ("?"), never left out.
"""

import ast
import string

MAX_PARTS = 10  # of a dotted name
MAX_MEANINGS = 24  # of one name
MAX_DEPTH = 150  # of nested expressions that are followed
MAX_CODE = 64 * 1024  # of code in a string

# Built-in functions and types that do nothing but make or compare values.
PLAIN_BUILTINS = frozenset(
    """abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex delattr dict dir divmod
    enumerate filter float format frozenset hasattr hash hex id int isinstance issubclass iter len list map max
    memoryview min next object oct ord pow print property range repr reversed round set setattr slice sorted
    staticmethod str sum super tuple type zip exit quit input Ellipsis NotImplemented True False None __name__ __file__
    __doc__ __debug__ __package__ __build_class__ __annotations__ __module__ __qualname__ __class__ __cached__
    __path__""".split()
) | {n for n in dir(builtins) if isinstance(getattr(builtins, n), type) and issubclass(getattr(builtins, n), BaseException)}

# Methods of the built-in types that no other type has with an effect.
PLAIN_METHODS = frozenset(
    """append as_integer_ratio bit_length capitalize casefold center clear count difference discard encode endswith
    expandtabs extend fromkeys hex index insert intersection isalnum isalpha isascii isdecimal isdigit isdisjoint
    isidentifier islower isnumeric isprintable isspace issubset issuperset istitle isupper items join keys ljust lower
    lstrip maketrans partition removeprefix removesuffix remove reverse rfind rindex rjust rpartition rsplit rstrip
    sort split splitlines startswith strip swapcase symmetric_difference title translate union upper values zfill
    decode find get pop popitem setdefault update group groups groupdict""".split()
)

# Where a function that opens files has its mode: how many arguments precede it.
MODES = {
    "builtins.open": 1, "io.open": 1, "_io.open": 1, "_pyio.open": 1, "io.FileIO": 1, "codecs.open": 1, "os.fdopen": 1,
    "gzip.open": 1, "gzip.GzipFile": 1, "bz2.open": 1, "bz2.BZ2File": 1, "lzma.open": 1, "lzma.LZMAFile": 1,
    "zipfile.ZipFile": 1, "tarfile.open": 1, "tarfile.TarFile": 1, "wave.open": 1, "pathlib.Path.open": 0, "?.open": 0,
}  # fmt: skip
# What a call without a mode opens for.
MODE_DEFAULT = "r"

# Arguments that give a harmless function an effect.
KEYWORDS = {
    "logging.basicConfig": ("filename",),
    "argparse.ArgumentParser": ("fromfile_prefix_chars",),
    "inspect.signature": ("eval_str",),
    "numpy.load": ("allow_pickle",),
    "yaml.load": ("Loader",),
    "yaml.load_all": ("Loader",),
    "ssl.SSLContext": (),
}

MEMORY = ("io.BytesIO", "io.StringIO")
GETTERS = ("__getattribute__", "__getattr__")
ITEM_GETTERS = ("get", "pop", "setdefault", "__getitem__")
NAMESPACES = ("builtins.globals", "builtins.locals", "builtins.vars")
IMPORTERS = ("builtins.__import__", "importlib.import_module", "importlib.__import__", "importlib._bootstrap._gcd_import")


class Names:
    """What the names of one scope are bound to."""

    __slots__ = ("kind", "outer", "sources", "elsewhere")

    def __init__(self, kind, outer):
        self.kind = kind  # module, class, function, comprehension
        self.outer = outer
        self.sources = {}  # name: list of (text, None) for an import, of (expression, scope) otherwise
        self.elsewhere = {}  # name: the scope that global or nonlocal name

    def bind(self, name, what=None, scope=None):
        home = self
        while home.kind == "comprehension" and home.outer is not None and what is not None and isinstance(what, ast.NamedExpr):
            home = home.outer
        home = home.elsewhere.get(name, home)
        home.sources.setdefault(name, []).append((what, scope))


class References:
    """Collects bindings and uses in one walk, then says what the uses mean."""

    def __init__(self, facts, tree, fold):
        self.facts = facts
        self.fold = fold
        self.module = Names("module", None)
        self.stars = []
        self.uses = []  # (node, scope, how, inner)
        self.guards = []  # tests of if TYPE_CHECKING
        self.patched = False  # somebody writes to an attribute TYPE_CHECKING
        self.known = {}  # (scope, name): set of meanings
        self.readers = {}  # (scope, name): names whose meaning depends on it
        self.reading = None
        self.seen = set()
        self.codes = 0
        self.walk([(tree, self.module, "value", False)])
        self.solve()
        self.typing = not self.patched and all(self.value(t, s) == {"typing.TYPE_CHECKING"} for t, s in self.guards)
        while self.uses:
            uses, self.uses = self.uses, []
            for use in uses:
                self.tell(*use)
            if self.uses:  # code in strings brought bindings of its own
                self.solve()

    # The walk: every node once, without recursion.

    def walk(self, stack):
        while stack:
            node, scope, how, inner = stack.pop()
            method = getattr(self, "on_" + type(node).__name__, None)
            if method is not None:
                method(node, scope, how, inner, stack)
                continue
            for child in ast.iter_child_nodes(node):
                stack.append((child, scope, "value", False))

    def on_Constant(self, node, scope, how, inner, stack):
        if how == "annotation" and isinstance(node.value, str):
            self.code(node.value, "eval", node, scope, stack)

    def on_Name(self, node, scope, how, inner, stack):
        if isinstance(node.ctx, ast.Load):
            if not inner:
                self.uses.append((node, scope, "value" if how == "annotation" else how, inner))
        elif isinstance(node.ctx, ast.Store):
            scope.bind(node.id, None)

    def on_Attribute(self, node, scope, how, inner, stack):
        if not isinstance(node.ctx, ast.Load) and node.attr == "TYPE_CHECKING":
            self.patched = True
        self.uses.append((node, scope, "value" if how == "annotation" else how, inner))
        stack.append((node.value, scope, "value", True))

    def on_Call(self, node, scope, how, inner, stack):
        self.uses.append((node, scope, how, inner))
        stack.append((node.func, scope, "call", False))
        for child in node.args:
            stack.append((child, scope, "value", False))
        for keyword in node.keywords:
            stack.append((keyword.value, scope, "value", False))

    def on_Subscript(self, node, scope, how, inner, stack):
        self.uses.append((node, scope, how, inner))
        stack.append((node.value, scope, how if how == "annotation" else "value", False))
        stack.append((node.slice, scope, how if how == "annotation" else "value", False))

    def on_arguments(self, node, scope, how, inner, stack):
        raise AssertionError("arguments belong to their function")

    def function(self, node, scope, stack):
        inside = Names("function", scope)
        args = node.args
        plain = getattr(args, "posonlyargs", []) + args.args
        for arg in plain + args.kwonlyargs + [a for a in (args.vararg, args.kwarg) if a is not None]:
            inside.bind(arg.arg, None)
            if arg.annotation is not None:
                stack.append((arg.annotation, scope, "annotation", False))
        pairs = list(zip(plain[len(plain) - len(args.defaults) :], args.defaults)) + list(zip(args.kwonlyargs, args.kw_defaults))
        for arg, default in pairs:
            if default is not None:
                inside.bind(arg.arg, default, scope)
                stack.append((default, scope, "import", False))
        return inside

    def on_FunctionDef(self, node, scope, how, inner, stack):
        scope.bind(node.name, None)
        for decorator in node.decorator_list:
            stack.append((decorator, scope, "call", False))
        if node.returns is not None:
            stack.append((node.returns, scope, "annotation", False))
        inside = self.function(node, scope, stack)
        self.type_params(node, inside, stack)
        self.declared(node.body, inside)
        for child in reversed(node.body):
            stack.append((child, inside, "value", False))

    on_AsyncFunctionDef = on_FunctionDef

    def on_Lambda(self, node, scope, how, inner, stack):
        stack.append((node.body, self.function(node, scope, stack), "value", False))

    def on_ClassDef(self, node, scope, how, inner, stack):
        scope.bind(node.name, None)
        inside = Names("class", scope)
        self.type_params(node, inside, stack)
        self.declared(node.body, inside)
        for child in node.decorator_list:
            stack.append((child, scope, "call", False))
        for child in node.bases:
            stack.append((child, scope, "value", False))
        for keyword in node.keywords:
            stack.append((keyword.value, scope, "call", False))
        for child in reversed(node.body):
            stack.append((child, inside, "value", False))

    def type_params(self, node, inside, stack):
        for param in getattr(node, "type_params", []):
            inside.bind(param.name, None)
            for part in (getattr(param, "bound", None), getattr(param, "default_value", None)):
                if part is not None:
                    stack.append((part, inside, "annotation", False))

    def on_TypeAlias(self, node, scope, how, inner, stack):
        scope.bind(node.name.id, None)
        self.type_params(node, scope, stack)
        stack.append((node.value, scope, "annotation", False))

    def declared(self, body, scope):
        """Finds global and nonlocal before the bindings that they govern."""
        stack = list(body)
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                for name in node.names:
                    home = self.module
                    if isinstance(node, ast.Nonlocal):
                        home = scope.outer
                        while home.outer is not None and (home.kind == "class" or name not in home.sources):
                            home = home.outer
                    scope.elsewhere[name] = home
            elif not isinstance(node, DEFINITIONS):
                stack.extend(blocks(node))

    def on_Global(self, node, scope, how, inner, stack):
        pass

    on_Nonlocal = on_Global

    def comprehension(self, node, parts, scope, stack):
        inside = Names("comprehension", scope)
        for i, g in enumerate(node.generators):
            self.loop(g.target, g.iter, inside, scope if i == 0 else inside, stack)
            for test in g.ifs:
                stack.append((test, inside, "value", False))
        for part in parts:
            stack.append((part, inside, "value", False))

    def on_ListComp(self, node, scope, how, inner, stack):
        self.comprehension(node, [node.elt], scope, stack)

    on_SetComp = on_GeneratorExp = on_ListComp

    def on_DictComp(self, node, scope, how, inner, stack):
        self.comprehension(node, [node.key, node.value], scope, stack)

    def loop(self, target, source, inside, scope, stack):
        """A name that runs over a literal has each of its elements."""
        stack.append((source, scope, "value", False))
        if isinstance(source, (ast.List, ast.Tuple, ast.Set)):
            for element in source.elts:
                self.assign(target, element, inside, scope, stack)
        self.assign(target, None, inside, scope, stack)

    def on_For(self, node, scope, how, inner, stack):
        self.loop(node.target, node.iter, scope, scope, stack)
        for child in node.body + node.orelse:
            stack.append((child, scope, "value", False))

    on_AsyncFor = on_For

    def on_With(self, node, scope, how, inner, stack):
        for item in node.items:
            stack.append((item.context_expr, scope, "value", False))
            if item.optional_vars is not None:
                self.assign(item.optional_vars, item.context_expr, scope, scope, stack)
                self.assign(item.optional_vars, None, scope, scope, stack)
        for child in node.body:
            stack.append((child, scope, "value", False))

    on_AsyncWith = on_With

    def assign(self, target, value, scope, origin, stack):
        """Binds the names of a target; what lies in objects is told as a use."""
        pending = [(target, value)]
        while pending:
            target, value = pending.pop()
            if isinstance(target, ast.Name):
                scope.bind(target.id, value, origin)
            elif isinstance(target, ast.Starred):
                pending.append((target.value, None))
            elif isinstance(target, (ast.Tuple, ast.List)):
                parts = [None] * len(target.elts)
                if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(parts):
                    if not any(isinstance(e, ast.Starred) for e in value.elts + target.elts):
                        parts = value.elts
                pending.extend(zip(target.elts, parts))
            elif target is not None:
                stack.append((target, scope, "value", False))

    def on_Assign(self, node, scope, how, inner, stack):
        alias = scope.kind != "class"
        for target in node.targets:
            self.assign(target, node.value, scope, scope, stack)
            alias = alias and isinstance(target, ast.Name)
        self.source(node.value, scope, alias, stack)
        if not alias and scope.kind != "class" and len(node.targets) == 1:
            target = node.targets[0]
            both = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            if both and len(target.elts) == len(node.value.elts) and all(isinstance(t, ast.Name) for t in target.elts):
                stack.pop()
                for part in node.value.elts:
                    stack.append((part, scope, "import", False))

    def source(self, value, scope, alias, stack):
        stack.append((value, scope, "import" if alias else "value", False))

    def on_AnnAssign(self, node, scope, how, inner, stack):
        self.assign(node.target, node.value, scope, scope, stack)
        stack.append((node.annotation, scope, "annotation", False))
        if node.value is not None:
            alias = scope.kind != "class" and isinstance(node.target, ast.Name)
            self.source(node.value, scope, alias, stack)

    def on_AugAssign(self, node, scope, how, inner, stack):
        self.assign(node.target, node.value, scope, scope, stack)
        stack.append((node.value, scope, "value", False))

    def on_NamedExpr(self, node, scope, how, inner, stack):
        home = scope
        while home.kind == "comprehension" and home.outer is not None:
            home = home.outer
        home.bind(node.target.id, node.value, scope)
        stack.append((node.value, scope, how if how == "call" else "value", False))

    def on_ExceptHandler(self, node, scope, how, inner, stack):
        if node.name:
            scope.bind(node.name, None)
        for child in ast.iter_child_nodes(node):
            stack.append((child, scope, "value", False))

    def on_Match(self, node, scope, how, inner, stack):
        stack.append((node.subject, scope, "value", False))
        for case in node.cases:
            patterns = [case.pattern]
            while patterns:
                pattern = patterns.pop()
                for name in (getattr(pattern, "name", None), getattr(pattern, "rest", None)):
                    if name:
                        scope.bind(name, node.subject, scope)
                        scope.bind(name, None)
                for attr in getattr(pattern, "kwd_attrs", []):
                    read = ast.Attribute(value=node.subject, attr=attr, ctx=ast.Load())
                    self.uses.append((ast.copy_location(read, pattern), scope, "value", False))
                    self.unknown(attr, "value", "", pattern)
                for child in ast.iter_child_nodes(pattern):
                    if isinstance(child, ast.expr):
                        stack.append((child, scope, "value", False))
                    else:
                        patterns.append(child)
            for child in [case.guard] * (case.guard is not None) + case.body:
                stack.append((child, scope, "value", False))

    def on_If(self, node, scope, how, inner, stack):
        typing = is_type_checking(node.test)
        if typing:
            self.guards.append((node.test, scope))
        else:
            stack.append((node.test, scope, "value", False))
        for child in node.body:
            imports = typing and isinstance(child, (ast.Import, ast.ImportFrom))
            stack.append((child, scope, "typing" if imports else "value", False))
        for child in node.orelse:
            stack.append((child, scope, "value", False))

    def on_Import(self, node, scope, how, inner, stack):
        for alias in node.names:
            whole = alias.asname is not None
            bound = alias.name if whole else alias.name.split(".")[0]
            scope.bind(alias.asname or bound, bound, how)
            self.uses.append((node, scope, "typing" if how == "typing" else "import", alias.name))
            if scope.kind == "class":
                self.uses.append((node, scope, "value", alias.name))

    def on_ImportFrom(self, node, scope, how, inner, stack):
        if node.level:
            for alias in node.names:
                scope.bind(alias.asname or alias.name, None)
            return
        for alias in node.names:
            typing = how == "typing"
            if alias.name == "*":
                self.stars.append(node.module)
                self.uses.append((node, scope, "star", node.module))
                continue
            full = node.module + "." + alias.name
            scope.bind(alias.asname or alias.name, full, how)
            self.uses.append((node, scope, "typing" if typing else "import", full))
            if scope.kind == "class":
                self.uses.append((node, scope, "value", full))

    def code(self, text, mode, node, scope, stack):
        """Walks code that stands in a string, in its place."""
        self.codes += 1
        if self.codes > 200 or len(text) > MAX_CODE:
            self.add("builtins.eval", "computed", "?", node)
            return
        try:
            tree = compile(text.strip() if mode == "eval" else text, "code", mode, ast.PyCF_ONLY_AST, dont_inherit=True)
        except (SyntaxError, ValueError):
            return  # it is no code, so nobody can run it
        for part in ast.walk(tree):
            if hasattr(part, "lineno"):
                ast.copy_location(part, node)
        stack.append((tree, scope, "value", False))

    # What names mean.

    def solve(self):
        """Works out every name's meanings until none grows any more."""
        work = []
        scopes = [self.module] + list({id(s): s for _, s, _, _ in self.uses}.values())
        done = set()
        while scopes:
            scope = scopes.pop()
            if scope is None or id(scope) in done:
                continue
            done.add(id(scope))
            scopes.append(scope.outer)
            work.extend((scope, name) for name in scope.sources)
        waiting = set(work)
        while work:
            self.reading = key = work.pop()
            waiting.discard(key)
            scope, name = key
            found = set(self.known.get(key, ()))
            before = len(found)
            for what, origin in scope.sources[name]:
                if what is None:
                    found.add("?")
                elif isinstance(what, str):
                    found.add("~" + what if origin == "typing" else what)
                else:
                    found |= self.value(what, origin)
            if len(found) > MAX_MEANINGS:
                found = set(sorted(found)[:MAX_MEANINGS]) | {"?.?"}
                if "?.?" in self.known.get(key, ()):
                    continue
            if len(found) != before or key not in self.known:
                self.known[key] = found
                for reader in self.readers.get(key, ()):
                    if reader not in waiting:
                        waiting.add(reader)
                        work.append(reader)
        self.reading = None

    def meanings(self, scope, name):
        key = (scope, name)
        if self.reading is not None:
            self.readers.setdefault(key, set()).add(self.reading)
        return self.known.get(key, set())

    def lookup(self, name, scope):
        if name == "__builtins__":
            return {"builtins"}
        found, first = set(), True
        while scope is not None:
            if name in scope.elsewhere:
                scope = scope.elsewhere[name]
            if scope.kind == "module":
                break
            if name in scope.sources and (scope.kind != "class" or first):
                found |= self.meanings(scope, name)
                if scope.kind != "class":
                    return found
            first = first and scope.kind == "comprehension"
            scope = scope.outer
        if name in self.module.sources:
            found |= self.meanings(self.module, name)
            if name in PLAIN_BUILTINS or not hasattr(builtins, name):
                return found
        found.add("builtins." + name)
        if name not in self.module.sources:
            found.update(star + "." + name for star in self.stars)
        return found

    def value(self, node, scope, depth=0):
        """The dotted names that an expression may stand for, "?" where it may be anything."""
        if depth > MAX_DEPTH:
            return {"?.?"}
        if isinstance(node, ast.Name):
            return self.lookup(node.id, scope)
        if isinstance(node, ast.Attribute):
            return {join(base, node.attr) for base in self.value(node.value, scope, depth + 1)}
        if isinstance(node, ast.Call):
            return self.result(node, scope, depth + 1)
        if isinstance(node, ast.Subscript):
            return self.item(node.value, node.slice, scope, depth + 1)
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            return {"!"}
        if isinstance(node, (ast.NamedExpr, ast.Await, ast.Starred)):
            return self.value(node.value, scope, depth + 1)
        if isinstance(node, ast.IfExp):
            return self.value(node.body, scope, depth + 1) | self.value(node.orelse, scope, depth + 1)
        if isinstance(node, ast.BoolOp):
            return set().union(*(self.value(v, scope, depth + 1) for v in node.values))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            sides = self.value(node.left, scope, depth + 1) | self.value(node.right, scope, depth + 1)
            return {n for n in sides if n.startswith("pathlib.")} | {"?"}
        return {"?"}

    def item(self, holder, key, scope, depth):
        """What lies under a key of the dictionaries that hold names."""
        found = set()
        for base in self.value(holder, scope, depth):
            under = None
            if base in NAMESPACES or base == "sys.modules" or base == "builtins" or base.endswith(".__dict__"):
                under = self.fold.text(index(key))
            if isinstance(under, str):
                if base in NAMESPACES:
                    found |= self.lookup(under, self.module if base == "builtins.globals" else scope)
                elif base == "sys.modules":
                    found.add(under)
                else:
                    found.add(join(base[: -len(".__dict__")] if base.endswith(".__dict__") else base, under))
            elif base not in ("?", "!"):
                found.add(base)
            else:
                found.add("?")
        return found

    def result(self, node, scope, depth):
        """What a call gives: a name stands for all that comes of it."""
        found = {"?"}
        args = node.args
        for name in self.value(node.func, scope, depth):
            head, _, last = name.rpartition(".")
            if name in ("?", "!"):
                continue
            if name in IMPORTERS and args:
                text = self.fold.text(args[0])
                if isinstance(text, str):
                    found.add(text)
                    found.add(text.split(".")[0])
            elif name == "builtins.getattr" and len(args) >= 2:
                found |= self.attribute(args[0], args[1], scope, depth)
                if len(args) > 2:
                    found |= self.value(args[2], scope, depth)
                continue
            elif last in GETTERS and args:
                text = self.fold.text(args[-1])
                for base in {head} if len(args) == 1 else self.value(args[0], scope, depth):
                    found.add(join(base, text) if isinstance(text, str) else join(base, "?"))
                continue
            elif name == "builtins.vars" and len(args) == 1:
                found |= {join(base, "__dict__") for base in self.value(args[0], scope, depth) if base not in ("?", "!")}
                continue
            elif last in ITEM_GETTERS and args and isinstance(node.func, ast.Attribute):
                found |= self.item(node.func.value, args[0], scope, depth)
                continue
            elif name == "functools.partial" and args:
                found |= self.value(args[0], scope, depth)
            elif name == "builtins.type" and len(args) == 1:
                found |= self.value(args[0], scope, depth)
                continue
            elif name in ("operator.attrgetter", "operator.methodcaller") and args:
                text = self.fold.text(args[0])
                found.add("@" + text if isinstance(text, str) else name)
                continue
            elif name.startswith("@"):
                for base in self.value(args[0], scope, depth) if args else ():
                    for part in name[1:].split("."):
                        base = join(base, part)
                    found.add(base)
                continue
            if not name.startswith("~"):
                found.add(name)
        return found

    def attribute(self, holder, key, scope, depth):
        names = self.strings(key, scope)
        bases = self.value(holder, scope, depth)
        if names is None:
            return {join(base, "?") for base in bases}
        return {join(base, name) for base in bases for name in names}

    def strings(self, node, scope):
        """Every text that an expression can be, or None where that is open."""
        text = self.fold.text(node)
        if isinstance(text, str):
            return {text}
        if isinstance(node, ast.IfExp):
            sides = [self.strings(node.body, scope), self.strings(node.orelse, scope)]
            return None if None in sides else sides[0] | sides[1]
        if not isinstance(node, ast.Name):
            return None
        while scope is not None and node.id not in scope.sources:
            scope = scope.outer
        if scope is None or scope.kind == "module":
            return None
        texts = set()
        loop = False
        for what, _ in scope.sources[node.id]:
            if what is None and not loop:
                return None
            loop = False
            if what is not None:
                text = self.fold.text(what) if isinstance(what, ast.expr) else None
                if not isinstance(text, str):
                    return None
                texts.add(text)
        return texts or None

    # What is told.

    def tell(self, node, scope, how, inner):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if how != "typing" or not self.typing:
                self.add(inner, "import" if how == "typing" else how, "", node)
        elif isinstance(node, ast.Call):
            self.tell_call(node, scope)
        elif isinstance(node, ast.Subscript):
            if not inner:
                for name in self.item(node.value, node.slice, scope, 0) - self.value(node.value, scope):
                    self.meant(name, "call" if how == "call" else "value", "", node)
        else:
            detail = None
            for name in self.value(node, scope):
                if name.startswith("?."):
                    self.unknown(node.attr, how if how == "call" else "value", "", node)
                elif not inner:
                    self.meant(name, how, "", node)
            if detail:
                pass

    def meant(self, name, how, detail, node):
        if name.startswith("~"):
            if self.typing:
                return  # bound for readers of types alone
            name = name[1:]
        if name in ("?", "!") or name.startswith("@"):
            return
        if name.startswith("!."):
            if name[2:4] == "__":
                self.unknown(name[2:], how, detail, node)
            return
        if name.startswith("?."):
            self.unknown(name[2:], how, detail, node)
            return
        if name.startswith("builtins.") and name[len("builtins.") :] in PLAIN_BUILTINS:
            return
        self.add(name, "computed" if name.endswith(".?") else how, detail, node)

    def unknown(self, attr, how, detail, node):
        if attr == "?":
            self.add("?", "computed", detail, node)
        elif attr not in PLAIN_METHODS:
            self.add("?." + attr, how, detail, node)

    def add(self, name, how, detail, node):
        key = (name, how, detail)
        if key in self.seen:
            return
        self.seen.add(key)
        self.facts.add("references", {"name": clip(name), "how": how, "detail": clip(detail)}, node)


def join(base, attr):
    if base in ("?", "!") or base.startswith("?."):
        return base[0] + "." + attr
    if base.startswith("!."):
        return "?." + attr
    if base.count(".") >= MAX_PARTS:
        return base
    return base + "." + attr


def index(node):
    """The key of a subscript; before 3.9 it is wrapped."""
    return getattr(node, "value", node) if type(node).__name__ == "Index" else node
