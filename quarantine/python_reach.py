"""Finds what importing a file reaches: processes, network, made code, writes.

Part of the program that begins with python_scope.py. Purity reports every call
at module level; this follows them through the functions of the file. Every
function that module-level code mentions in a call counts as called, with all
that it mentions itself, so a way in through a decorator, a thread, a context
manager or an operator need not be known one by one.
"""

import _ast as ast

REACHING = {"execute": "reach-execute", "unmarshal": "reach-execute", "process": "reach-process", "network": "reach-network", "install": "reach-process", "fetch_file": "reach-network", "resolve": "reach-network"}
WRITING = frozenset(["delete", "move", "make", "registry"])
# An empty folder does nothing by itself; that it is made at import is purity's.
NOT_WRITING = frozenset(["os.mkdir", "os.makedirs", "pathlib.Path().mkdir", "tempfile.NamedTemporaryFile", "winreg.OpenKey", "winreg.OpenKeyEx", "tempfile.mkdtemp", "tempfile.mkstemp", "builtins.compile", "types.CodeType"])
# Standard functions that keep or wrap a function and do not call it.
SUBCLASSED = frozenset(["__init_subclass__", "__mro_entries__", "__class_getitem__"])
REBUILDS = frozenset(["model_rebuild", "update_forward_refs"])  # of a model's class, which makes no instance
KEEPING = PURE_CALLS | PURE_DECORATORS | frozenset(
    "builtins.property builtins.staticmethod builtins.classmethod builtins.print builtins.isinstance builtins.issubclass signal.signal logging.getLogger unittest.mock.patch".split()
)


class Reach:
    def __init__(self, flow, tell):
        self.flow, self.fold, self.tell = flow, flow.fold, tell
        self.methods = {}
        self.inside = set()
        for classes in flow.classes.values():
            for node in classes:
                for part in node.body:
                    if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        self.methods.setdefault(part.name, []).append(part)

    def run(self, tree):
        for statement in tree.body:
            if isinstance(statement, ast.If) and is_guard(statement.test):
                parts = list(statement.orelse)
            else:
                parts = [statement]
            self.begin(parts)

    def begin(self, parts):
        """Collects what one statement of the module calls, and follows it."""
        reached = []
        stack = list(parts)
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for decorator in node.decorator_list:
                    func = decorator.func if isinstance(decorator, ast.Call) else decorator
                    if isinstance(func, ast.Name) and func.id in self.flow.functions:
                        layers = 2 if isinstance(decorator, ast.Call) else 1
                        if (func.id, layers) not in self.inside:
                            self.inside.add((func.id, layers))
                            reached += [(f, layers) for f in self.flow.functions[func.id]]
                    elif self.runs_what_it_gets(func):
                        reached.append(node)
                stack.extend(node.decorator_list + node.args.defaults + [d for d in node.args.kw_defaults if d is not None])
                continue
            if isinstance(node, ast.ClassDef):
                for base in node.bases:
                    if isinstance(base, ast.Name):
                        # To derive from a class makes no instance of it.
                        for above in self.flow.classes.get(base.id, [])[:MAX_MEANINGS]:
                            reached += [p for p in above.body if isinstance(p, ast.FunctionDef) and p.name in SUBCLASSED]
                bases = [b for b in node.bases if not (isinstance(b, ast.Name) and b.id in self.flow.classes)]
                for base in bases + [k.value for k in node.keywords] + node.decorator_list:
                    for part in walk(base):
                        if isinstance(part, ast.Name):
                            reached += self.named(part.id)
                stack.extend(children(node))
                continue
            if isinstance(node, ast.Lambda):
                continue
            if isinstance(node, ast.Call):
                self.direct(node)
                keeps = not self.runs_what_it_gets(node.func)
                if isinstance(node.func, ast.Attribute) and node.func.attr in REBUILDS and node.func.attr not in self.methods:
                    stack.extend(children(node))
                    continue
                for part in ([node.func] if keeps else [node.func] + node.args + [k.value for k in node.keywords]):
                    reached += self.mentioned(part)
            elif isinstance(node, ast.withitem):
                reached += self.mentioned(node.context_expr)
            elif isinstance(node, (ast.Attribute, ast.BinOp, ast.Compare, ast.Subscript, ast.For, ast.UnaryOp, ast.JoinedStr, ast.AugAssign, ast.If, ast.While, ast.Delete)):
                for made in self.instances(node):
                    reached += made
            stack.extend(children(node))
        self.follow(reached)

    def runs_what_it_gets(self, func):
        """Tells whether a call may call the functions that it is given."""
        names = self.fold.names(func)
        if not names:
            return True
        for full in names:
            if full in KEEPING or full.replace("builtins.", "", 1) in PURE_BUILTINS:
                continue
            if full.split(".")[0].split("(")[0] in STDLIB | {"builtins"}:
                return True
        return False

    def mentioned(self, node):
        """The functions that an expression names, and those of the classes that it names."""
        found, stack = [], [node]
        while stack:
            part = stack.pop()
            if isinstance(part, ast.Name):
                found += self.named(part.id)
            elif isinstance(part, ast.Attribute):
                found += self.named("." + part.attr)
                stack.append(part.value)
            elif isinstance(part, ast.Lambda):
                found.append(part)
            elif not isinstance(part, ast.Call):
                stack.extend(children(part))
        return found

    def named(self, name):
        """What a name stands for, each name once for the whole file."""
        if name in self.inside:
            return []
        self.inside.add(name)
        if name.startswith("."):
            return self.methods.get(name[1:], [])
        return self.flow.functions.get(name, []) + self.special(name) + self.behind(name)

    def behind(self, name):
        """The functions behind another name: run = go."""
        found = []
        for kind, thing in self.fold.bindings.names.get(name, [])[:MAX_MEANINGS]:
            if kind == "value" and isinstance(thing, ast.Name) and thing.id != name:
                found += self.flow.functions.get(thing.id, []) + self.special(thing.id)
            elif kind == "value" and isinstance(thing, ast.Lambda):
                found.append(thing)
        return found

    def special(self, name):
        """The methods that Python calls by itself, for a class of the file."""
        found = []
        for node in self.flow.classes.get(name, [])[:MAX_MEANINGS]:
            found += [p for p in node.body if isinstance(p, (ast.FunctionDef, ast.AsyncFunctionDef)) and p.name.startswith("__")]
            for base in node.bases:
                if isinstance(base, ast.Name) and base.id != name:
                    found += [p for c in self.flow.classes.get(base.id, [])[:MAX_MEANINGS] for p in c.body if isinstance(p, (ast.FunctionDef, ast.AsyncFunctionDef)) and p.name.startswith("__")]
        return found

    def instances(self, node):
        """Special methods and properties of what is used by an operator or a point."""
        for part in children(node):
            if isinstance(part, ast.Name):
                for kind, thing in self.fold.bindings.names.get(part.id, [])[:MAX_MEANINGS]:
                    if kind == "value" and isinstance(thing, ast.Call) and isinstance(thing.func, ast.Name) and thing.func.id in self.flow.classes:
                        yield self.named(thing.func.id)
                        if isinstance(node, ast.Attribute):
                            yield self.named("." + node.attr)

    def follow(self, reached):
        """Goes through functions, each once for the whole file.

        An item is a function, or (function, n) for a decorator of which n layers
        run while it is applied; what such a layer returns is run only later.
        """
        stack = [r if isinstance(r, tuple) else (r, 0) for r in reached]
        while stack:
            function, layers = stack.pop()
            if (id(function), layers) in self.inside:
                continue
            self.inside.add((id(function), layers))
            for decorator in getattr(function, "decorator_list", []):
                stack += [(f, 0) for f in self.mentioned(decorator.func if isinstance(decorator, ast.Call) else decorator)]
            parts = list(function.body) if isinstance(function.body, list) else [function.body]
            later = self.returned(parts) if layers else set()
            while parts:
                node = parts.pop()
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in later:
                    if layers > 1:
                        stack.append((node, layers - 1))
                    parts.extend(node.decorator_list + node.args.defaults)
                    continue
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Name) and node.value.id in later:
                    continue
                if isinstance(node, ast.Call):
                    self.direct(node)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    stack += [(f, 0) for f in self.named(node.id)]
                elif isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Call)):
                    stack += [(f, 0) for f in self.named("." + node.attr)]
                parts.extend(children(node))

    def returned(self, body):
        """The nested functions of a decorator that it returns and mentions nowhere else."""
        own = {p.name for p in body if isinstance(p, (ast.FunctionDef, ast.AsyncFunctionDef))}
        back = {p.value.id for p in body if isinstance(p, ast.Return) and isinstance(p.value, ast.Name)}
        stack, used = [p for p in body if not (isinstance(p, ast.Return) and isinstance(p.value, ast.Name))], set()
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name):
                used.add(node.id)
            stack.extend(children(node))
        return own & back - used

    def direct(self, node):
        """Reports a call that does something outside of the file."""
        names = self.fold.names(node.func)
        if "builtins.open" in names:
            mode = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "mode"), None)
            text = "r" if mode is None else self.fold.loose(mode) if not isinstance(mode, ast.Constant) else mode.value
            if not isinstance(text, str) or any(c in text for c in "wax+"):
                self.tell("reach-write", node, names[0])
            return
        kinds = self.flow.calls(node)
        for kind in sorted(kinds):
            if kind in REACHING and not set(names) & NOT_WRITING:
                self.tell(REACHING[kind], node, names[0])
            elif kind in WRITING and not set(names) & NOT_WRITING:
                self.tell("reach-write", node, names[0])
