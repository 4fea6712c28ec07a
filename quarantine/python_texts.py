"""Looks at the texts of a file and at its layout, for what is written to be overlooked.

Part of the program that begins with python_scope.py; Threats has these methods.
"""

import _ast as ast

WIDE = Late(rb"[ \t]{30,}")
ESCAPES = Late(rb"(?:\\x[2-7][0-9a-fA-F]){6,}")
WORD = Late(rb"[A-Za-z]{4}")
TEXT_NODES = (ast.BinOp, ast.JoinedStr, ast.Call, ast.Subscript, ast.ListComp)


def maybe_address(text):
    """False where ADDRESS does not match: it has digits, points and colons only."""
    parts = text.count(".") > 2 and len(text) > 6 or text.count(":") > 1
    return not text.isascii() or parts and not text.strip("[]0123456789abcdefABCDEF:.\n")


def maybe_host(text):
    """False where HOST does not match, or what it matches is the name of a file."""
    name, point, last = text.split("/")[0].split(":")[0].rpartition(".")
    if last.lower() in FILE_ENDINGS:
        return False
    return not text.isascii() or point != "" and 1 < len(last.rstrip("\n")) < 19 and last.rstrip("\n").isalpha()


def maybe_mangled(name):
    """False where MANGLED does not match."""
    return "0x" in name or "____" in name or len(name) > 7 and not name.strip("IlLOo0Qq1xXjiJWwVvMm_")


class Spot:
    def __init__(self, lineno, col_offset):
        self.lineno, self.col_offset = lineno, col_offset


class Texts:
    """The part of Threats that reads texts, lines and names."""

    def constants(self):
        """Notes the texts of the file, put together as far as they are constant."""
        reads_itself = any(getattr(n, "id", getattr(n, "attr", "")) in ("__doc__", "getdoc", "getsource", "__file__", "get_docstring") for n in self.flow.nodes)
        covered = set()
        for i, node in enumerate(self.flow.nodes):
            above = self.flow.parents[i]
            if isinstance(node, ast.Constant):
                if not isinstance(node.value, (str, bytes)) or not node.value:
                    continue
                if isinstance(self.flow.nodes[above], ast.Expr) and not reads_itself:
                    continue
                self.text(node, node.value if isinstance(node.value, str) else node.value.decode("utf-8", "replace"), False)
            elif isinstance(node, TEXT_NODES):
                if above in covered and isinstance(node, (ast.BinOp, ast.JoinedStr)):
                    covered.add(i)  # a part of a sum that was looked at as a whole
                    continue
                if isinstance(node, ast.BinOp):
                    covered.add(i)
                text = self.fold.loose(node) if self.may_be_text(node) else None
                if text:
                    self.texts[id(node)] = text
                    self.text(node, text, isinstance(node, (ast.Call, ast.Subscript, ast.ListComp)))

    def may_be_text(self, node):
        """Spares most calls, which make no text."""
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Slice)
        if not isinstance(node, ast.Call):
            return True
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in TEXT_MAKERS
        if not isinstance(node.func, ast.Name):
            return True
        bound = self.fold.bindings.names.get(node.func.id)
        if bound is None:
            return node.func.id in TEXT_MAKERS
        imported = self.fold.bindings.imported.get(node.func.id)
        return imported is None and len(bound) < MAX_MEANINGS and bound[0][0] == "value" or imported is not None and any(t.rsplit(".", 1)[-1] in TEXT_MAKERS for t in imported)

    def text(self, node, text, made):
        """One text: what it is a literal of, and what it may not be."""
        flags = 0
        short = text[:4096]
        if ("/" in short or "\\" in short or "." in short or len(short) < 40) and "\n" not in short[:200]:
            if SENSITIVE.search(short):
                flags |= SENSITIVE_PATH
                self.literal("path", short, node)
            if PERSISTENT.search(short) and not CHECKPOINT.search(short):
                flags |= PERSISTENT_PATH
                self.literal("path", short, node)
        if "mining." in text and PROTOCOL.search(short):
            self.tell("mining", node, short)
        if flags:
            self.literals[id(node)] = flags
        if "://" in text:
            for n, found in enumerate(URL.find(text)):
                if n >= 20:
                    break
                self.literal("url", found.group(), node)
        elif "." in short and len(short) < 300 and " " not in short:
            if maybe_address(short) and ADDRESS.search(short):
                self.literal("address", short, node)
            elif maybe_host(short) and HOST.search(short):
                self.literal("host", short, node)
        if made and decodes(node, self) and (CODE.search(short) or URL.search(short) or flags & SENSITIVE_PATH):
            self.tell("hidden-text", node, short)

    def literal(self, kind, value, node):
        value = clip(value)
        key = (kind, value)
        if key not in self.seen:
            self.seen.add(key)
            self.facts.add("literals", {"kind": kind, "value": value}, node)

    def loose(self, node):
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else None
        return self.fold.loose(node)

    # Calls.

    def layout(self):
        """Code that is pushed out of sight, and names that nobody can read."""
        for number, line in enumerate(self.facts.lines, 1):
            if len(line) > 4000:
                self.facts.add("threats", {"shape": "long-line", "detail": str(len(line))}, Spot(number, 0))
                break
        if b" " * 120 in self.source or b"\t" * 30 in self.source:
            starts = {(n.lineno, n.col_offset): n for n in self.flow.nodes if hasattr(n, "lineno")}
            for number, line in enumerate(self.facts.lines, 1):
                for gap in WIDE.find(line):
                    width = gap.group().count(b"\t") * 4 + len(gap.group())
                    node = starts.get((number, gap.end()))
                    if width >= 120 and node is not None:
                        self.tell("far-right", node, "")
        if b"\\x" in self.source:
            runs = [(n, line) for n, line in enumerate(self.facts.lines, 1) if line.count(b"\\x") > 5 and ESCAPES.search(line)]
            if runs:
                self.escapes(dict(runs))

    def escapes(self, lines):
        for node in self.flow.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and node.lineno in lines:
                for run in ESCAPES.find(lines[node.lineno]):
                    text = bytes.fromhex(run.group().replace(b"\\x", b"").decode())
                    if WORD.search(text) and (text.decode() if isinstance(node.value, str) else text) in node.value:
                        self.tell("escaped-text", node, text.decode())

    def names(self):
        odd = {}
        for name, found in self.fold.bindings.names.items():
            if name and len(name) > 3 and maybe_mangled(name) and MANGLED.search(name):
                odd[name] = found
        if len(odd) >= 4:
            for node in self.flow.nodes:
                if getattr(node, "id", getattr(node, "name", getattr(node, "arg", None))) in odd:
                    self.tell("mangled-names", node, ", ".join(sorted(odd)[:4]))
                    return
