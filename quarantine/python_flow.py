"""Follows values through a file: what is downloaded, decoded, secret.

Part of the program that begins with python_scope.py. Flow is insensitive to the
order of lines and to conditions, so no dead branch and no test can hide it; it
is told apart by scopes, so that two functions may both call something "data".
"""

import _ast as ast

# What a value may hold, as bits.
DOWNLOADED, DECODED, ENVIRONMENT, IDENTITY, PRIVATE, FILE, DROPPED, SENSITIVE_PATH, PERSISTENT_PATH, ENCRYPTED, SOCKET, OWN_SOURCE, VARIABLE, HARVEST = (
    1 << i for i in range(14)
)
# What is passed on by the result of a call that somebody else answers.
MAX_ROUNDS = 12
ENVIRONS = frozenset(["os.environ", "os.environb", "posix.environ", "nt.environ"])
EMPTY_TABLE = {}
RAISED = ("raised", "")  # the key of what exceptions carry
MAX_REACHED = 40
CAPTURES = frozenset(["MatchAs", "MatchStar", "MatchMapping"])


class Place:
    """A scope: the module, a class, a function or a lambda."""

    def __init__(self, node, above):
        self.node, self.above, self.own = node, above, set()
        self.globals = set()


class Flow:
    """The flags of every node and the scope and parent of each.

    nodes are in an order in which parents come before what they hold.
    """

    def __init__(self, tree, fold):
        self.fold = fold
        self.nodes, self.parents, self.scopes = [], [], []
        self.at = {}
        self.vars = {}
        self.kinds = {}
        self.functions = {}
        self.classes = {}
        self.returns = {}
        self.printed = {}
        self.environ = {n for n, found in fold.bindings.imported.items() if not found.isdisjoint(ENVIRONS)}
        self.lay_out(tree)

    def lay_out(self, tree):
        module = Place(tree, None)
        self.module = module
        stack = [(tree, -1, module)]
        while stack:
            node, parent, scope = stack.pop()
            here = len(self.nodes)
            self.at[id(node)] = here
            self.nodes.append(node)
            self.parents.append(parent)
            self.scopes.append(scope)
            inner = scope
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                scope.own.add(node.name)
                inner = Place(node, scope)
                if isinstance(node, ast.ClassDef):
                    self.classes.setdefault(node.name, []).append(node)
                else:
                    self.functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.Lambda):
                inner = Place(node, scope)
            elif isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    scope.own.add(node.id)
            elif isinstance(node, ast.arg):
                scope.own.add(node.arg)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                scope.globals.update(node.names)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                scope.own.add(node.name)
            elif type(node).__name__ in CAPTURES:
                scope.own.add(getattr(node, "rest", None) or getattr(node, "name", None))
            for field in node._fields:
                value = getattr(node, field, None)
                # Decorators, defaults and bases belong to where the definition stands.
                place = inner if field in ("body", "args") else scope
                if isinstance(value, list):
                    for part in value:
                        if isinstance(part, ast.AST):
                            stack.append((part, here, place))
                elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                    stack.append((value, here, place))

    def variable(self, name, scope):
        """The key of a name in a scope: where it is bound, as Python looks it up."""
        first = True
        while scope is not self.module:
            if name in scope.globals:
                scope = self.module
                break
            if name in scope.own and (first or not isinstance(scope.node, ast.ClassDef)):
                break
            first = False
            scope = scope.above
        return id(scope), name

    def calls(self, node):
        """The words of CALLS for what a call calls, with "network" among them."""
        key = id(node)
        if key not in self.kinds:
            found = set()
            for full in self.fold.names(node.func):
                found |= kinds_of(full)
            self.kinds[key] = found
        return self.kinds[key]

    def flags(self, node):
        index = self.at.get(id(node)) if node is not None else None
        return self.held[index] if index is not None else 0

    def run(self, literals):
        """Finds the flags; literals are those of constants, by the id of the node."""
        self.held = [0] * len(self.nodes)
        busy = [i for i in range(len(self.nodes) - 1, -1, -1) if type(self.nodes[i]).__name__ in STEPS or id(self.nodes[i]) in literals]
        steps = [(i, self.nodes[i], getattr(self, STEPS.get(type(self.nodes[i]).__name__, "plain"))) for i in busy]
        for _ in range(MAX_ROUNDS):
            self.changed = False
            for i, node, step in steps:
                self.held[i] = step(i, node) | literals.get(id(node), 0)
            if not self.changed:
                break
        else:
            self.fold.exhausted = True

    def put(self, key, flags):
        if flags & ~self.vars.get(key, 0):
            self.vars[key] = self.vars.get(key, 0) | flags
            self.changed = True

    def assign(self, target, flags):
        if not flags:
            return
        stack = [target]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name):
                self.put(self.variable(node.id, self.scopes[self.at[id(node)]]), flags)
            elif isinstance(node, ast.Attribute):
                self.put(node.attr, flags)
            elif isinstance(node, (ast.Tuple, ast.List)):
                stack.extend(node.elts)
            elif isinstance(node, (ast.Starred, ast.Subscript)):
                stack.append(node.value)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.put(("text", node.value), flags)  # a path that is written twice

    # One step per kind of node; each returns the flags of the node's value.

    def plain(self, i, node):
        total = 0
        for child in children(node):
            total |= self.flags(child)
        return total

    def nothing(self, i, node):
        return 0

    def name(self, i, node):
        if not isinstance(node.ctx, ast.Load):
            return 0
        flags = self.vars.get(self.variable(node.id, self.scopes[i]), 0)
        return flags | (ENVIRONMENT if node.id in self.environ else 0) | (OWN_SOURCE if node.id == "__file__" else 0)

    def attribute(self, i, node):
        if not isinstance(node.ctx, ast.Load):
            return 0
        flags = self.flags(node.value) | self.vars.get(node.attr, 0)
        if node.attr in ("environ", "environb") and not ENVIRONS.isdisjoint(self.fold.names(node)):
            flags |= ENVIRONMENT
        if node.attr == "__doc__":
            flags |= OWN_SOURCE
        return flags | (PRIVATE if node.attr == "f_locals" else 0)  # what those who called keep

    def subscript(self, i, node):
        flags = self.flags(node.value)
        return flags & ~ENVIRONMENT | (VARIABLE if flags & ENVIRONMENT else 0) | self.flags(node.slice) & (SENSITIVE_PATH | PERSISTENT_PATH)

    def call(self, i, node):
        kinds = self.calls(node)
        given = 0
        for arg in node.args:
            given |= self.flags(arg)
        for keyword in node.keywords:
            if keyword.arg != "env":  # a process gets the environment as it is
                given |= self.flags(keyword.value)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        base = self.flags(node.func.value) if isinstance(node.func, ast.Attribute) else self.flags(node.func)
        names = self.fold.names(node.func)
        self.effects_of_call(node, given, method, names)
        if method in SOCKET_FACTS and base & SOCKET:
            return 0
        if "network" in kinds:
            return DOWNLOADED | (SOCKET if any(n.startswith("socket.") for n in names) else 0)
        if method in ("recv", "recvfrom", "recv_into", "makefile") and base & SOCKET:
            return DOWNLOADED | SOCKET
        if method in ("get", "pop", "setdefault", "keys", "update", "clear", "__getitem__", "__contains__"):
            base = base & ~ENVIRONMENT | (VARIABLE if base & ENVIRONMENT else 0)  # one variable, or none
        flags = base | given
        if "os.getenv" in names:
            flags |= VARIABLE
        if "process" in kinds:
            flags |= self.prints(node)
        if "resolve" in kinds:
            flags |= DOWNLOADED
        if ("walk" in kinds or method in ("rglob", "glob", "iterdir")) and self.walks_home(node, method):
            flags |= HARVEST
        if not ENVIRONS.isdisjoint(names):
            flags |= ENVIRONMENT
        if any(n.startswith("socket.socket") for n in names):
            flags |= SOCKET
        if "decode" in kinds:
            flags |= DECODED
        if "encrypt" in kinds:
            flags |= ENCRYPTED
        if "identity" in kinds:
            flags |= IDENTITY
        if kinds & {"screen", "clipboard"}:
            flags |= PRIVATE
        if "builtins.open" in names or method in ("read_text", "read_bytes", "open"):
            paths = given | base
            flags = FILE | (PRIVATE if paths & (SENSITIVE_PATH | HARVEST | PRIVATE) else 0) | flags & (DROPPED | OWN_SOURCE | SENSITIVE_PATH | PERSISTENT_PATH)
        if set(names) & NO_VALUE:
            return 0
        return flags | self.answer_of_own(node, names)

    def prints(self, node):
        """What the output of a command is, where the command says so."""
        if id(node) not in self.printed:
            text, flags = command_text(self.fold, node)[:4096], 0
            if text and COMMAND_WORDS.search(text):
                for pattern, flag in ((PRINTS_IDENTITY, IDENTITY), (PRINTS_ENVIRONMENT, ENVIRONMENT), (PRINTS_ANSWER, DOWNLOADED), (PRINTS_SECRET, PRIVATE)):
                    flags |= flag if pattern.search(text) else 0
            self.printed[id(node)] = flags
        return self.printed[id(node)]

    def walks_home(self, node, method):
        if id(node) not in self.printed:
            below = node.func.value if method in ("rglob", "iterdir") and isinstance(node.func, ast.Attribute) else node.args[0] if node.args else None
            if method == "glob" and not any(n.startswith("glob.") for n in self.fold.names(node.func)):
                below = node.func.value
            self.printed[id(node)] = home_root(self.fold, below)
        return self.printed[id(node)]

    def answer_of_own(self, node, names):
        """What own functions of that name return, and what they are given."""
        func, total = node.func, 0
        name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
        own = self.functions.get(name, EMPTY_TABLE) if not names or isinstance(func, ast.Name) else EMPTY_TABLE
        own = [func] if isinstance(func, ast.Lambda) else own
        if len(own) > MAX_REACHED:
            self.fold.exhausted = True  # nobody gives one name to so many functions
        for definition in own if len(own) <= MAX_REACHED else ():
            total |= self.returns.get(id(definition), 0)
            args = getattr(definition.args, "posonlyargs", []) + definition.args.args
            skip = 1 if isinstance(func, ast.Attribute) and args and args[0].arg in ("self", "cls") else 0
            scope = self.scopes[self.at[id(args[0])]] if args else None
            for parameter, arg in zip(args[skip:], node.args):
                self.put((id(scope), parameter.arg), self.flags(arg))
            for keyword in node.keywords:
                if keyword.arg and any(a.arg == keyword.arg for a in args):
                    self.put((id(scope), keyword.arg), self.flags(keyword.value))
        return total

    def effects_of_call(self, node, given, method, names):
        """A call may also change what its arguments and its object stand for."""
        kinds = self.calls(node)
        if "fetch_file" in kinds and len(node.args) > 1:
            self.assign(node.args[1], DROPPED)
        for keyword in node.keywords if "fetch_file" in kinds else []:
            if keyword.arg in ("filename", "out"):
                self.assign(keyword.value, DROPPED)
        if method in ("write", "write_bytes", "write_text", "writelines") and given & (DOWNLOADED | DECODED):
            self.drop(node.func.value)
        if "os.write" in names and len(node.args) > 1 and self.flags(node.args[1]) & (DOWNLOADED | DECODED):
            self.drop(node.args[0])
        if method in ("save", "dump", "tofile") and isinstance(node.func, ast.Attribute) and node.args and self.flags(node.func.value) & PRIVATE:
            self.assign(node.args[0], PRIVATE)
        if method in ("append", "extend", "add", "update", "insert", "setdefault", "put", "write", "appendleft") and given:
            self.assign(node.func.value, given)
        if "move" in kinds and len(node.args) > 1 and self.flags(node.args[0]) & (DROPPED | PRIVATE | SENSITIVE_PATH):
            self.assign(node.args[1], self.flags(node.args[0]) & (DROPPED | SENSITIVE_PATH))
        if "resolve" not in kinds and method in ("recv_into", "readinto") and node.args:
            self.assign(node.args[0], DOWNLOADED)

    def drop(self, target):
        """Marks the path of a file that was written with what came from elsewhere."""
        self.assign(target, DROPPED)
        if isinstance(target, ast.Name):
            for kind, thing in self.fold.bindings.names.get(target.id, [])[:MAX_MEANINGS]:
                if kind == "value" and isinstance(thing, ast.Call):
                    target = thing
                    self.opened(target)
        elif isinstance(target, ast.Call):
            self.opened(target)

    def opened(self, call):
        for part in call.args[:1]:
            self.assign(part, DROPPED)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "open":
            self.assign(call.func.value, DROPPED)

    def assignment(self, i, node):
        flags = self.flags(node.value) if node.value is not None else 0
        for target in getattr(node, "targets", None) or [node.target]:
            self.assign(target, flags)
        return flags if isinstance(node, ast.NamedExpr) else 0

    def loop(self, i, node):
        self.assign(node.target, self.flags(node.iter))
        return 0

    def matched(self, i, node):
        """Every name that a pattern binds may hold what is matched."""
        flags, stack = self.flags(node.subject), [case.pattern for case in node.cases]
        while stack and flags:
            part = stack.pop()
            for name in (getattr(part, "name", None), getattr(part, "rest", None)):
                if isinstance(name, str):
                    self.put(self.variable(name, self.scopes[i]), flags)
            stack.extend(children(part))
        return 0

    def raised(self, i, node):
        """What was fetched or decoded may be carried by an exception."""
        self.put(RAISED, self.flags(node.exc) & (DOWNLOADED | DECODED))
        return 0

    def caught(self, i, node):
        if node.name and self.vars.get(RAISED):
            self.put(self.variable(node.name, self.scopes[i]), self.vars[RAISED])
        return 0

    def with_item(self, i, node):
        if node.optional_vars is not None:
            self.assign(node.optional_vars, self.flags(node.context_expr))
        return 0

    def comprehension(self, i, node):
        total = 0
        for loop in node.generators:
            total |= self.flags(loop.iter)
        for part in (getattr(node, "elt", None), getattr(node, "key", None), getattr(node, "value", None)):
            total |= self.flags(part)
        return total

    def give_back(self, i, node):
        flags = self.flags(node.value)
        scope = self.scopes[i]
        if flags & ~self.returns.get(id(scope.node), 0):
            self.returns[id(scope.node)] = self.returns.get(id(scope.node), 0) | flags
            self.changed = True
        return flags


STEPS = dict.fromkeys("BinOp BoolOp JoinedStr FormattedValue Dict List Tuple Set Starred Await keyword Lambda UnaryOp Slice Index ExtSlice".split(), "plain")
STEPS.update(dict.fromkeys("Assign AnnAssign AugAssign NamedExpr".split(), "assignment"))
STEPS.update(dict.fromkeys("For AsyncFor".split(), "loop"), comprehension="loop", withitem="with_item")
STEPS.update(dict.fromkeys("ListComp SetComp DictComp GeneratorExp".split(), "comprehension"))
STEPS.update(dict.fromkeys("Return Yield YieldFrom".split(), "give_back"))
STEPS.update(Match="matched", Raise="raised", ExceptHandler="caught")
STEPS.update(Name="name", Attribute="attribute", Subscript="subscript", Call="call", IfExp="plain")

# What these methods of a socket tell is its own state, and nothing that somebody sent.
SOCKET_FACTS = frozenset("getsockname getpeername getsockopt gettimeout".split())

# Calls whose result tells next to nothing of what they were given.
NO_VALUE = frozenset("builtins.len builtins.bool builtins.isinstance builtins.hash builtins.id builtins.print os.path.exists os.path.isfile os.path.isdir os.path.getsize builtins.any builtins.all builtins.type logging.getLogger().info".split())


def kinds_of(full):
    """The words of CALLS for one dotted name."""
    found = CALLS.get(full, set())
    if any(full.startswith(m + ".") or full.startswith(m + "(") for m in module_prefixes(full)):
        if not LOCAL.search(full) and not found & {"identity"} and (full.endswith(")") or "." in full):
            found = found | {"network"}
    return found


def module_prefixes(full):
    parts = full.split(".")
    for n in (1, 2):
        module = ".".join(parts[:n])
        if module in NETWORK:
            yield module
