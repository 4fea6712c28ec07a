"""Finds the shapes that malicious Python has, on nodes of the syntax tree.

Part of the program that begins with python_scope.py. Each shape is a word of
threats in facts_threats.go, where a rule says what it means. Comments, names
and conditions around a shape change nothing; a text that stands alone as a
statement is left out, unless the file reads its own text.
"""

import _ast as ast

MAX_DETAIL = 120
MAX_CHOICES = 40
MAX_COMMAND = 8192  # characters of a command that is looked at; longer ones are nobody's


class Threats(Texts, Harm):
    def __init__(self, facts, tree, source, fold):
        self.facts, self.tree, self.source, self.fold = facts, tree, source, fold
        self.flow = Flow(tree, fold)
        self.seen = set()
        self.literals = {}
        self.texts = {}
        self.commands = 0

    def tell(self, shape, node, detail=""):
        key = (shape, getattr(node, "lineno", 0), detail if shape in ("gadget", "patched") else "")
        if key in self.seen:
            return
        self.seen.add(key)
        self.facts.add("threats", {"shape": shape, "detail": clip(detail, MAX_DETAIL)}, node)

    def run(self):
        self.constants()
        self.flow.run(self.literals)
        for i, node in enumerate(self.flow.nodes):
            step = THREAT_STEPS.get(type(node).__name__)
            if step is not None:
                getattr(self, step)(node, self.flow.parents[i])
        Reach(self.flow, self.tell).run(self.tree)
        self.together()
        self.layout()
        self.names()

    def call(self, node, above):
        names, kinds, flow = self.fold.names(node.func), self.flow.calls(node), self.flow
        args = node.args + [k.value for k in node.keywords]
        given = 0
        for arg in args:
            given |= flow.flags(arg)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = names[0] if names else method
        if "execute" in kinds or "unmarshal" in kinds:
            self.execution(node, names, kinds, given, called)
        if "process" in kinds:
            self.process(node, names, called)
        if method in SENDERS or "network" in kinds:
            self.sending(node, names, kinds, given, method, called)
        if "resolve" in kinds:
            self.lookup(node, given, called)
        self.files(node, names, kinds, given, method, called)
        if "keys" in kinds:
            self.tell("keyboard", node, called)
        if "install" in kinds:
            self.tell("package-install-any", node, called)
        if "frames" in kinds or "hooks" in kinds:
            self.tell("gadget", node, called)
        if "setup" in kinds:
            self.tell("setup", node, called)
        if "unpickle" in kinds:
            self.unpickling(node, names, called)
        self.imports_dropped(node, names, called)
        self.scheduling(node, names, called)
        self.assembled(node, names, called)
        self.unverified(node, names, called)
        self.harm(node, names, kinds, given, method, called)
        for full in names:
            if full.split(".")[0].split("(")[0] in ("ctypes", "cffi", "_cffi_backend", "_ctypes"):
                self.native(node, full)

    def execution(self, node, names, kinds, given, called):
        code = node.args[0] if node.args else next((k.value for k in node.keywords), None)
        text = self.loose(code) if code is not None else None
        if "runpy.run_module" in names and isinstance(text, str) and text.split(".")[0] in ("pip", "ensurepip", "easy_install"):
            self.tell("package-install-any", node, text)
        if given & DOWNLOADED:
            self.tell("exec-downloaded", node, called)
        elif given & DECODED or "unmarshal" in kinds:
            self.tell("exec-decoded", node, called)
        elif given & OWN_SOURCE:
            self.tell("exec-decoded", node, called)
        elif given & VARIABLE:
            self.tell("exec-variable", node, called)
        elif isinstance(text, str) and (CODE.search(text) or text.strip() in ("exec", "eval", "compile", "__import__") or "builtins.exec" in names and not GAP in text and text.strip()):
            self.tell("exec-text", node, text)
        elif computed_text(code, self):
            self.tell("exec-computed", node, called)
        elif given & (FILE | DROPPED) and ("builtins.exec" in names or given & DROPPED):
            self.tell("exec-file", node, called)

    def process(self, node, names, called):
        flow = self.flow
        command = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in ("args", "cmd", "command", "program", "file")), None)
        if any(n.startswith(("os.spawn", "os.exec", "win32api.Shell", "ctypes.", "asyncio.")) for n in names):
            parts = node.args
        elif isinstance(command, (ast.List, ast.Tuple)):
            parts = command.elts
        else:
            parts = [command] if command is not None else []
        words = [self.loose(p) or GAP for p in parts]
        text = " ".join(words) if len(parts) > 1 or isinstance(command, (ast.List, ast.Tuple)) else self.loose(command) or ""
        if not text and command is not None:
            # A list that was put together before: all of its texts in one row.
            text = self.loose_list(command)
        self.command(node, text, command)
        for choice in self.choices(command) if not text else ():
            self.command(node, self.command_line(choice), choice)
        first = flow.flags(parts[0]) if parts else 0
        script = 0
        if words and words[0] == GAP and "sys.executable" in self.fold.names(parts[0]):
            self.command(node, " ".join(["python"] + words[1:]))
        program = words[0].replace("\\", "/").rsplit("/", 1)[-1].lower() if words else ""
        if program in INTERPRETERS or "sys.executable" in (self.fold.names(parts[0]) if parts else []):
            for word, part in zip(words[1:], parts[1:]):
                if word == "-m":
                    break
                script |= flow.flags(part)
        whole = isinstance(command, (ast.List, ast.Tuple)) or len(words) == 1 and " " not in words[0].strip()
        whole = whole or parts is node.args  # the exec and spawn families take a program and a list
        leading = whole or not words or words[0].startswith(GAP) or words[0].split(" ")[0].rsplit("/", 1)[-1].lower() in INTERPRETERS
        if leading and (first & DROPPED or parts and self.dropped(parts[0])) or script & DROPPED:
            self.tell("run-dropped", node, called)
        elif leading and first & DOWNLOADED or script & DOWNLOADED:
            self.tell("run-downloaded", node, called)
        elif first & DECODED and leading or script & DECODED:
            self.tell("run-decoded", node, called)
        if program in SHELLS or parts and "sys.executable" in self.fold.names(parts[0]):
            self.fed(node, words[1:], called)
        if flow.flags(command) & SOCKET or any(flow.flags(k.value) & SOCKET for k in node.keywords if k.arg in ("stdin", "stdout", "stderr")):
            self.tell("reverse-shell", node, called)
        for keyword in node.keywords:
            if keyword.arg == "creationflags":
                value = self.fold.value(keyword.value, strict=False)
                if isinstance(value, int) and value & 0x08000008 or any(
                    n.rsplit(".", 1)[-1] in ("CREATE_NO_WINDOW", "DETACHED_PROCESS") for p in walk(keyword.value) if isinstance(p, (ast.Attribute, ast.Name)) for n in self.fold.names(p)
                ):
                    self.tell("hidden-process", node, called)
            if keyword.arg == "preexec_fn" and "os.setsid" in self.fold.names(keyword.value):
                self.tell("hidden-process", node, called)

    def fed(self, node, options, called):
        """An interpreter without a script runs what its standard input says."""
        if not all(o.startswith("-") and o not in ("-m", "-c") for o in options):
            return
        for code in [k.value for k in node.keywords if k.arg == "input"] + self.said_to(node):
            flags = self.flow.flags(code)
            if flags & (DOWNLOADED | DECODED):
                self.tell("run-downloaded" if flags & DOWNLOADED else "run-decoded", node, called)

    def choices(self, node):
        """What a command may be that is picked from a list or a table, or by a condition."""
        found, stack = [], [(node, 4)]
        while stack and len(found) < MAX_CHOICES:
            part, depth = stack.pop()
            if isinstance(part, ast.Name) and depth:
                stack += [(e, depth - 1) for rows in self.loops.get(part.id, ())[:MAX_MEANINGS] for e in self.held_by(rows)]
                stack += [(v, depth - 1) for kind, v in self.fold.bindings.names.get(part.id, [])[:MAX_MEANINGS] if kind == "value" and v is not None]
            elif isinstance(part, ast.Subscript) and depth:
                stack += [(e, depth - 1) for e in self.held_by(part.value)]
            elif isinstance(part, ast.Call) and depth and isinstance(part.func, ast.Attribute) and part.func.attr in ("get", "pop"):
                stack += [(e, depth - 1) for e in self.held_by(part.func.value)]
            elif isinstance(part, ast.IfExp):
                stack += [(part.body, depth), (part.orelse, depth)]
            elif isinstance(part, ast.BoolOp):
                stack += [(v, depth) for v in part.values]
            elif part is not node:
                found.append(part)
        return found

    def held_by(self, node):
        """The items of a list or the values of a table, where they stand in the file."""
        node = self.source_of(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("values", "items"):
            node = self.source_of(node.func.value)
        if isinstance(node, ast.Dict):
            return node.values[:MAX_CHOICES]
        return node.elts[:MAX_CHOICES] if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else []

    def command_line(self, node):
        if isinstance(node, (ast.List, ast.Tuple)):
            return " ".join(self.loose(p) or GAP for p in node.elts[:40])
        return self.loose(node) or ""

    def loose_list(self, node):
        value = self.fold.value(node, strict=False)
        if isinstance(value, (list, tuple)):
            return " ".join(v if isinstance(v, str) else GAP for v in value)[:MAX_FOLDED]
        return ""

    def command(self, node, text, whole=None):
        text = text.replace("\\\n", " ").replace("^", "")
        if text in self.seen or not text or not HINTS.search(text):
            return
        self.commands += min(len(text), MAX_COMMAND)
        if len(text) > MAX_COMMAND or self.commands > 16 * MAX_COMMAND:
            self.fold.exhausted = True
            text = text[:MAX_COMMAND]
        plain = text.replace("'", "").replace('"', "") if "'" in text or '"' in text else text
        self.places(node, plain)
        for shape, pattern in COMMANDS:
            if pattern.search(text) or plain is not text and pattern.search(plain):
                if shape == "package-install" and ELSEWHERE.search(text):
                    shape = "package-install-input" if self.names_by_caller(text, whole) else "package-install-any"
                elif shape == "persist-command" and self.scheduled_by_caller(node, text, whole):
                    shape = "persist-command-input"
                self.tell(shape, node, text)

    def places(self, node, text):
        """Commands that read what only its owner may, or write what starts by itself."""
        if not SENSITIVE.possible(text) and not PERSISTENT.possible(text):
            return
        for part in PARTS.pattern().split(text)[:60]:
            words = [w for w in part.split()[:40] if w not in ("sudo", "-E", "command", "exec")]
            program = words[0].rsplit("/", 1)[-1].lower() if words else ""
            if program in READ_PROGRAMS and any(SENSITIVE.search(w) for w in words[1:]):
                self.tell("secret-command", node, text)
            if program in COPY_PROGRAMS and any(PERSISTENT.search(w) and not CHECKPOINT.search(w) for w in (words[1:] if program == "tee" else words[-1:])):
                self.tell("persist-command", node, text)

    def scheduled_by_caller(self, node, text, command):
        """A job or service that only the caller names: no more than running what the caller says."""
        if not isinstance(command, (ast.List, ast.Tuple)):
            return False
        if TABLE_OF_JOBS.search(text):
            given = [k.value for k in node.keywords if k.arg == "input"] + self.said_to(node)
            return bool(given) and all(job_from_inputs(self, g) for g in given)
        if SERVICE.search(text):
            return from_inputs(self, command.elts[-1])
        if not SCHEDULED.search(text):
            return False
        after = [p for word, p in zip(command.elts, command.elts[1:]) if (self.loose(word) or "").lower() in ("/tr", "/xml")]
        return bool(after) and all(from_inputs(self, p) for p in after)

    def said_to(self, call):
        """What is written to the standard input of a process that the call starts."""
        holders = {n for n, found in self.fold.bindings.names.items() for kind, thing in found if thing is call}
        said = []
        for node in self.flow.nodes if self.spend() else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("communicate", "write", "writelines"):
                at = node.func.value
                at = at.value if isinstance(at, ast.Attribute) and at.attr == "stdin" else at
                if isinstance(at, ast.Name) and at.id in holders or at is call:
                    said += node.args[:1] + [k.value for k in node.keywords if k.arg == "input"]
        return said

    def names_by_caller(self, text, command):
        """A plain install whose packages only the caller names: no more than running what the caller says."""
        if not PLAIN_INSTALL.search(text):
            return False
        if isinstance(command, ast.JoinedStr):
            parts = [v.value for v in command.values if isinstance(v, ast.FormattedValue)]
        elif isinstance(command, (ast.List, ast.Tuple)):
            parts = [p for p in command.elts if not isinstance(p, ast.Constant) and "sys.executable" not in self.fold.names(p)]
        else:
            return False
        return bool(parts) and all(from_inputs(self, p) for p in parts)

    def sending(self, node, names, kinds, given, method, called):
        if "network" not in kinds and not self.network:
            return
        if "resolve" in kinds or method in ("bind", "listen") or given == 0:
            return
        if given & ENVIRONMENT:
            self.tell("environment-out", node, called)
        if given & PRIVATE:
            self.tell("private-out", node, called)
        if given & IDENTITY and ("network" in kinds or method not in ("execute", "delay", "emit", "publish")):
            self.tell("identity-out", node, called)

    def imports_dropped(self, node, names, called):
        """Where Python looks for modules lies what came from elsewhere."""
        if SEARCHED.isdisjoint(names) or not node.args:
            return
        place = node.args[-1]
        text = self.loose(place)
        if self.flow.flags(place) & (DROPPED | DOWNLOADED) or isinstance(text, str) and any(
            flags & DROPPED and key[0] == "text" and key[1].startswith(text.rstrip("/") + "/") for key, flags in self.flow.vars.items() if isinstance(key, tuple)
        ):
            self.tell("run-dropped", node, called)

    def scheduling(self, node, names, called):
        """A job in the table of jobs, by the package for it."""
        if JOBS.isdisjoint(names):
            return
        what = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "command"), None)
        if what is not None:
            self.tell("persist-command-input" if from_inputs(self, what) else "persist-command", node, called)

    def lookup(self, node, given, called):
        if given & (ENVIRONMENT | PRIVATE) or given & IDENTITY and self.outside(node.args):
            self.tell("lookup-out", node, called)
        elif self.outside(node.args) and given & (FILE | DECODED):
            self.tell("lookup-out", node, called)
        elif node.args and self.outside(node.args[:1]) and encodes(node.args[0], self):
            self.tell("lookup-out", node, called)

    def outside(self, args):
        """A host name whose begin is a value and whose end is a constant domain."""
        for arg in args[:2]:
            text = self.loose(arg)
            if text and GAP in text and DOMAIN.search(text):
                return True
        return False

    def files(self, node, names, kinds, given, method, called):
        flow = self.flow
        if "builtins.open" in names or method == "open" and isinstance(node.func, ast.Attribute) and flow.flags(node.func.value) & (SENSITIVE_PATH | PERSISTENT_PATH):
            base = 0 if "builtins.open" in names else flow.flags(node.func.value)
            at = 1 if "builtins.open" in names else 0
            mode = node.args[at] if len(node.args) > at else next((k.value for k in node.keywords if k.arg == "mode"), None)
            text = "r" if mode is None else self.loose(mode) or "w"
            path = (flow.flags(node.args[0]) if "builtins.open" in names and node.args else base) | base
            self.opening(node, path, any(c in text for c in "wax+"), called)
        elif method in ("write_text", "write_bytes", "symlink_to", "touch"):
            self.opening(node, flow.flags(node.func.value), True, called)
        elif method in ("read_text", "read_bytes"):
            self.opening(node, flow.flags(node.func.value), False, called)
        elif "move" in kinds:
            if len(node.args) > 1 and flow.flags(node.args[1]) & PERSISTENT_PATH:
                self.tell("persistent-write", node, called)
            if node.args and flow.flags(node.args[0]) & SENSITIVE_PATH:
                self.tell("sensitive-read", node, called)
        elif given & SENSITIVE_PATH and ("walk" in kinds or not READERS.isdisjoint(names)):
            self.tell("sensitive-read", node, called)
        elif given & PERSISTENT_PATH and ("registry" in kinds or "os.open" in names and len(node.args) > 1 and self.opens_to_write(node.args[1])):
            self.tell("persistent-write", node, called)
        elif "netrc.netrc" in names and not node.args and not node.keywords:
            self.tell("sensitive-read", node, called)  # the one of the home folder
        if "delete" in kinds or method in ("unlink", "rmdir"):
            target = self.loose(node.args[0]) if node.args else None
            whole = node.args and any(n in ("pathlib.Path.home()", "os.path.expanduser()") for n in self.fold.names(node.args[0])) and (target in (None, "~", GAP))
            if "shutil.rmtree" in names and (whole or target in ("/", "~", "~/", "C:\\", "C:/", "/home", "/Users", "/etc", "/usr", "/var", "/root")):
                self.tell("destructive", node, called)

    def opens_to_write(self, node):
        return any(getattr(p, "attr", getattr(p, "id", "")) in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND") for p in walk(node)) or not isinstance(node, (ast.Attribute, ast.BinOp))

    def opening(self, node, path, writes, called):
        if path & PERSISTENT_PATH and writes:
            self.tell("persistent-write", node, called)
        if path & SENSITIVE_PATH and not writes:
            self.tell("sensitive-read", node, called)

    def unpickling(self, node, names, called):
        keywords = {k.arg: k.value for k in node.keywords}
        if any(n.startswith("yaml.load") for n in names):
            loader = keywords.get("Loader") or (node.args[1] if len(node.args) > 1 else None)
            if loader is not None and any("Safe" in n.rsplit(".", 1)[-1] or n.endswith("BaseLoader") for n in self.fold.names(loader)):
                return
        if "torch.load" in names and getattr(keywords.get("weights_only"), "value", None) is True:
            return
        if "numpy.load" in names and getattr(keywords.get("allow_pickle"), "value", None) is not True:
            return
        self.tell("exec-downloaded" if self.flow.flags(node.args[0] if node.args else None) & DECODED and any("pickle" in n for n in names) and isinstance(self.fold.text(node.args[0]), bytes) else "unpickled", node, called)

    def assembled(self, node, names, called):
        """A name that is put together from pieces although it is constant."""
        full = set(names)
        if full & {"builtins.__import__", "importlib.import_module", "importlib.__import__"}:
            part = node.args[0] if node.args else None
        elif "builtins.getattr" in full and len(node.args) > 1:
            part = node.args[1]
        elif any(n.endswith((".__getattribute__", ".__getattr__")) for n in full):
            part = node.args[-1] if node.args else None
        else:
            return
        self.assembled_name(part, node)

    def assembled_name(self, part, node):
        part = self.source_of(part)
        if part is None or isinstance(part, (ast.Constant, ast.Name, ast.Attribute)):
            return
        if isinstance(self.fold.text(part), (str, bytes)):
            self.tell("assembled-name", node, str(self.fold.text(part)))
        elif self.flow.flags(part) & DECODED:
            self.tell("assembled-name", node, self.loose(part) or "")

    def source_of(self, node):
        """What a name that is bound once stands for."""
        for _ in range(8):
            if not isinstance(node, ast.Name):
                return node
            found = self.fold.bindings.names.get(node.id, [])
            if len(found) != 1 or found[0][0] != "value":
                return node
            node = found[0][1]
        return node

    def unverified(self, node, names, called):
        for keyword in node.keywords:
            value = getattr(keyword.value, "value", None)
            if keyword.arg in ("verify", "verify_ssl", "ssl_verify") and value is False and isinstance(keyword.value, ast.Constant):
                self.tell("no-verification", node, called)
            elif keyword.arg == "cert_reqs" and self.loose(keyword.value) == "CERT_NONE":
                self.tell("no-verification", node, called)
        if "ssl._create_unverified_context" in names or "ssl._create_stdlib_context" in names:
            self.tell("no-verification", node, called)
        if set(names) & {"os.chmod", "pathlib.Path().chmod"} or called.endswith(".chmod"):
            mode = self.fold.value(node.args[-1], strict=False) if node.args else NOTHING
            target = self.loose(node.args[0]) or "" if node.args else ""
            mode_names = [n for p in walk(node.args[-1]) if isinstance(p, ast.Attribute) for n in self.fold.names(p)] if node.args else []
            if (isinstance(mode, int) and mode & 0o111 or any(n.startswith(("stat.S_IX", "stat.S_IRWX")) for n in mode_names)) and (
                "tmp" in target.lower() or any("tempfile." in n for n in self.fold.names(node.args[0])) or self.flow.flags(node.args[0]) & DROPPED
            ):
                self.tell("executable-temp", node, called)
        if "tempfile.mktemp" in names:
            self.tell("executable-temp", node, called)

    def native(self, node, full):
        last = full.replace("()", "").rsplit(".", 1)[-1]
        if last in NATIVE_RECORDERS:
            self.tell("recorder", node, full)
        if last in ("VirtualAlloc", "VirtualAllocEx", "VirtualProtect", "RtlMoveMemory", "CreateThread", "CreateRemoteThread", "WriteProcessMemory", "mprotect", "NtCreateThreadEx", "QueueUserAPC"):
            self.tell("machine-code", node, full)
        self.tell("native", node, full)

    # Other nodes.

    def attribute(self, node, above):
        attr = node.attr
        if attr in GADGETS:
            self.tell("gadget", node, attr)
        elif attr == "__code__" and not isinstance(node.ctx, ast.Load):
            self.tell("gadget", node, attr)
        elif attr == "CERT_NONE" and "ssl.CERT_NONE" in self.fold.names(node):
            self.tell("no-verification", node, "ssl.CERT_NONE")
        elif attr == "_create_unverified_context":
            self.tell("no-verification", node, attr)
        parent = self.flow.nodes[above]
        if not (isinstance(parent, ast.Call) and parent.func is node or isinstance(parent, ast.Attribute)):
            self.handed(node, parent)

    def name(self, node, above):
        parent = self.flow.nodes[above]
        if isinstance(node.ctx, ast.Load) and not (isinstance(parent, ast.Call) and parent.func is node or isinstance(parent, ast.Attribute)):
            bindings = self.fold.bindings
            if node.id in bindings.imported or node.id in ("exec", "eval", "compile", "__import__", "__builtins__") and node.id not in bindings.names:
                self.handed(node, parent)

    def handed(self, node, parent):
        """A function that makes code or processes is given to another: map(exec, texts)."""
        names = self.fold.names(node)
        for full in names:
            kinds = CALLS.get(full, ())
            if "execute" in kinds and full.split(".")[0] == "builtins" and isinstance(parent, (ast.Call, ast.keyword)):
                self.tell("exec-handed", node, full)
            elif full.split(".")[0] in ("ctypes", "cffi") and not isinstance(parent, (ast.arg, ast.AnnAssign)):
                self.native(node, full)

    def assigned(self, node, above):
        for target in getattr(node, "targets", None) or [node.target]:
            if isinstance(target, ast.Attribute):
                self.patched(target, node)
                self.replaced(target.value, target.attr, node.value, node)
            elif isinstance(target, ast.Subscript):
                key = self.loose(getattr(target.slice, "value", target.slice) if type(target.slice).__name__ == "Index" else target.slice)
                self.copies(key, node.value, node)
                if key in PRELOADS:
                    self.tell("preload", node, key)
                if "sys.modules" in self.fold.names(target.value) and isinstance(key, str) and key.split(".")[0] in STDLIB:
                    self.tell("tapped", node, key)
                for full in self.fold.names(target.value):
                    if full in ("sys.modules", "builtins.__dict__") or full.endswith(".__dict__") and full.split(".")[0] in STDLIB:
                        self.tell("patched", node, full)

    def patched(self, target, node):
        for full in self.fold.names(target.value):
            whole = full + "." + target.attr
            if whole in ("ssl._create_default_https_context", "ssl._create_default_https_context()"):
                self.tell("unverified-all", node, whole)
            elif target.attr == "check_hostname" and getattr(node.value, "value", None) is False:
                self.tell("no-verification", node, whole)
            elif "(" not in full and full.split(".")[0] in STDLIB | {"builtins"} and self.is_module(full) and whole not in HARMLESS_PATCHES:
                self.tell("patched", node, whole)

    def is_module(self, full):
        return full.split(".")[0] != "__future__" and "[" not in full and not full.startswith(("sys.std", "threading.current_thread"))

    def returned(self, node, above):
        """What main returns goes to whoever called, a model among them."""
        if node.value is not None and self.flow.flags(node.value) & ENVIRONMENT:
            scope = self.flow.scopes[self.flow.at[id(node)]]
            if getattr(scope.node, "name", "") == "main" and scope.above is self.flow.module:
                self.tell("environment-out", node, "the caller")

    def definition(self, node, above):
        if node.name in REDUCERS:
            self.reduced(node)

    def row(self, node, above):
        """A command in a table of commands, which a loop starts later."""
        if isinstance(self.flow.nodes[above], (ast.List, ast.Tuple, ast.Dict)) and len(node.elts) > 1 and isinstance(node.elts[0], ast.Constant) and isinstance(node.elts[0].value, str) and " " not in node.elts[0].value.strip() and self.processes:
            self.command(node, " ".join(self.loose(p) or GAP for p in node.elts[:40]))

    @property
    def processes(self):
        if not hasattr(self, "_processes"):
            self._processes = any(t.split(".")[0] in ("os", "subprocess", "asyncio", "pty") for found in self.fold.bindings.imported.values() for t in found)
        return self._processes

    def annotated(self, node, above):
        """An annotation is a text that those who ask for it evaluate."""
        note = node.annotation
        if isinstance(note, ast.Constant) and isinstance(note.value, str) and CODE.search(note.value):
            self.tell("exec-text", note, note.value)

    def dictionary(self, node, above):
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ast.Constant):
                if key.value == "()" and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    if CALLS.get(value.value, EMPTY) & {"process", "execute", "unmarshal", "delete", "fetch_file", "install"} or value.value.startswith("builtins."):
                        self.tell("exec-handed", value, value.value)  # logging.config calls what the text names
                self.copies(key.value, value, node)
                if key.value in PRELOADS:
                    self.tell("preload", node, key.value)

    def imported(self, node, above):
        for alias in node.names:
            module = alias.name if isinstance(node, ast.Import) else node.module or ""
            if module.split(".")[0] in ("ctypes", "cffi", "_ctypes", "_cffi_backend"):
                self.tell("native", node, module)
            whole = module if isinstance(node, ast.Import) else module + "." + alias.name
            if whole.split(".")[-1] == "_create_unverified_context":
                self.tell("no-verification", node, whole)

    def subscript(self, node, above):
        for full in self.fold.names(node.value):
            if full in ("builtins.globals()", "builtins.locals()", "builtins.vars()", "sys.modules") or full.endswith(".__dict__"):
                index = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice
                self.assembled_name(index, node)
        value = node.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "__subclasses__":
            self.tell("gadget", node, "__subclasses__()[]")

    # The file as a whole.

    @property
    def network(self):
        if not hasattr(self, "_network"):
            self._network = any(any(True for _ in module_prefixes(thing)) for found in self.fold.bindings.imported.values() for thing in found) or any(
                "network" in kinds for kinds in self.flow.kinds.values()
            )
        return self._network

    def together(self):
        """Shapes made of several calls in one file."""
        first = {}
        for node in self.flow.nodes:
            if isinstance(node, ast.Call):
                for kind in self.flow.calls(node):
                    first.setdefault(kind, node)
                for full in self.fold.names(node.func):
                    if full in ("os.dup2", "os.memfd_create", "socket.socket().fileno"):
                        first.setdefault(full, node)
        if "os.dup2" in first and ("socket.socket().fileno" in first or any(self.flow.flags(a) & SOCKET for a in first["os.dup2"].args)) and "process" in first:
            self.tell("reverse-shell", first["os.dup2"], "os.dup2")
        if "swap" in first and "clipboard" in first and any(isinstance(n, ast.Constant) and isinstance(n.value, str) and WALLET.search(n.value) for n in self.flow.nodes):
            self.tell("clipboard-swap", first["swap"], "")
        if "os.memfd_create" in first and "process" in first:
            self.tell("run-dropped", first["os.memfd_create"], "os.memfd_create")
        if "walk" in first and "encrypt" in first and ("delete" in first or "move" in first or self.writes_encrypted()):
            self.tell("encrypts-files", first["encrypt"], "")
        if "keys" in first and self.network:
            self.tell("keyboard-out", first["keys"], "")
        blob = next((n for n in self.flow.nodes if isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes)) and len(n.value) >= 800 and blobby(n.value)), None)
        if blob is not None and ({"execute", "unmarshal"} & set(first)):
            self.tell("blob-and-code", blob, "")

    def writes_encrypted(self):
        return any(isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("write", "write_bytes") and any(self.flow.flags(a) & ENCRYPTED for a in n.args) for n in self.flow.nodes)


PARTS = Late(r"[;|&\n()`]+")
READ_PROGRAMS = frozenset("cat head tail less more cp mv scp rsync tar zip 7z gzip base64 xxd od hexdump strings grep awk sed dd curl sqlite3 type copy xcopy robocopy get-content gc find".split())
COPY_PROGRAMS = frozenset("cp mv install ln tee touch rsync copy xcopy move robocopy copy-item".split())
SHELLS = frozenset("python python2 python3 pythonw python.exe pythonw.exe sh bash zsh dash ksh powershell powershell.exe pwsh node perl ruby php".split())
SEARCHED = frozenset("sys.path.insert sys.path.append site.addsitedir zipimport.zipimporter sys.path.extend".split())
JOBS = frozenset(["crontab.CronTab().new"])
# What reads, or lists, the path that it is given.
READERS = frozenset(
    """sqlite3.connect os.listdir os.open zipfile.ZipFile zipfile.ZipFile().write shutil.make_archive tarfile.open tarfile.open().add json.load
    configparser.ConfigParser().read configparser.RawConfigParser().read configparser.SafeConfigParser().read fileinput.input fileinput.FileInput
    linecache.getline linecache.getlines io.FileIO io.open_code _io.FileIO tokenize.open netrc.netrc plistlib.load dbm.open shelve.open gzip.open bz2.open
    lzma.open pandas.read_csv pandas.read_json pandas.read_table pandas.read_pickle numpy.loadtxt numpy.fromfile numpy.genfromtxt dotenv.dotenv_values
    dotenv.load_dotenv paramiko.RSAKey.from_private_key_file paramiko.SSHConfig.from_path keyring.backends.file aiofiles.open anyio.open_file""".split()
)
HARMLESS_PATCHES = frozenset(
    "sys.stdout sys.stderr sys.stdin sys.argv sys.path sys.excepthook sys.dont_write_bytecode sys.displayhook sys.tracebacklimit sys.ps1 sys.ps2 sys.pycache_prefix logging.raiseExceptions os.environ warnings.showwarning warnings.formatwarning socket.timeout logging.lastResort".split()
)
TABLE_OF_JOBS = Late(r"^(?:\S*/)?crontab\s+(?:-u\s+\S+\s+)?-$")
SERVICE = Late(r"^(?:sudo\s+)?(?:\S*/)?systemctl\s+(?:--(?:user|now)\s+)*enable\s+(?:--now\s+)?\ufffc$")
SCHEDULED = Late(r"^(?:\S*[/\\])?schtasks(?:\.exe)?\s+/create\s", IGNORE)
PLAIN_INSTALL = Late(r"^(?:(?:\ufffc|python[\d.]*)\s+-m\s+)?(?:uv\s+)?pip[\d.]*\s+install(?:\s+(?:-q|--quiet|-U|--upgrade|--disable-pip-version-check|--no-input))*(?:\s+\ufffc)+$")
ELSEWHERE = Late(r"install\b[^\n]*(?:\ufffc|://|git\+|\s-r\s|\s--(?:extra-)?index-url|\s-i\s|\s-f\s|\s--find-links|\s\.{1,2}/|\$)|(?:npx|add)\s[^\n]*(?:\ufffc|://)", IGNORE)
DOMAIN = Late(r"\ufffc(?:\.[a-z0-9-]+)+\.[a-z]{2,18}\.?$", IGNORE)


def blobby(value):
    text = value[:20000] if isinstance(value, str) else value[:20000].decode("latin-1")
    if BLOB.search(text):
        return True
    return isinstance(value, bytes) and sum(1 for c in value[:4000] if c > 126 or c < 9) > min(len(value), 4000) // 5


def decodes(node, threats):
    """Tells whether a decoding function, or arithmetic on characters, made the text."""
    for part in walk(node):
        if isinstance(part, ast.Call):
            names = threats.fold.names(part.func)
            if any("decode" in CALLS.get(n, ()) for n in names) or "builtins.chr" in names:
                return True
            if isinstance(part.func, ast.Attribute) and part.func.attr == "translate":
                return True
        elif isinstance(part, ast.Name) and "builtins.chr" in threats.fold.names(part):
            return True
        elif isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice) and part.slice.step is not None:
            return True
    return False


def encodes(node, threats):
    """Tells whether a value is encoded for a host name."""
    stack, left = [node], 200
    while stack and left:
        left -= 1
        part = stack.pop()
        if isinstance(part, ast.Call):
            names = threats.fold.names(part.func)
            method = part.func.attr if isinstance(part.func, ast.Attribute) else ""
            if method == "hex" or any(n in ("base64.b32encode", "base64.b64encode", "base64.urlsafe_b64encode", "binascii.hexlify") for n in names):
                return True
        if isinstance(part, ast.Name):
            source = threats.source_of(part)
            if source is not part:
                stack.append(source)
                continue
        stack.extend(children(part))
    return False


def computed_text(node, threats):
    """Tells whether code is put together by arithmetic on characters or by reversing."""
    if node is None:
        return False
    node = threats.source_of(node)
    if not isinstance(node, (ast.Call, ast.Subscript, ast.BinOp)):
        return False
    return decodes(node, threats)


TEXT_MAKERS = frozenset([name.rsplit(".", 1)[-1] for name in FUNCTIONS] + ["join", "format"] + [m for methods in METHODS.values() for m in methods])
THREAT_STEPS = {
    "Call": "call", "Attribute": "attribute", "Name": "name", "Assign": "assigned", "AugAssign": "assigned", "AnnAssign": "assigned",
    "Import": "imported", "ImportFrom": "imported", "Subscript": "subscript",
    "FunctionDef": "definition", "Return": "returned", "Dict": "dictionary", "arg": "annotated", "List": "row", "Tuple": "row",
}  # fmt: skip
