"""Says what each name of a file is bound to, in any scope.

Part of the program that begins with python_scope.py.
"""

import _ast as ast


BINDING = frozenset(
    [ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign]
    + [ast.arg, ast.arguments, ast.For, ast.AsyncFor, ast.comprehension, ast.withitem, ast.ExceptHandler, ast.Delete]
)


class Bindings:
    """What each name and each attribute of the file is bound to, in any scope.

    names["x"] and attributes["x"] are lists of ("import", "os.path"),
    ("value", node) and ("own", node).
    """

    def __init__(self, tree):
        self.names, self.attributes, self.stars = {}, {}, []
        self.imported = {}  # what each name is that an import binds
        for node in every(tree):
            if type(node) in BINDING or type(node).__name__.startswith("Match"):
                self.note(node)

    def bind(self, name, kind, thing):
        if kind == "import":
            self.imported.setdefault(name, set()).add(thing)
        self.names.setdefault(name, []).append((kind, thing))

    def note(self, node):
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name if alias.asname else alias.name.split(".")[0]
                self.bind(alias.asname or full, "import", full)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append(node.module or "")
                else:
                    full = "%s%s.%s" % ("." * node.level, node.module or "", alias.name)
                    self.bind(alias.asname or alias.name, "import", full)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.bind(node.name, "own", node)
            for part in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(part, (ast.Assign, ast.AnnAssign)):
                    for target in getattr(part, "targets", None) or [part.target]:
                        for name in target_names(target):
                            self.attributes.setdefault(name, []).append(("value", part.value))
                elif isinstance(part, DEFINITIONS):
                    self.attributes.setdefault(part.name, []).append(("own", part))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.target(target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            self.target(node.target, node.value)
        elif isinstance(node, ast.AugAssign):
            self.target(node.target, None)
        elif isinstance(node, ast.arg):
            self.bind(node.arg, "own", node)
        elif isinstance(node, ast.arguments):
            self.defaults(node)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self.target(node.target, None)
        elif isinstance(node, ast.withitem):
            self.target(node.optional_vars, node.context_expr)
        elif isinstance(node, ast.ExceptHandler):
            self.bind(node.name, "own", node)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self.target(target, None)
        else:
            name = getattr(node, "rest", None) or getattr(node, "name", None)
            if type(node).__name__.startswith("Match") and isinstance(name, str):
                self.bind(name, "own", node)

    def defaults(self, node):
        """A parameter may stand for the function that is its default: def go(run=exec)."""
        args = getattr(node, "posonlyargs", []) + node.args
        pairs = list(zip(args[len(args) - len(node.defaults) :], node.defaults)) + list(zip(node.kwonlyargs, node.kw_defaults))
        for arg, default in pairs:
            if isinstance(default, (ast.Name, ast.Attribute)):
                self.bind(arg.arg, "value", default)

    def target(self, target, value):
        pairs = [(target, value)]
        while pairs:
            target, value = pairs.pop()
            if isinstance(target, (ast.Tuple, ast.List)):
                same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
                same = same and not any(isinstance(e, ast.Starred) for e in target.elts + value.elts)
                pairs.extend(zip(target.elts, value.elts if same else [None] * len(target.elts)))
            elif isinstance(target, ast.Starred):
                pairs.append((target.value, None))
            elif isinstance(target, (ast.Name, ast.Attribute)):
                kind = "own" if value is None else "value"
                if isinstance(target, ast.Name):
                    self.bind(target.id, kind, value)
                else:
                    self.attributes.setdefault(target.attr, []).append((kind, value))
