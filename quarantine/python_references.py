"""Lists what a file names that is not its own, wherever it stands in the file.

Part of the program that program.go joins; python_names.py says what names
mean. A name counts that is read, called, imported, handed on, put into a
default, a base or a dictionary: naming a thing is enough, because what is done
with it afterwards cannot be followed.
"""

import _ast as ast
import _string
import builtins

MOST_CODE = 64 * 1024  # characters of code in one string
MOST_CODES = 200  # strings with code

# Built-in functions and types that do nothing but make or compare values.
PLAIN_BUILTINS = frozenset(
    """abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex delattr dict dir divmod
    enumerate filter float format frozenset hasattr hash hex id int isinstance issubclass iter len list map max
    memoryview min next object oct ord pow print property range repr reversed round set setattr slice sorted
    staticmethod str sum super tuple type zip exit quit input Ellipsis NotImplemented True False None __name__ __file__
    __doc__ __debug__ __package__ __annotations__ __module__ __qualname__ __class__ __cached__ __path__""".split()
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
# Methods that do something else with so many arguments: str.replace takes two, Path.replace one.
COUNTED_METHODS = frozenset("replace copy read".split())

# Where a function that opens files has its mode: how many arguments precede it.
MODES = {
    name: int(place)
    for place, names in (
        (0, "pathlib.Path.open ?.open"),
        (1, "builtins.open io.open _io.open _pyio.open io.FileIO codecs.open os.fdopen gzip.open gzip.GzipFile bz2.open "
            "bz2.BZ2File lzma.open lzma.LZMAFile zipfile.ZipFile tarfile.open tarfile.TarFile wave.open"),
    )
    for name in names.split()
}  # fmt: skip
# Arguments that give a harmless function an effect.
KEYWORDS = {
    "logging.basicConfig": ("filename",),
    "argparse.ArgumentParser": ("fromfile_prefix_chars",),
    "inspect.signature": ("eval_str",),
    "numpy.load": ("allow_pickle",),
    "yaml.load": ("Loader",),
    "yaml.load_all": ("Loader",),
}
LITERALS = frozenset(["typing.Literal", "typing_extensions.Literal", "~typing.Literal", "~typing_extensions.Literal"])
# Functions that only read or write an attribute of their first argument.
HOLDERS = frozenset("getattr hasattr setattr delattr".split())
IN_MEMORY = frozenset(["io.BytesIO()", "io.StringIO()"])
RUNNERS = {"builtins.exec": "exec", "builtins.eval": "eval", "builtins.compile": "exec"}


class References(Meanings):
    """Collects bindings and uses in one walk, then tells what the uses mean."""

    def __init__(self, facts, tree, fold):
        super().__init__(fold)
        self.facts = facts
        self.uses = []  # (node, scope, how, inner)
        self.guards = []  # tests of if TYPE_CHECKING
        self.patched = False  # somebody writes to an attribute TYPE_CHECKING
        self.kept = []  # trees of code in strings: what is known of a node goes by its address
        self.told = {}  # (name, how, detail): its first place
        self.walk([(tree, self.module, "value", False)])
        while self.uses:
            self.solve()
            self.typing = not self.patched and all(self.value(t, s) == {"typing.TYPE_CHECKING"} for t, s in self.guards)
            uses, self.uses = self.uses, []
            for use in uses:
                self.tell(*use)
        told = sorted((place["line"], place["col"]) + what for what, place in self.told.items())
        for line, col, name, how, detail in told[:MAX_ITEMS]:
            facts.doc["references"].append({"name": name, "how": how, "detail": detail, "line": line, "col": col})
        if len(told) > MAX_ITEMS or self.steps < 0 or fold.exhausted:
            facts.doc["truncated"] = True

    # The walk: every node once, without recursion. how is value, call, import
    # (an alias is made), annotation, typing or callee (its call tells of it);
    # inner tells that an attribute of it is read, which says more.

    def walk(self, stack):
        while stack:
            use = stack.pop()
            method = getattr(self, "on_" + type(use[0]).__name__, None)
            if method is not None:
                method(*use, stack)
                continue
            how = "annotation" if use[2] == "annotation" else "value"
            stack.extend((child, use[1], how, False) for child in children(use[0]))

    def on_Constant(self, node, scope, how, inner, stack):
        if how == "annotation" and isinstance(node.value, str):
            self.code(node.value.strip(), "eval", node, scope, stack)

    def on_Name(self, node, scope, how, inner, stack):
        if isinstance(node.ctx, ast.Store):
            scope.bind(node.id, None)
        elif not inner and how != "callee":
            self.uses.append((node, scope, how, inner))

    def on_Attribute(self, node, scope, how, inner, stack):
        if node.attr == "TYPE_CHECKING" and not isinstance(node.ctx, ast.Load):
            self.patched = True
        if how != "callee":
            self.uses.append((node, scope, how, inner))
        stack.append((node.value, scope, "value", True))

    def on_Call(self, node, scope, how, inner, stack):
        self.uses.append((node, scope, how, inner))
        plain = isinstance(node.func, (ast.Name, ast.Attribute))
        stack.append((node.func, scope, "callee" if plain else "call", False))
        how = "annotation" if how == "annotation" else "value"
        held = plain and getattr(node.func, "id", "") in HOLDERS
        stack.extend((child, scope, node.func.id if held and i == 0 else how, False) for i, child in enumerate(node.args))
        stack.extend((k.value, scope, how, False) for k in node.keywords)

    def on_Subscript(self, node, scope, how, inner, stack):
        self.uses.append((node, scope, how, inner))
        stack.append((node.value, scope, "value", False))
        if how != "annotation":
            stack.append((node.slice, scope, "value", False))
        elif (dotted(node.value) or [""])[-1] == "Literal":
            self.uses.append((node, scope, "literal", inner))  # its texts are no code, if it is what it is called
        else:
            stack.append((node.slice, scope, how, False))

    def function(self, node, scope, stack):
        inside, args = self.scope("function", scope), node.args
        plain = getattr(args, "posonlyargs", []) + args.args
        for arg in plain + args.kwonlyargs + [a for a in (args.vararg, args.kwarg) if a is not None]:
            inside.bind(arg.arg, None)
            if arg.annotation is not None:
                stack.append((arg.annotation, scope, "annotation", False))
        defaults = list(zip(plain[len(plain) - len(args.defaults) :], args.defaults))
        for arg, default in defaults + list(zip(args.kwonlyargs, args.kw_defaults)):
            if default is not None:
                inside.bind(arg.arg, default, scope)
                stack.append((default, scope, "value", False))
        return inside

    def on_FunctionDef(self, node, scope, how, inner, stack):
        scope.bind(node.name, None)
        stack.extend((d, scope, "call", False) for d in node.decorator_list)
        inside = self.function(node, scope, stack)
        if node.returns is not None:
            stack.append((node.returns, scope, "annotation", False))
        self.body(node, inside, stack)

    on_AsyncFunctionDef = on_FunctionDef

    def on_Lambda(self, node, scope, how, inner, stack):
        stack.append((node.body, self.function(node, scope, stack), "value", False))

    def on_ClassDef(self, node, scope, how, inner, stack):
        scope.bind(node.name, None)
        stack.extend((child, scope, "call", False) for child in node.decorator_list + node.bases)
        stack.extend((k.value, scope, "call", False) for k in node.keywords)
        self.body(node, self.scope("class", scope), stack)

    def body(self, node, inside, stack):
        self.type_params(node, inside, stack)
        pending = list(node.body)
        while pending:  # global and nonlocal count before the bindings that they govern
            part = pending.pop()
            if isinstance(part, (ast.Global, ast.Nonlocal)):
                inside.elsewhere.update((name, type(part).__name__.lower()) for name in part.names)
            elif not isinstance(part, DEFINITIONS):
                pending.extend(blocks(part))
        stack.extend((child, inside, "value", False) for child in node.body)

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

    def on_Global(self, node, scope, how, inner, stack):
        pass  # body knows them

    on_Nonlocal = on_Global

    def on_ListComp(self, node, scope, how, inner, stack):
        inside = self.scope("comprehension", scope)
        for i, g in enumerate(node.generators):
            self.loop(g.target, g.iter, inside, scope if i == 0 else inside, stack)
            stack.extend((test, inside, "value", False) for test in g.ifs)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        stack.extend((part, inside, "value", False) for part in parts)

    on_SetComp = on_GeneratorExp = on_DictComp = on_ListComp

    def loop(self, target, source, inside, scope, stack):
        """A name that runs over a literal is each of its elements."""
        stack.append((source, scope, "value", False))
        literal = isinstance(source, (ast.List, ast.Tuple, ast.Set)) and not any(isinstance(e, ast.Starred) for e in source.elts)
        for element in source.elts if literal else [None]:
            self.assign(target, element, inside, scope, stack)

    def on_For(self, node, scope, how, inner, stack):
        self.loop(node.target, node.iter, scope, scope, stack)
        stack.extend((child, scope, "value", False) for child in node.body + node.orelse)

    on_AsyncFor = on_For

    def on_With(self, node, scope, how, inner, stack):
        for item in node.items:
            stack.append((item.context_expr, scope, "value", False))
            if item.optional_vars is not None:
                self.assign(item.optional_vars, item.context_expr, scope, scope, stack)
        stack.extend((child, scope, "value", False) for child in node.body)

    on_AsyncWith = on_With

    def assign(self, target, value, scope, origin, stack):
        """Binds the names of a target and tells whether each got a part of the value."""
        pending, whole = [(target, value)], True
        while pending:
            target, value = pending.pop()
            if isinstance(target, ast.Name):
                scope.bind(target.id, value, origin)
            elif isinstance(target, ast.Starred):
                pending.append((target.value, None))
                whole = False
            elif isinstance(target, (ast.Tuple, ast.List)):
                parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
                if len(parts) != len(target.elts) or any(isinstance(e, ast.Starred) for e in parts):
                    parts, whole = [None] * len(target.elts), False
                pending.extend(zip(target.elts, parts))
            else:
                stack.append((target, scope, "value", False))
                whole = False
        return whole

    def source(self, value, scope, alias, stack):
        """Where all of a value goes into names it is an alias, else it is handed on."""
        pending = [value]
        while pending:
            part = pending.pop()
            if alias and isinstance(part, (ast.Tuple, ast.List)):
                pending.extend(part.elts)
            else:
                stack.append((part, scope, "import" if alias else "value", False))

    def on_Assign(self, node, scope, how, inner, stack):
        whole = [self.assign(target, node.value, scope, scope, stack) for target in node.targets]
        names = len(node.targets) == 1 and not isinstance(node.targets[0], ast.Name) or not isinstance(node.value, (ast.Tuple, ast.List))
        self.source(node.value, scope, all(whole) and names and scope.kind != "class", stack)

    def on_AnnAssign(self, node, scope, how, inner, stack):
        whole = self.assign(node.target, node.value, scope, scope, stack)
        stack.append((node.annotation, scope, "annotation", False))
        if node.value is not None:
            plain = not isinstance(node.value, (ast.Tuple, ast.List))
            self.source(node.value, scope, whole and plain and scope.kind != "class", stack)

    def on_AugAssign(self, node, scope, how, inner, stack):
        self.assign(node.target, node.value, scope, scope, stack)
        stack.append((node.value, scope, "value", False))

    def on_NamedExpr(self, node, scope, how, inner, stack):
        home = next(s for s in scope.inside_out() if s.kind != "comprehension")
        home.bind(node.target.id, node.value, scope)
        stack.append((node.value, scope, "value", False))

    def on_ExceptHandler(self, node, scope, how, inner, stack):
        if node.name:
            scope.bind(node.name, None)
        stack.extend((child, scope, "value", False) for child in children(node))

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
                    read = located(ast.Attribute(value=node.subject, attr=attr, ctx=ast.Load()), pattern)
                    self.kept.append(read)
                    self.uses.append((read, scope, "value", False))
                    self.unknown(attr, "value", "", pattern)
                for child in children(pattern):
                    if isinstance(child, ast.expr):
                        stack.append((child, scope, "value", False))
                    else:
                        patterns.append(child)
            stack.extend((child, scope, "value", False) for child in [case.guard] * (case.guard is not None) + case.body)

    def on_If(self, node, scope, how, inner, stack):
        typing = is_type_checking(node.test)
        if typing:
            self.guards.append((node.test, scope))
        stack.append((node.test, scope, "value", False))
        for child in node.body:
            only = typing and isinstance(child, (ast.Import, ast.ImportFrom))
            stack.append((child, scope, "typing" if only else "value", False))
        stack.extend((child, scope, "value", False) for child in node.orelse)

    def on_Import(self, node, scope, how, inner, stack):
        for alias in node.names:
            bound = alias.name if alias.asname else alias.name.split(".")[0]
            self.imported(node, alias.name, alias.asname or bound, bound, scope, how)

    def on_ImportFrom(self, node, scope, how, inner, stack):
        for alias in node.names:
            if node.level:
                scope.bind(alias.asname or alias.name, None)
            elif alias.name == "*":
                self.stars.append(node.module)
                self.uses.append((node, scope, "star", node.module))
            else:
                full = node.module + "." + alias.name
                self.imported(node, full, alias.asname or alias.name, full, scope, how)

    def imported(self, node, full, name, bound, scope, how):
        scope.bind(name, bound, how if how == "typing" else "")
        self.uses.append((node, scope, "typing" if how == "typing" else "import", full))
        if scope.kind == "class":
            self.uses.append((node, scope, "value", full))  # an attribute of the class

    def code(self, text, mode, node, scope, stack):
        """Walks code that stands in a string, in its place."""
        if len(self.kept) > MOST_CODES or len(text) > MOST_CODE:
            self.add("builtins.eval", "computed", "", node)
            return
        try:
            tree = compile(text, "code", mode, ast.PyCF_ONLY_AST, dont_inherit=True)
        except (SyntaxError, ValueError):
            return  # nobody can run it
        self.kept.append(tree)
        for part in walk(tree):
            if hasattr(part, "lineno"):
                located(part, node)
        stack.append((tree, scope, "value", False))

    # What is told.

    def tell(self, node, scope, how, inner):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if how != "typing" or not self.typing:
                self.add(inner, "import" if how == "typing" else how, "", node)
        elif isinstance(node, ast.Call):
            self.tell_call(node, scope, how, inner)
        elif how == "literal":
            if not self.value(node.value, scope) <= LITERALS:
                self.walk([(node.slice, scope, "annotation", False)])
        elif isinstance(node, ast.Subscript):
            for name in self.value(node, scope) - self.value(node.value, scope):
                self.meant(name, how, "", node)
        else:
            inner = inner or how in HOLDERS and self.lookup(how, scope) == {"builtins." + how}
            for name in self.value(node, scope):
                if not inner or name[0] in "?!":
                    self.meant(name, how, "", node)

    def tell_call(self, node, scope, how, inner):
        callee = self.value(node.func, scope)
        for name in callee:
            if name == "builtins.setattr" and len(node.args) > 1:
                for written in self.attribute(node.args[0], node.args[1], scope, 0):
                    if written[0] not in "?!":
                        self.meant(written, "value", "", node)
            told = name == "builtins.getattr" and len(node.args) > 1 or name == "builtins.vars" and len(node.args) == 1
            if not told or any(isinstance(a, ast.Starred) for a in node.args):
                self.meant(name, "call", self.detail(name, node, scope), node)
            if name in RUNNERS and node.args:
                text = self.fold.text(node.args[0])
                if isinstance(text, str):
                    stack = []
                    self.code(text, RUNNERS[name], node, self.module, stack)
                    self.walk(stack)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "format_map"):
            self.tell_format(node)
        for name in self.value(node, scope) - callee:
            if not inner or name[0] in "?!":
                module = bool(callee & set(IMPORTERS))
                self.meant(name, "import" if module else how, "", node)

    def tell_format(self, node):
        """A format string reads attributes: "{0.__class__}"."""
        text = self.fold.text(node.func.value)
        if not isinstance(text, str) and node.args:
            text = self.fold.text(node.args[0])  # str.format("...", x)
        try:
            fields = [f[1] or "" for f in _string.formatter_parser(text)] if isinstance(text, str) else []
        except ValueError:
            return
        for field in fields:
            for part in field.split(".")[1:]:
                self.unknown(part.split("[")[0], "value", "", node)

    def detail(self, name, node, scope):
        """What of a call's arguments decides what it does."""
        args, named = node.args, {k.arg: k.value for k in node.keywords}
        open_ended = None in named or any(isinstance(a, ast.Starred) for a in args)
        given = args[0] if args else named.get("fileobj")
        last = name.rpartition(".")[2]
        if name.startswith("?."):
            if last in COUNTED_METHODS:
                return "?" if open_ended else str(len(args))
        elif given is not None and not open_ended:
            if self.value(given, scope) - {"!"} and self.value(given, scope) <= IN_MEMORY or self.fold.text(given) == ":memory:":
                return "memory"
        if name == "sqlite3.connect" and given is not None and not open_ended:
            uri = self.fold.loose(given)  # as in file:…?mode=ro, of which the file need not be constant
            return "ro" if "uri" in named and isinstance(uri, str) and uri.startswith("file:") and "?mode=ro" in uri else ""
        if name in KEYWORDS:
            hit = [k for k in KEYWORDS[name] if k in named]
            return "?" if open_ended else hit[0] if hit else ""
        if name in MODES:
            place = MODES[name]
            mode = named.get("mode", args[place] if len(args) > place else None)
            if mode is None:
                return "?" if open_ended else "r"
            text = self.fold.text(mode)
            return text if isinstance(text, str) and not open_ended else "?"
        return ""

    def meant(self, name, how, detail, node):
        how = how if how in ("call", "import", "star") else "value"
        if name[0] == "~":
            if self.typing:
                return  # bound for readers of types alone
            name = name[1:]
        if name.endswith("()"):
            return  # its call is told
        name = name.replace("()", "")
        if name[0] in "?!" and len(name) > 1:
            if name[0] == "?" or name[2:4] == "__":
                self.unknown(name[2:], how, detail, node)
        elif name[0] not in "?!@" and not (name.startswith("builtins.") and name[len("builtins.") :] in PLAIN_BUILTINS):
            self.add(name, "computed" if name.endswith(".?") else how, detail, node)

    def unknown(self, attr, how, detail, node):
        if attr == "?":
            self.add("?", "computed", detail, node)
        elif attr not in PLAIN_METHODS:
            self.add("?." + attr, how, detail, node)

    def add(self, name, how, detail, node):
        what, place = (clip(name), how, clip(detail)), self.facts.place(node)
        old = self.told.get(what)
        if old is None or (place["line"], place["col"]) < (old["line"], old["col"]):
            self.told[what] = place
