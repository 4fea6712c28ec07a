"""Says what the names of a Python module mean, from its syntax tree alone.

First part of the program that program.go joins from python_scope.py,
python_purity.py and python_facts.py.
"""

import _ast as ast
import builtins
import sys


def stdlib_names():
    names = getattr(sys, "stdlib_module_names", None)
    if names is not None:
        return frozenset(names)
    import os

    found = set(sys.builtin_module_names)  # before 3.10: what lies in the library's folder
    home = os.path.dirname(os.__file__)
    for folder in (home, os.path.join(home, "lib-dynload")):
        try:
            entries = os.listdir(folder)
        except OSError:
            continue
        found.update(e.split(".")[0] for e in entries if e not in ("site-packages", "dist-packages", "__pycache__"))
    return frozenset(found)


STDLIB = stdlib_names()


MAX_TEXT = 200


def clip(text, limit=MAX_TEXT):
    """Bounds a text and replaces what JSON or UTF-8 cannot carry."""
    text = text if len(text) <= limit else text[:limit] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")


def dotted(node):
    """The parts of a.b.c from the root on, or None for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return parts[::-1]


def target_names(node):
    """The names that an assignment target binds."""
    stack, names = [node], []
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            names.append(node.id)
        elif isinstance(node, (ast.Tuple, ast.List)):
            stack.extend(node.elts)
        elif isinstance(node, ast.Starred):
            stack.append(node.value)
    return names


def every(tree):
    """All nodes of a tree, parents first; a tree is taken apart once."""
    if not hasattr(tree, "every"):
        tree.every = list(walk(tree))
    return tree.every


def blocks(node):
    """The statements directly inside a compound statement."""
    for field in ("body", "orelse", "finalbody"):
        yield from getattr(node, field, [])
    for handler in getattr(node, "handlers", []):
        yield from handler.body
    for case in getattr(node, "cases", []):
        yield from case.body


def is_guard(test):
    """Tells whether a condition begins with __name__ == "__main__"."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        test = test.values[0]
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return False
    sides = [test.left, test.comparators[0]]
    return any(isinstance(s, ast.Name) and s.id == "__name__" for s in sides) and any(
        isinstance(s, ast.Constant) and s.value == "__main__" for s in sides
    )


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Scope:
    """What the names of a module (or of a class in it) are bound to.

    A name with one meaning only can be looked up; a name that is bound twice
    with different meanings is the file's own, whatever it once was.
    """

    def __init__(self):
        self.bound = {}
        self.times = {}
        self.star = False

    def bind(self, name, meaning):
        self.bound[name] = meaning if self.bound.get(name, meaning) == meaning else "own"
        self.times[name] = self.times.get(name, 0) + 1

    def collect(self, body):
        stack = list(body)
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname:
                        self.bind(alias.asname, "import " + alias.name)
                    else:
                        top = alias.name.split(".")[0]
                        self.bind(top, "import " + top)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.star = self.star or alias.name == "*"
                    self.bind(alias.asname or alias.name, "import %s%s.%s" % ("." * node.level, node.module or "", alias.name))
            elif isinstance(node, DEFINITIONS):
                self.bind(node.name, "own")
                continue
            stack.extend(blocks(node))
            for handler in getattr(node, "handlers", []):
                if handler.name:
                    self.bind(handler.name, "own")
            for target in getattr(node, "targets", []) + [getattr(node, "target", None)]:
                if target is not None:
                    for name in target_names(target):
                        self.bind(name, "own")
            for item in getattr(node, "items", []):
                if getattr(item, "optional_vars", None) is not None:
                    for name in target_names(item.optional_vars):
                        self.bind(name, "own")

    def inner(self, body):
        scope = Scope()
        scope.bound, scope.times, scope.star = dict(self.bound), dict(self.times), self.star
        scope.collect(body)
        return scope

    def resolve(self, parts):
        """("import", "os.system"), ("builtin", "print") or ("own", "x.y")."""
        name = ".".join(parts)
        meaning = self.bound.get(parts[0])
        if self.star:
            return "own", name  # a star import may have bound it anew
        if meaning is None:
            return ("builtin" if hasattr(builtins, parts[0]) else "own"), name
        if meaning == "own":
            return "own", name
        full = ".".join([meaning[len("import ") :]] + parts[1:])
        if full.startswith("typing_extensions."):
            full = full[: len("typing")] + full[len("typing_extensions") :]
        return "import", full
