"""Works out what the names and expressions of a file may stand for.

Part of the program that program.go joins. Every binding of a name counts
wherever the name is seen, in whatever order the statements stand: an alias can
add a meaning and never take one away. Meanings are dotted names from a module
or "builtins" on; "?" is what may be anything, "?.x" an attribute of it, "!" a
value of a built-in type, "x()" what comes of a call of x, "~x" what only readers
of types import, and "@x" a function that reads the attribute x.
"""

import _ast as ast
import builtins

MOST_PARTS = 10  # of a dotted name
MOST_NAMES = 24  # of meanings of one name
MOST_DEPTH = 150  # of nested expressions that are followed
MOST_STEPS = 200_000  # of expressions that are looked at; the most that one of 600 honest files needs is 26,000

GETTERS = ("__getattribute__", "__getattr__")
ITEM_GETTERS = ("get", "pop", "setdefault", "__getitem__")
NAMESPACES = ("builtins.globals()", "builtins.locals()", "builtins.vars()")
IMPORTERS = ("builtins.__import__", "importlib.import_module", "importlib.__import__", "importlib._bootstrap._gcd_import")
ATTRIBUTE_GETTERS = ("operator.attrgetter", "operator.methodcaller")

# What the interpreter adds to the built-in names where it loads site.
SITE = frozenset("help license copyright credits exit quit".split())

# Calls whose result is a new object of that very class, and nothing that was given to it.
NEW_OBJECTS = frozenset(
    """builtins.open io.BytesIO io.StringIO pathlib.Path pathlib.PurePath pathlib.PurePosixPath pathlib.PureWindowsPath
    pathlib.PosixPath datetime.datetime.now re.compile""".split()
)


def join(base, attr):
    if base in ("?", "!"):
        return base + "." + attr
    if base[0] in "?!@":
        return "?." + attr
    if base.count(".") >= MOST_PARTS:
        return base
    return base + "." + attr


def holds(name):
    """Tells whether a name is a dictionary of names."""
    return name in NAMESPACES or name in ("sys.modules", "builtins") or name.endswith(".__dict__")


class Names:
    """What the names of one scope are bound to."""

    __slots__ = ("kind", "outer", "sources", "elsewhere")

    def __init__(self, kind, outer):
        self.kind = kind  # module, class, function, comprehension
        self.outer = outer
        self.sources = {}  # name: list of (name of an import, "" or "typing") and of (expression or None, scope)
        self.elsewhere = {}  # name: "global" or "nonlocal"

    def bind(self, name, what, origin=None):
        self.sources.setdefault(name, []).append((what, origin))

    def inside_out(self):
        scope = self
        while scope is not None:
            yield scope
            scope = scope.outer


class Meanings:
    """Says what expressions stand for, once all bindings are known."""

    def __init__(self, fold):
        self.fold = fold
        self.module = Names("module", None)
        self.scopes = [self.module]
        self.stars = []
        self.known = {}  # (scope, name): meanings
        self.readers = {}  # (scope, name): the names whose meanings depend on it
        self.reading = None
        self.memo = {}
        self.steps = MOST_STEPS

    def scope(self, kind, outer):
        made = Names(kind, outer)
        self.scopes.append(made)
        return made

    def solve(self):
        """Takes every binding home and lets meanings grow until none does any more."""
        for scope in self.scopes:
            for name, kind in scope.elsewhere.items():
                if name in scope.sources:
                    self.home(scope, name, kind).sources.setdefault(name, []).extend(scope.sources.pop(name))
        self.memo = {}
        work = [(scope, name) for scope in self.scopes for name in scope.sources]
        waiting = set(work)
        while work and self.steps > 0:
            self.reading = key = work.pop()
            waiting.discard(key)
            old = self.known.get(key, frozenset())
            found = set(old)
            for what, origin in key[0].sources[key[1]]:
                if what is None:
                    found.add("?")
                elif isinstance(what, str):
                    found.add("~" + what if origin == "typing" else what)
                else:
                    found |= self.value(what, origin)
            if len(found) > MOST_NAMES:
                found = set(old) | {"?.?"}
            if found != old or key not in self.known:
                self.known[key] = frozenset(found)
                for reader in self.readers.get(key, ()):
                    if reader not in waiting:
                        waiting.add(reader)
                        work.append(reader)
        self.reading = None
        self.memo = {}

    def home(self, scope, name, kind):
        if kind == "nonlocal":
            for outer in scope.outer.inside_out() if scope.outer else ():
                if outer.kind == "function" and name in outer.sources and name not in outer.elsewhere:
                    return outer
        return self.module

    def lookup(self, name, scope):
        """What a name means where it is read. In a function a local binding is
        all; in a class and a module there may be none yet, or none any more."""
        found, first = set(), True
        for scope in scope.inside_out():
            if scope.kind == "module" or scope.elsewhere.get(name) == "global":
                break
            if name in scope.sources and (scope.kind != "class" or first):
                found |= self.meanings(scope, name)
                if scope.kind != "class":
                    return found
            first = first and scope.kind == "comprehension"
        if name in self.module.sources:
            found |= self.meanings(self.module, name)
        else:
            found.update(star + "." + name for star in self.stars)
        if name == "__builtins__":
            found.add("builtins")
        elif hasattr(builtins, name) or name in SITE:
            if not (name in PLAIN_BUILTINS and name in self.module.sources):
                found.add("builtins." + name)
        return found

    def meanings(self, scope, name):
        key = (scope, name)
        if self.reading is not None:
            self.readers.setdefault(key, set()).add(self.reading)
        return self.known.get(key, frozenset())

    def value(self, node, scope, depth=0):
        """Everything that an expression may stand for."""
        if self.reading is not None:
            return self.look(node, scope, depth)
        key = (id(node), id(scope))
        if key not in self.memo:
            self.memo[key] = self.look(node, scope, depth)
        return self.memo[key]

    def look(self, node, scope, depth):
        self.steps -= 1
        if depth > MOST_DEPTH or self.steps < 0:
            return {"?.?"}
        depth += 1
        if isinstance(node, ast.Name):
            return self.lookup(node.id, scope)
        if isinstance(node, ast.Attribute):
            return {join(base, node.attr) for base in self.value(node.value, scope, depth)}
        if isinstance(node, ast.Call):
            return self.result(node, scope, depth)
        if isinstance(node, ast.Subscript):
            return self.item(node.value, node.slice, scope, depth)
        if isinstance(node, (ast.Constant, ast.JoinedStr, ast.Compare)):
            return {"!"}
        if isinstance(node, (ast.NamedExpr, ast.Await, ast.Starred)):
            return self.value(node.value, scope, depth)
        if isinstance(node, ast.IfExp):
            return self.value(node.body, scope, depth) | self.value(node.orelse, scope, depth)
        if isinstance(node, ast.BoolOp):
            return set().union(*[self.value(v, scope, depth) for v in node.values])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            sides = self.value(node.left, scope, depth) | self.value(node.right, scope, depth)
            return {n for n in sides if n.startswith("pathlib.")} or {"?"}
        return {"?"}

    def item(self, holder, key, scope, depth):
        """What lies under a key of the dictionaries that hold names."""
        found = set()
        for base in self.value(holder, scope, depth):
            if holds(base):
                key = getattr(key, "value", key) if type(key).__name__ == "Index" else key  # before Python 3.9
                under = self.fold.text(key)
                if not isinstance(under, str):
                    found.add(join(base, "?"))
                elif base in NAMESPACES:
                    found |= self.lookup(under, self.module if base == "builtins.globals()" else scope)
                elif base == "sys.modules":
                    found.add(under)
                else:
                    found.add(join(base[: -len(".__dict__")] if base.endswith(".__dict__") else base, under))
            else:
                found.add(base if base[0] not in "?!@" else "?")
        return found

    def result(self, node, scope, depth):
        """What a call gives. A name stands for what comes of it, too, and most
        functions may also give back something that was given to them."""
        found, args = set(), node.args
        for name in self.value(node.func, scope, depth):
            head, _, last = name.rpartition(".")
            text = self.fold.text(args[0]) if args and (name in IMPORTERS or name in ATTRIBUTE_GETTERS) else None
            if name == "?":
                found.add("?")
            elif name in IMPORTERS and isinstance(text, str):
                found |= {text, text.split(".")[0], name + "()"}
            elif name == "builtins.getattr" and len(args) >= 2:
                found |= self.attribute(args[0], args[1], scope, depth)
                found |= self.value(args[2], scope, depth) if len(args) > 2 else set()
            elif last in GETTERS and args:
                text = self.fold.text(args[-1])
                for base in [head] if len(args) == 1 else sorted(self.value(args[0], scope, depth)):
                    found.add(join(base or "?", text if isinstance(text, str) else "?"))
            elif name == "builtins.vars" and len(args) == 1:
                found |= {join(base, "__dict__") for base in self.value(args[0], scope, depth)}
            elif last in ITEM_GETTERS and args and isinstance(node.func, ast.Attribute) and holds(head):
                found |= self.item(node.func.value, args[0], scope, depth) | {"?"}
            elif name == "functools.partial" and args:
                found |= self.value(args[0], scope, depth)
            elif name == "builtins.type" and len(args) == 1:
                found |= self.value(args[0], scope, depth) | {"?"}
            elif name in ATTRIBUTE_GETTERS and isinstance(text, str):
                found.add("@" + text)
            elif name[0] == "@":
                for base in self.value(args[0], scope, depth) if args else ["?"]:
                    for part in name[1:].split("."):
                        base = join(base, part)
                    found.add(base)
            elif name[0] in "?!":
                found.add("?")
            else:
                made = name if name.endswith("()") else name + "()"
                found |= {made} if name in NEW_OBJECTS else {made, "?"}
        return found

    def attribute(self, holder, key, scope, depth):
        names = self.strings(key, scope)
        return {join(base, name) for base in self.value(holder, scope, depth) for name in (names or ["?"])}

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
        for home in scope.inside_out():
            if home.elsewhere.get(node.id) is None and node.id in home.sources and home.kind != "class":
                texts = {self.fold.text(what) if isinstance(what, ast.expr) else None for what, _ in home.sources[node.id]}
                return texts if all(isinstance(t, str) for t in texts) and len(texts) <= MOST_NAMES else None
        return None
