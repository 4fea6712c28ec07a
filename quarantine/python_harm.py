"""Finds harm that shows in what calls do together: taps, harvests, switched-off protection.

Part of the program that begins with python_scope.py; Threats has these methods.
"""


# What a command prints, by the command; the flags go to the value of the call.
PRINTS_IDENTITY = Late(r"(?:^|[;&|(`]\s*|/)(?:whoami|hostname|id|ifconfig|ipconfig|ip\s+a(?:ddr)?|systeminfo|uname\s+-[an])(?:\s|;|$)")
PRINTS_ENVIRONMENT = Late(r"(?:^|[;&|(`]\s*|/)(?:printenv|env|export\s+-p|set)\s*(?:$|[;|&>])")
PRINTS_ANSWER = Late(r"(?:^|[;&|(`]\s*|/)(?:dig|nslookup|host|curl|wget)\s")
PRINTS_SECRET = Late(r"\b(?:security\s+(?:find-(?:generic|internet)-password|dump-keychain|export)|gcloud\s+auth\s[^\n]{0,80}print-(?:access|identity)-token|gh\s+auth\s+token|az\s+account\s+get-access-token|aws\s+configure\s+(?:get|export)|kubectl\s+(?:get\s+secret|config\s+view\s+--raw)|trufflehog\s+filesystem\s+[/~](?:\s|$))")
COMMAND_WORDS = Late(r"whoami|hostname|\bid\b|config|\bip\b|systeminfo|uname|env|export|\bset\b|\bdig\b|nslookup|\bhost\b|curl|wget|security|auth|get|trufflehog")

# The roots of everything that a user has. Whoever walks them reads what nobody gave.
HOME_ROOT = Late(r"^(?:/|~|/home|/Users|/root|[A-Za-z]:[\\/]+(?:Users)?|~?/(?:\S*/)?(?:Documents|Desktop|Downloads)|%USERPROFILE%|/home/\*/.*|~/\*\*/.*)/?$")
DEVICE = Late(r"^/dev/(?:sd|hd|nvme|vd|xvd|mmcblk|r?disk|mem$|kmem)|^\\\\\.\\PhysicalDrive", 2)
FIXED_HOST = Late(r"^https?://[^\ufffc/]+")
LOOPBACK = Late(r"^https?://(?:localhost|127\.|\[::1|0\.0\.0\.0)")
PROTOCOL = Late(r"\bmining\.(?:subscribe|authorize|submit)\b")
PRELOADS = frozenset(["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"])
MAIL = Late(r"^[^@\s<>]{1,64}@[\w-]+(?:\.[\w-]+)+$")
RECORDERS = frozenset(
    """sys.addaudithook sys.settrace sys.setprofile threading.settrace threading.setprofile threading.settrace_all_threads
    sys.monitoring.register_callback sys.monitoring.set_events sys.meta_path.insert sys.meta_path.append sys.meta_path.clear sys.path_hooks.insert
    sys.path_hooks.append""".split()
)
NATIVE_RECORDERS = frozenset("PySys_AddAuditHook PySys_ClearAuditHooks PySys_Audit PyEval_SetTrace PyEval_SetProfile _PyRuntime ptrace process_vm_writev IsDebuggerPresent CheckRemoteDebuggerPresent".split())
LOADERS = frozenset("ctypes.CDLL ctypes.PyDLL ctypes.cdll.LoadLibrary ctypes.WinDLL ctypes.windll.LoadLibrary ctypes.OleDLL _ctypes.dlopen".split())
TUNNELS = frozenset("pyngrok.ngrok.connect ngrok.connect ngrok.forward pyngrok.ngrok.NgrokTunnel".split())
OWN_FILE_CALLS = frozenset("os.path.abspath os.path.realpath pathlib.Path pathlib.Path().resolve pathlib.Path().absolute builtins.str os.fspath".split())
REDUCERS = frozenset(["__reduce__", "__reduce_ex__"])
TRUSTED = frozenset("builtins hashlib hmac secrets ssl".split())
PAYLOADS = frozenset("data json files params content body".split())


def home_root(fold, node):
    """Tells whether a path is the root of somebody's files."""
    if node is None:
        return False
    names = fold.names(node)
    if "pathlib.Path.home()" in names:
        return True
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else fold.loose(node)
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    if not isinstance(text, str):
        return "os.path.expanduser()" in names and isinstance(node, ast.Call) and node.args and home_root(fold, node.args[0])
    if text.startswith(GAP) and given_folder(fold, node):
        return False
    return bool(HOME_ROOT.search(text.replace(GAP + "/", "~/", 1)))


def given_folder(fold, node):
    """Tells whether a path begins with what a function was given, and nothing else of that name."""
    for _ in range(12):
        if isinstance(node, ast.Call) and node.args:
            node = node.args[0]
        elif isinstance(node, ast.JoinedStr) and node.values:
            node = node.values[0]
        elif isinstance(node, ast.FormattedValue):
            node = node.value
        elif isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, ast.Name):
            found = fold.bindings.names.get(node.id, [])
            if found and all(isinstance(thing, ast.arg) for _, thing in found):
                return True
            if len(found) != 1 or found[0][0] != "value":
                return False
            node = found[0][1]
        else:
            return False
    return False


def command_text(fold, node):
    """The text of the command that a call starts, as far as it is constant."""
    command = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in ("args", "cmd", "command")), None)
    if isinstance(command, (ast.List, ast.Tuple)):
        return " ".join(fold.loose(p) if not isinstance(p, ast.Constant) else str(p.value) for p in command.elts[:20] if isinstance(p, ast.Constant) or fold.loose(p))
    if command is None:
        return ""
    text = command.value if isinstance(command, ast.Constant) else fold.loose(command)
    return text if isinstance(text, str) else ""


def from_inputs(threats, node):
    """Tells whether a value is nothing but what callers gave: parameters, and parts of them.

    A function of the file that is called here passes on what it is called with.
    """
    stack, seen = [node], set()
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if len(seen) > 60:
            return False
        if isinstance(part, (ast.Subscript, ast.Starred, ast.Attribute)) and not isinstance(getattr(part, "value", None), ast.Constant):
            stack.append(part.value)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in ("get", "split", "strip") and not threats.fold.names(part.func):
            if len(part.args) > 1 and threats.fold.value(part.args[1], strict=False) not in (None, "", []):
                return False
            stack.append(part.func.value)
        elif isinstance(part, ast.Call) and threats.fold.names(part.func) and set(threats.fold.names(part.func)) <= {"shlex.quote", "builtins.str", "builtins.list"} and part.args:
            stack.append(part.args[0])
        elif isinstance(part, ast.Name):
            found = threats.fold.bindings.names.get(part.id, [])
            if not found or len(found) > MAX_MEANINGS:
                return False
            for kind, thing in found:
                if threats.of_class(thing):
                    continue  # a field of a class is no name of its methods
                if isinstance(thing, ast.arg):
                    given = threats.given_to(thing)
                    if given is None:
                        return False
                    stack.extend(given)
                elif kind == "value" and thing is not None:
                    stack.append(thing)
                elif kind == "own" and thing is None and part.id in threats.loops:
                    stack.extend(threats.loops[part.id])
                else:
                    return False
        else:
            return False
    return True


def job_from_inputs(threats, node):
    """Tells whether a table of jobs is what it was, and what callers gave.

    Its constant parts are blanks and comments, so that no command stands in the
    file; what a command prints is taken for the table as it was only from crontab -l.
    """
    stack, seen, given, written = [node], set(), False, 0
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if len(seen) > 200:
            return False
        if isinstance(part, ast.Constant):
            written += len(part.value.strip()) if isinstance(part.value, (str, bytes)) else 0
            if written > MAX_WRITTEN:
                return False
        elif isinstance(part, ast.JoinedStr):
            stack.extend(v.value if isinstance(v, ast.FormattedValue) else v for v in part.values)
        elif isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Add, ast.Mod)):
            stack.extend([part.left, part.right])
        elif isinstance(part, ast.IfExp):
            stack.extend([part.body, part.orelse])
        elif isinstance(part, ast.BoolOp):
            stack.extend(part.values)
        elif isinstance(part, (ast.List, ast.Tuple)):
            stack.extend(part.elts)
        elif isinstance(part, (ast.ListComp, ast.GeneratorExp)):
            stack.append(part.elt)
            stack.extend(g.iter for g in part.generators)
        elif isinstance(part, (ast.Starred, ast.Subscript, ast.Attribute)):
            stack.append(part.value)
        elif isinstance(part, ast.Call):
            names, func = threats.fold.names(part.func), part.func
            if any("process" in CALLS.get(n, EMPTY) for n in names):
                if not reads_jobs(threats, part):
                    return False
            elif isinstance(func, ast.Attribute) and func.attr in TEXT_METHODS:
                stack.append(func.value)
                stack.extend(part.args)
            elif isinstance(func, ast.Name) and func.id in threats.flow.functions:
                for own in threats.flow.functions[func.id][:MAX_MEANINGS]:
                    stack.extend(p.value for p in walk(own) if isinstance(p, ast.Return) and p.value is not None)
            elif names and set(names) <= PLAIN_CALLS:
                stack.extend(part.args[1:] if names == ["re.sub"] else part.args)
            else:
                return False
        elif isinstance(part, ast.Name):
            found = [(k, t) for k, t in threats.fold.bindings.names.get(part.id, []) if not isinstance(t, ast.arg) or threats.seen_from(t, part)]
            added = threats.put_into(part.id)
            stack.extend(added)
            if not found or len(found) > 2 * MAX_MEANINGS or sum(thing is None for _, thing in found) > len(added) + len(threats.loops.get(part.id, ())):
                return False
            stack.extend(threats.loops.get(part.id, ()))
            for kind, thing in found:
                if isinstance(thing, ast.arg):
                    passed = threats.given_to(thing)
                    if passed is None and not from_inputs(threats, part):
                        return False
                    given = given or not passed
                    stack.extend(passed or ())
                elif kind == "value" and thing is not None:
                    stack.append(thing)
                elif thing is not None:
                    return False
        else:
            return False
    return given


def reads_jobs(threats, call):
    return command_text(threats.fold, call).split()[-2:] == ["crontab", "-l"]


MAX_WRITTEN = 6  # characters; no line of a table is that short
TEXT_METHODS = frozenset("strip rstrip lstrip split splitlines join replace encode decode format".split())
PLAIN_CALLS = frozenset("builtins.str builtins.list builtins.enumerate builtins.sorted builtins.reversed builtins.range builtins.len shlex.quote shlex.join re.sub".split())


class Harm:
    """The part of Threats that looks at calls and assignments for the second time."""

    def harm(self, node, names, kinds, given, method, called):
        full, flow = set(names), self.flow
        if full & RECORDERS:
            self.tell("recorder", node, called)
        if full & TUNNELS:
            self.tell("tunnel", node, called)
        if full & LOADERS and node.args and self.dropped(node.args[0]):
            self.tell("run-dropped", node, called)
        if any(n.startswith("ctypes.mem") for n in names) and any(isinstance(p, ast.Call) and "builtins.id" in self.fold.names(p.func) for a in node.args for p in walk(a)):
            self.tell("recorder", node, called)
        if "mmap.mmap" in full and any(isinstance(p, (ast.Attribute, ast.Name)) and "mmap.PROT_EXEC" in self.fold.names(p) for a in node.args + [k.value for k in node.keywords] for p in walk(a)):
            self.tell("machine-code", node, called)
        if "builtins.setattr" in full and len(node.args) == 3:
            name = self.loose(node.args[1])
            if isinstance(name, str):
                self.replaced(node.args[0], name, node.args[2], node)
        if "unpickle" in kinds and node.args and flow.flags(node.args[0]) & DOWNLOADED and any("pickle" in n or "dill" in n for n in names):
            self.tell("exec-downloaded", node, called)
        if "os.chmod" in full or method == "chmod":
            mode = self.fold.value(node.args[-1], strict=False) if node.args else None
            if isinstance(mode, int) and mode & 0o6000:
                self.tell("raised-rights", node, called)
        if "os.fork" in full and self.endless(node):
            self.tell("destructive", node, called)
        self.harvest(node, full, kinds, method, called)
        self.itself(node, full, kinds, method, called)
        self.blind(node, names, kinds, method, called)
        for keyword in node.keywords:
            if keyword.arg in PRELOADS:
                self.tell("preload", node, keyword.arg)
        if method == "sendto" and given & FILE and self.raw_sockets:
            self.tell("private-out", node, called)
        if method == "connect" and given & SENSITIVE_PATH:
            self.tell("sensitive-read", node, called)

    @property
    def loops(self):
        """What names go through, where a loop binds them."""
        if not hasattr(self, "_loops"):
            self._loops = {}
            for node in self.flow.nodes:
                if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                    for name in target_names(node.target):
                        self._loops.setdefault(name, []).append(node.iter)
        return self._loops

    def put_into(self, name):
        """What is added to what a name holds: by +=, at an index, by a method of lists."""
        if not hasattr(self, "_put"):
            self._put = {}
            for node in self.flow.nodes:
                if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                    self._put.setdefault(node.target.id, []).append(node.value)
                elif isinstance(node, ast.Assign):
                    for target in node.targets:
                        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                            self._put.setdefault(target.value.id, []).append(node.value)
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                    if node.func.attr in ("append", "extend", "insert", "appendleft", "__iadd__", "__setitem__"):
                        self._put.setdefault(node.func.value.id, []).extend(node.args[-1:])
        return self._put.get(name, [])

    def seen_from(self, arg, node):
        """Whether a parameter is one of a function around the node."""
        function = self.flow.nodes[self.flow.parents[self.flow.parents[self.flow.at[id(arg)]]]]
        scope = self.flow.scopes[self.flow.at[id(node)]]
        while scope is not None and scope.node is not function:
            scope = scope.above
        return scope is not None

    def of_class(self, node):
        at = self.flow.at.get(id(node))
        return at is not None and isinstance(self.flow.scopes[at].node, ast.ClassDef) and isinstance(self.flow.nodes[self.flow.parents[at]], (ast.Assign, ast.AnnAssign))

    def given_to(self, arg):
        """What the file itself hands to a parameter; None where that cannot be told."""
        if not self.spend():
            return None
        at = self.flow.parents[self.flow.parents[self.flow.at[id(arg)]]]
        function, given = self.flow.nodes[at], []
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
        args = getattr(function.args, "posonlyargs", []) + function.args.args
        for default in function.args.defaults + [d for d in function.args.kw_defaults if d is not None]:
            if self.fold.value(default, strict=False) not in (None, "", [], (), 0, False, True):
                return None
        for node in self.flow.nodes:
            if not isinstance(node, ast.Call):
                if isinstance(node, ast.Name) and node.id == function.name and isinstance(node.ctx, ast.Load):
                    above = self.flow.nodes[self.flow.parents[self.flow.at[id(node)]]]
                    if not (isinstance(above, ast.Call) and above.func is node):
                        return None  # handed on, to be called by somebody else
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name == function.name:
                if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
                    return None
                skip = 1 if isinstance(node.func, ast.Attribute) and args and args[0].arg in ("self", "cls") else 0
                given += [v for p, v in zip(args[skip:], node.args) if p.arg == arg.arg] + [k.value for k in node.keywords if k.arg == arg.arg]
        return given

    @property
    def raw_sockets(self):
        if not hasattr(self, "_raw"):
            self._raw = any(isinstance(n, (ast.Attribute, ast.Name)) and getattr(n, "attr", getattr(n, "id", "")) == "SOCK_RAW" for n in self.flow.nodes)
        return self._raw

    def spend(self):
        """Bounds what goes through the whole file; a file that needs more is nobody's."""
        self.spent = getattr(self, "spent", 0) + 1
        if self.spent > MAX_PASSES:
            self.fold.exhausted = True
        return self.spent <= MAX_PASSES

    def dropped(self, node):
        """A file that was written from elsewhere, also where its path is written twice."""
        text = self.loose(node)
        return self.flow.flags(node) & DROPPED or isinstance(text, str) and self.flow.vars.get(("text", text), 0) & DROPPED

    def endless(self, node):
        at = self.flow.parents[self.flow.at[id(node)]]
        while at >= 0:
            above = self.flow.nodes[at]
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return False
            if isinstance(above, ast.While) and isinstance(above.test, ast.Constant) and above.test.value:
                return self.spend() and not any(isinstance(p, (ast.Break, ast.Return)) for p in walk(above))
            at = self.flow.parents[at]
        return False

    def harvest(self, node, full, kinds, method, called):
        """Files that were found by walking a home, and disks, are written or deleted."""
        flags = self.flow.flags
        if "builtins.open" in full and node.args:
            mode = self.loose(node.args[1]) if len(node.args) > 1 else next((self.loose(k.value) for k in node.keywords if k.arg == "mode"), "r")
            if isinstance(mode, str) and any(c in mode for c in "wa+x"):
                path = self.loose(node.args[0])
                if isinstance(path, str) and DEVICE.search(path):
                    self.tell("destructive", node, path)
                elif flags(node.args[0]) & HARVEST and "w" in mode:
                    self.tell("encrypts-files", node, called)
        elif "delete" in kinds and node.args and flags(node.args[0]) & HARVEST or method in ("unlink", "rmdir") and flags(node.func.value) & HARVEST:
            self.tell("destructive", node, called)

    def itself(self, node, full, kinds, method, called):
        """A tool that writes or deletes its own file."""
        if "builtins.open" in full and node.args:
            mode = self.loose(node.args[1]) if len(node.args) > 1 else next((self.loose(k.value) for k in node.keywords if k.arg == "mode"), "r")
            writes = isinstance(mode, str) and any(c in mode for c in "wa+")
            if writes and self.own_file(node.args[0]):
                self.tell("rewrites-itself", node, called)
        elif "delete" in kinds and node.args and self.own_file(node.args[0]) or method in ("write_text", "write_bytes", "unlink") and self.own_file(node.func.value):
            self.tell("rewrites-itself", node, called)

    def own_file(self, node):
        for _ in range(8):
            node = self.source_of(node)
            if isinstance(node, ast.Name):
                return node.id == "__file__"
            if isinstance(node, ast.Subscript):
                return "sys.argv" in self.fold.names(node.value) and getattr(getattr(node.slice, "value", node.slice), "value", getattr(node.slice, "value", None)) == 0
            if not isinstance(node, ast.Call) or not OWN_FILE_CALLS & set(self.fold.names(node.func)):
                return False
            node = node.args[0] if node.args else getattr(node.func, "value", None)
        return False

    def blind(self, node, names, kinds, method, called):
        """Data goes to a fixed host and the answer is thrown away: nothing comes of it for the caller."""
        above = self.flow.nodes[self.flow.parents[self.flow.at[id(node)]]]
        if isinstance(above, ast.Await):
            above = self.flow.nodes[self.flow.parents[self.flow.at[id(above)]]]
        if not isinstance(above, ast.Expr) or "network" not in kinds or not node.args:
            return
        target = self.source_of(node.args[0])
        holder = node
        if isinstance(target, ast.Call) and any(n.endswith("request.Request") for n in self.fold.names(target.func)) and target.args:
            holder, target = target, target.args[0]
        url = self.loose(target)
        if not isinstance(url, str) or not FIXED_HOST.search(url) or LOOPBACK.search(url):
            return
        payload = [k.value for k in holder.keywords if k.arg in PAYLOADS] + holder.args[1:2]
        if any(p is not None and self.fold.value(p, strict=False) is NOTHING for p in payload):
            self.tell("hushed-send" if self.hushed(above) else "blind-send", node, url)

    def hushed(self, node):
        """Whether a statement's failure is swallowed, or its function is handed to a thread."""
        at = self.flow.at[id(node)]
        swallowed = False
        while at >= 0:
            above = self.flow.nodes[at]
            if isinstance(above, ast.Try):
                swallowed = swallowed or any(len(h.body) == 1 and isinstance(h.body[0], ast.Pass) for h in above.handlers)
            elif isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return swallowed and above.name in self.threaded
            at = self.flow.parents[at]
        return False

    @property
    def threaded(self):
        """The functions that run beside what the caller asked for."""
        if not hasattr(self, "_threaded"):
            self._threaded = set()
            for node in self.flow.nodes:
                if isinstance(node, ast.Call) and {"threading.Thread", "threading.Timer", "multiprocessing.Process", "_thread.start_new_thread"} & set(self.fold.names(node.func)):
                    self._threaded |= {p.id for a in node.args + [k.value for k in node.keywords] for p in walk(a) if isinstance(p, ast.Name)}
        return self._threaded

    def replaced(self, owner, name, value, node):
        """A function of a module or of its classes is replaced by one of the file."""
        roots = {t.split(".")[0] for found in self.fold.bindings.imported.values() for t in found}
        for full in self.fold.names(owner):
            root = full.split(".")[0]
            if "(" in full or "[" in full or root not in roots and root != "builtins" or full + "." + name in HARMLESS_PATCHES:
                continue
            if self.own_function(value) and (root in TRUSTED or self.taps(value)):
                self.tell("tapped", node, full + "." + name)

    def taps(self, node):
        """Whether what replaces a function sends, keeps or starts something, or trusts everybody."""
        if isinstance(node, ast.Call):
            return any(k.arg == "verify" and getattr(k.value, "value", None) is False for k in node.keywords) or self.taps(node.func)
        if not self.spend():
            return True
        bodies = self.flow.functions.get(node.id, [self.source_of(node)]) if isinstance(node, ast.Name) else [node]
        for part in (p for body in bodies[:MAX_MEANINGS] for p in walk(body)):
            if isinstance(part, ast.Call):
                if self.flow.calls(part) & {"network", "process", "execute", "make"} or "builtins.open" in self.fold.names(part.func):
                    return True
        return False

    def own_function(self, node):
        if isinstance(node, ast.Lambda):
            return True
        if isinstance(node, ast.Call):
            return any(n.startswith("functools.partial") for n in self.fold.names(node.func)) or isinstance(node.func, ast.Name) and node.func.id in self.flow.functions
        if isinstance(node, ast.Name):
            return node.id in self.flow.functions or isinstance(self.source_of(node), ast.Lambda)
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.flow.classes

    def reduced(self, node):
        """What unpickling an object of the class will call."""
        for part in walk(node) if self.spend() else ():
            if isinstance(part, ast.Return) and isinstance(part.value, ast.Tuple) and part.value.elts:
                for full in self.fold.names(part.value.elts[0]):
                    if CALLS.get(full, EMPTY) & {"process", "execute"}:
                        self.tell("exec-handed", part, full)

    def copies(self, key, value, node):
        """A mail goes, besides, to an address that stands in the file."""
        if isinstance(key, str) and key.lower() == "bcc":
            for part in value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]:
                text = self.loose(part)
                if isinstance(text, str) and MAIL.search(text):
                    self.tell("copied-out", node, text)


EMPTY = frozenset()
MAX_PASSES = 100
