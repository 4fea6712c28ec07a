"""Says what a callee is: the dotted names that an expression may stand for.

Part of the program that begins with python_scope.py; Fold has these methods.
"""

import _ast as ast

def dots(root, tail):
    return ".".join([root] + tail[::-1])


# Modules that others have as an attribute: subprocess.os is os.
CARRIED = frozenset("os sys subprocess socket builtins importlib ctypes shutil base64 urllib pathlib".split())
SAME = {"posix": "os", "nt": "os", "__builtins__": "builtins", "_io": "io", "_socket": "socket", "_ctypes": "ctypes", "__builtin__": "builtins"}
HOMES = frozenset(["pathlib.Path.home", "tempfile.gettempdir", "os.getcwd", "pathlib.Path.cwd"])
CONSTANTS = {"os.sep": "/", "os.path.sep": "/", "os.linesep": "\n", "os.pathsep": ":"}


def plain_name(full):
    """os.system for posix.system, subprocess.os.system and eval.__call__."""
    parts = full.split(".")
    if parts[0] == "builtins" and len(parts) > 1 and parts[1] == "__builtins__":
        parts = ["builtins"] + parts[2:]
    for i in range(len(parts) - 1, 0, -1):
        if parts[i] in CARRIED and parts[i - 1 : i + 1] != ["socket", "socket"]:
            parts = parts[i:]
            break
    parts[0] = SAME.get(parts[0], parts[0])
    if parts[:2] == ["io", "open"] or parts[:2] == ["codecs", "open"]:
        parts[0] = "builtins"
    while len(parts) > 1 and parts[-1] in ("__call__", "__func__", "__wrapped__"):
        parts.pop()
    return ".".join(parts)


class Meanings:
    """The part of Fold that follows names, attributes, calls and items."""

    def meanings(self, node, depth=0):
        """The dotted names that an expression may stand for: a generator, as the handlers are."""
        found = []
        self.steps -= 1
        self.exhausted = self.exhausted or self.steps < 0
        if depth > 12 or node is None or self.exhausted:
            self.cut = True
            return found
        tail = []
        while isinstance(node, ast.Attribute):
            tail.append(node.attr)
            if node.attr in self.bindings.attributes and isinstance(node.value, ast.Name) and len(tail) <= 12:
                found += [dots(f, tail[:-1]) for f in (yield from self.attribute_meanings(node.attr, depth))]
            node = node.value
        if isinstance(node, ast.Name):
            roots = yield from self.name_meanings(node, depth)
        elif isinstance(node, ast.Call):
            roots = yield from self.call_meanings(node, depth)
        elif isinstance(node, ast.Subscript):
            roots = yield from self.item_meanings(node, depth)
        elif isinstance(node, (ast.Await, ast.NamedExpr, ast.Starred)):
            roots = yield from self.meanings(node.value, depth + 1)
        elif isinstance(node, (ast.IfExp, ast.BoolOp)):
            roots = []
            for part in ([node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values)[:MAX_MEANINGS]:
                roots += yield from self.meanings(part, depth + 3)
        else:
            roots = []
        found += [dots(r, tail) for r in roots]
        return list(dict.fromkeys(f for f in map(plain_name, found) if len(f) < 400))[:MAX_MEANINGS]

    def name_meanings(self, node, depth):
        bound = self.bindings.names.get(node.id, [])
        if not bound:
            full = ["%s.%s" % (module, node.id) for module in self.bindings.stars[:MAX_MEANINGS]]
            return (["builtins." + node.id] if hasattr(builtins, node.id) or node.id == "__builtins__" else []) + full
        if node.id in self.by_name:
            return self.by_name[node.id]
        found, cut, self.cut = [], self.cut, False
        self.by_name[node.id] = found  # for a name that leads back to itself
        for kind, thing in bound[:MAX_MEANINGS]:
            if kind == "import":
                found.append(thing)
            elif kind == "value" and thing is not None and not isinstance(thing, ast.Constant):
                found += yield from self.meanings(thing, depth + (1 if len(bound) == 1 else 3))
        if self.cut:
            del self.by_name[node.id]
        self.cut = self.cut or cut
        return found

    def attribute_meanings(self, name, depth):
        if self.strict:
            return []
        if name in self.by_attribute:
            return self.by_attribute[name]
        found, cut, self.cut = [], self.cut, False
        self.by_attribute[name] = found
        for kind, thing in self.bindings.attributes[name][:MAX_MEANINGS]:
            if kind == "value" and thing is not None and not isinstance(thing, ast.Constant):
                found += yield from self.meanings(thing, depth + 3)
        if self.cut:
            del self.by_attribute[name]
        self.cut = self.cut or cut
        return found

    def call_meanings(self, node, depth):
        found = []
        for full in (yield from self.meanings(node.func, depth + 1)):
            if full in ("builtins.__import__", "importlib.import_module", "importlib.__import__") and node.args:
                module = yield node.args[0]
                if isinstance(module, str):
                    found.append(module.split(".")[0] if full.endswith("__import__") and len(node.args) < 4 and not node.keywords else module)
            elif full in ("builtins.getattr", "inspect.getattr_static", "builtins.object.__getattribute__") and len(node.args) >= 2:
                attribute = yield node.args[1]
                if isinstance(attribute, str):
                    found += [dots(f, [attribute]) for f in (yield from self.meanings(node.args[0], depth + 1))]
            elif full.endswith((".__getattribute__", ".__getattr__")) and node.args:
                attribute = yield node.args[-1]
                if isinstance(attribute, str):
                    found.append(full[: full.rindex(".")] + "." + attribute)
            elif full == "builtins.vars" and node.args:
                found += [f + ".__dict__" for f in (yield from self.meanings(node.args[0], depth + 1))]
            elif full in ("functools.partial", "functools.partial()") and node.args:
                # partial(f, x) is called as f is.
                found += yield from self.meanings(node.args[0], depth + 1)
            elif full in ("operator.attrgetter()", "operator.methodcaller()") and node.args:
                attribute = (yield node.func.args[0]) if isinstance(node.func, ast.Call) and node.func.args else NOTHING
                if isinstance(attribute, str):
                    found += [dots(f, [attribute]) for f in (yield from self.meanings(node.args[0], depth + 1))]
            else:
                found.append(full + "()")
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop", "setdefault"):
            found += yield from self.of_table(node.func.value, depth)
        return found

    def of_table(self, node, depth):
        """What the items of a table of the file stand for: {"run": os.system}["run"]."""
        if isinstance(node, ast.Name) and not self.strict:
            bound = self.bindings.names.get(node.id, [])
            node = bound[0][1] if len(bound) == 1 and bound[0][0] == "value" else None
        found = []
        parts = node.values if isinstance(node, ast.Dict) else node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
        for part in parts[:MAX_MEANINGS]:
            if isinstance(part, (ast.Name, ast.Attribute)):
                found += yield from self.meanings(part, depth + 3)
        return found

    def item_meanings(self, node, depth):
        index = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice
        found = yield from self.of_table(node.value, depth)
        for full in (yield from self.meanings(node.value, depth + 1)):
            key = NOTHING
            if full.endswith(".__dict__") or full in ("sys.modules", "builtins.globals()", "builtins.locals()", "builtins.vars()"):
                key = yield index
            if not isinstance(key, str):
                found.append(full + "[]")
            elif full == "sys.modules":
                found.append(key)
            elif full.endswith(".__dict__"):
                found.append(full[: -len("__dict__")] + key)
            else:
                found += yield from self.name_meanings(ast.Name(id=key), depth + 1)
        return found
