"""Prints, as one line of JSON, what CPython's own parser says about a file.

Last part of the program that begins with python_scope.py and python_purity.py,
which have the names that are not defined here.

Usage: python3 -I -S -B program.py [FILE]     (standard input without FILE)

The source is parsed and compiled, never executed; nothing of it is imported.
Every exception becomes a fact ("error"), so silence means that the process
died, which the caller must take as "could not tell". The line is canonical:
members in the order of Facts in facts.go, no spaces, UTF-8. Python 3.8 or later.
"""

import _ast as ast
import sys
import warnings

MAX_SOURCE = 256 * 1024
MAX_ITEMS = 1000
MAX_DEFAULT = 4096


class Facts:
    """The document under construction; line and column are from 1, in characters."""

    def __init__(self, source):
        self.lines = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self.doc = {
            "schema": 2,
            "python": ".".join(map(str, sys.version_info[:3])),
            "error": None,
            "statements": [],
            "main": [],
            "imports": [],
            "effects": [],
            "identifiers": [],
            "references": [],
            "literals": [],
            "threats": [],
            "truncated": False,
        }

    def place(self, node):
        line = getattr(node, "lineno", 1)
        col = getattr(node, "col_offset", 0)
        if 0 < line <= len(self.lines):
            col = len(self.lines[line - 1][:col].decode("utf-8", "replace"))
        return {"line": max(line, 1), "col": max(col, 0) + 1}

    def segment(self, node):
        """The source of a node, with \\n between its lines."""
        lines = self.lines[node.lineno - 1 : node.end_lineno]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode("utf-8")

    def add(self, what, item, node):
        if len(self.doc[what]) >= MAX_ITEMS:
            self.doc["truncated"] = True
            return
        item.update(self.place(node))
        self.doc[what].append(item)

    def fail(self, kind, message, line=1, col=1):
        for key, value in self.doc.items():
            if isinstance(value, list):
                self.doc[key] = []
        self.doc["truncated"] = False
        self.doc["error"] = {"kind": kind, "message": clip(message), "line": max(line or 1, 1), "col": max(col or 1, 1)}

    def dump(self):
        line = written(self.doc, encode_basestring)
        line = line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        return line.encode("utf-8") + b"\n"


def is_type_checking(test):
    return (dotted(test) or [""])[-1] == "TYPE_CHECKING"


STATEMENT_KINDS = [
    ((ast.Import, ast.ImportFrom), "import"),
    ((ast.FunctionDef, ast.AsyncFunctionDef), "function"),
    (ast.ClassDef, "class"),
    ((ast.Assign, ast.AnnAssign, ast.AugAssign), "assignment"),
    (ast.If, "if"),
    (ast.Try, "try"),
    ((ast.For, ast.AsyncFor, ast.While), "loop"),
    ((ast.With, ast.AsyncWith), "with"),
    (ast.Expr, "expression"),
]


def kind_of(node):
    if isinstance(node, ast.If) and is_guard(node.test):
        return "guard"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return "constant"
    for types, kind in STATEMENT_KINDS:
        if isinstance(node, types):
            return kind
    return "other"


def note_imports(facts, tree):
    """Every import of the file, also those inside functions."""
    optional_errors = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
    stack = [(tree, False, False)]
    found = []
    while stack:
        node, typing, optional = stack.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append((node, typing, optional))
            continue
        guarded = set()
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                if any(t is None or (dotted(t) or [""])[-1] in optional_errors for t in types):
                    guarded.update(map(id, node.body))
        checking = set(map(id, node.body)) if isinstance(node, ast.If) and is_type_checking(node.test) else set()
        for child in blocks(node):  # an import is a statement
            stack.append((child, typing or id(child) in checking, optional or id(child) in guarded))
    for node, typing, optional in sorted(found, key=lambda f: (f[0].lineno, f[0].col_offset)):
        for alias in node.names:
            whole = isinstance(node, ast.Import)
            module = alias.name if whole else node.module or ""
            item = {
                "module": clip(module),
                "name": "" if whole else clip(alias.name),
                "level": 0 if whole else min(node.level or 0, 99),
                "stdlib": (whole or not node.level) and module.split(".")[0] in STDLIB,
                "typing": typing,
                "optional": optional,
            }
            facts.add("imports", item, node)


def plain(node):
    """The value of a literal that JSON has; ValueError for anything else."""
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, (bool, int, float, str))):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [plain(e) for e in node.elts]
    if isinstance(node, ast.Dict):
        made = {plain(k): plain(v) for k, v in zip(node.keys, node.values)}
        if all(isinstance(k, str) for k in made):
            return made
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant) and type(node.operand.value) in (int, float):
        if isinstance(node.op, (ast.UAdd, ast.USub)):
            return node.operand.value if isinstance(node.op, ast.UAdd) else -node.operand.value
    raise ValueError("no plain value")


def literal(node):
    """The default as JSON text, "" where it is not a plain value."""
    try:
        text = written(plain(node), encode_basestring_ascii)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return ""
    return text if len(text) <= MAX_DEFAULT else ""


def note_main(facts, tree):
    def params(args):
        positional = [(a, "positional_only") for a in getattr(args, "posonlyargs", [])]
        positional += [(a, "positional_or_keyword") for a in args.args]
        missing = len(positional) - len(args.defaults)
        defaults = [None] * missing + args.defaults
        rows = [(a, kind, d) for (a, kind), d in zip(positional, defaults)]
        if args.vararg:
            rows.append((args.vararg, "var_positional", None))
        rows += [(a, "keyword_only", d) for a, d in zip(args.kwonlyargs, args.kw_defaults)]
        if args.kwarg:
            rows.append((args.kwarg, "var_keyword", None))
        for arg, kind, default in rows[:MAX_ITEMS]:
            note = facts.segment(arg.annotation) if arg.annotation is not None else ""
            item = {
                "name": clip(arg.arg),
                "kind": kind,
                "has_default": default is not None,
                "default": literal(default) if default is not None else "",
                "annotation": clip(" ".join(note.split())),
            }
            item.update(facts.place(arg))
            yield item
        if len(rows) > MAX_ITEMS:
            facts.doc["truncated"] = True

    stack = [(node, True) for node in reversed(tree.body)]
    while stack:
        node, top = stack.pop()
        kind, found = "", []
        if isinstance(node, DEFINITIONS):
            if node.name == "main":
                kind = {ast.FunctionDef: "function", ast.AsyncFunctionDef: "async"}.get(type(node), "class")
                found = list(params(node.args)) if kind != "class" else []
                kind = kind if top else "conditional"
        else:
            inside = list(blocks(node))
            if not inside:
                scope = Scope()
                scope.collect([node])
                if "main" in scope.bound:
                    kind = "import" if isinstance(node, (ast.Import, ast.ImportFrom)) else "assignment"
            stack.extend((child, False) for child in reversed(inside))
        if kind:
            facts.add("main", {"kind": kind, "params": found}, node)


def only_in_texts(facts, tree):
    """Tells whether all that is not ASCII stands in plain texts or in comments.

    A false answer costs time and a true one decides, so that whatever is not
    plain is false: a formatted text has code inside, and no place of its own
    for it before Python 3.12.
    """
    plain, formatted, stack = {}, {}, [tree]
    while stack:
        node = stack.pop()
        if type(node).__name__ in ("JoinedStr", "TemplateStr"):
            spans = formatted
        elif isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
            spans = plain
        else:
            stack.extend(children(node))
            continue
        for line in range(node.lineno, node.end_lineno + 1):
            begin = node.col_offset if line == node.lineno else 0
            spans.setdefault(line, []).append((begin, node.end_col_offset if line == node.end_lineno else MAX_SOURCE))
    for number, line in enumerate(facts.lines, 1):
        if line.isascii():
            continue
        texts = plain.get(number, [])
        if number in formatted:
            return False
        left = bytearray(line)
        for begin, end in texts:
            left[begin:end] = b" " * (min(end, len(line)) - min(begin, len(line)))
        comment = left.find(b"#")
        if not (left if comment < 0 else left[:comment]).isascii():
            return False
    return True


def note_identifiers(facts, tree, source):
    """Identifiers that are not ASCII as they stand; the parser normalizes them."""
    if only_in_texts(facts, tree):
        return
    import io, tokenize, unicodedata  # noqa: E401 - slow to load, and an ASCII file needs none

    seen = set()
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type != tokenize.NAME or token.string.isascii() or token.string in seen:
            continue
        seen.add(token.string)
        item = {"name": clip(token.string), "normal": clip(unicodedata.normalize("NFKC", token.string))}
        if len(facts.doc["identifiers"]) >= MAX_ITEMS:
            facts.doc["truncated"] = True
            return
        item.update(line=token.start[0], col=token.start[1] + 1)
        facts.doc["identifiers"].append(item)


def examine(facts, source):
    if len(source) > MAX_SOURCE:
        facts.fail("too_large", "more than %d bytes" % MAX_SOURCE)
        return
    try:
        tree = compile(source, "tool.py", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        compile(source, "tool.py", "exec", dont_inherit=True)  # finds what the grammar alone allows, such as a stray return
        for node in tree.body:
            facts.add("statements", {"kind": kind_of(node)}, node)
        note_imports(facts, tree)
        source.decode("utf-8")
        note_main(facts, tree)
        fold = Fold(tree)
        References(facts, tree, fold)
        purity = Purity(facts, tree)
        purity.statements(tree.body, "module", purity.scope)
        Threats(facts, tree, source, fold).run()
        if fold.exhausted:
            facts.doc["truncated"] = True
        if not source.isascii():
            note_identifiers(facts, tree, source)
    except SyntaxError as e:
        facts.fail("syntax", str(e.msg), e.lineno, e.offset)
    except UnicodeDecodeError as e:
        facts.fail("encoding", e.reason)
    except (RecursionError, MemoryError):
        facts.fail("limit", "nested too deeply or too large")
    except Exception as e:
        facts.fail("internal", "%s: %s" % (type(e).__name__, e))


def limit():
    """A second line behind the sandbox's own limits."""
    try:
        import resource

        for what, most in ((resource.RLIMIT_CPU, 20), (resource.RLIMIT_AS, 2 << 30), (resource.RLIMIT_CORE, 0)):
            soft, hard = resource.getrlimit(what)
            if hard == resource.RLIM_INFINITY or hard > most:
                resource.setrlimit(what, (most, hard))
    except (ImportError, OSError, ValueError):
        pass  # not on this system


if __name__ == "__main__":
    limit()
    warnings.simplefilter("ignore")
    if len(sys.argv) > 1:
        with open(sys.argv[1], "rb") as file:
            given = file.read(MAX_SOURCE + 1)
    else:
        given = sys.stdin.buffer.read(MAX_SOURCE + 1)
    report = Facts(given)
    examine(report, given)
    sys.stdout.buffer.write(report.dump())
    sys.stdout.buffer.flush()
    try:
        from posix import _exit
    except ImportError:
        from os import _exit
    _exit(0)  # taking a deep tree apart can overflow the stack
