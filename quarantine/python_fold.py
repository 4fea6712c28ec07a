"""Folds constant expressions and says what a callee is, executing nothing of the file.

Part of the program that begins with python_scope.py. An own interpreter of the
few operations with which constants are put together: it knows no names but
those listed here, looks at every node once, and has a budget. A handler is a
generator that yields the nodes whose values it needs, so that depth of the tree
costs memory and never the stack of the interpreter.
"""

import _string
import ast
import base64
import binascii
import builtins
import codecs
import re
import zlib

MAX_FOLDED = 64 * 1024  # characters, bytes or items of one result
MAX_FOLD_STEPS = 1_000_000  # nodes looked at in one file, far above what an honest one needs
MAX_FOLD_BYTES = 32 << 20  # of all results together
MAX_REPEATS = 10_000  # of one comprehension or map
MAX_MEANINGS = 6
GAP = "\ufffc"  # stands in a text for what is not constant


class Unknown:
    """The value of what is not constant."""

    def __repr__(self):
        return "unknown"


NOTHING = Unknown()


class Partly(str):
    """A text of which only the parts between GAP are known."""


BINDING = frozenset(
    [ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign]
    + [ast.arg, ast.For, ast.AsyncFor, ast.comprehension, ast.withitem, ast.ExceptHandler, ast.Delete]
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


def size(value):
    if isinstance(value, (str, bytes, list, tuple, dict)):
        return len(value)
    return value.bit_length() // 8 if isinstance(value, int) else 0


def fixed(value):
    """Tells whether nobody can change the value behind its name."""
    if isinstance(value, tuple):
        return all(isinstance(v, (str, bytes, int, float, type(None))) for v in value)
    return isinstance(value, (str, bytes, int, float, type(None)))


def inflate(data, kind):
    """Decompresses at most MAX_FOLDED bytes; more than that is refused."""
    if kind in ("zlib", "gzip"):
        machine = zlib.decompressobj(47 if kind == "zlib" else 31)
    else:
        import bz2, lzma  # noqa: E401 - seldom needed, and slow to load

        machine = bz2.BZ2Decompressor() if kind == "bz2" else lzma.LZMADecompressor(memlimit=64 << 20)
    out = machine.decompress(data, MAX_FOLDED + 1)
    if len(out) > MAX_FOLDED:
        raise ValueError("too large")
    return out


def recode(value, name="utf-8", *rest):
    """codecs.decode, for the codecs that hide text."""
    name = name.lower().replace("-", "_")
    if name in ("zlib", "zip", "zlib_codec", "bz2", "bz2_codec"):
        return inflate(value, "bz2" if name.startswith("bz2") else "zlib")
    if name in ("hex", "hex_codec"):
        return binascii.unhexlify(value)
    if name in ("base64", "base64_codec"):
        return base64.b64decode(value)
    if name in ("rot13", "rot_13"):
        return codecs.decode(value, "rot13")
    if name in TEXT_CODECS:
        return codecs.decode(value, name)
    raise ValueError(name)


def encode(value, name="utf-8", *rest):
    name = name.lower().replace("-", "_")
    if name in ("rot13", "rot_13"):
        return codecs.encode(value, "rot13")
    if name in TEXT_CODECS:
        return codecs.encode(value, name, "replace")
    raise ValueError(name)


def number(value, base=10):
    if isinstance(value, (str, bytes)) and len(value) > 4000:
        raise ValueError("too large")
    return int(value) if base == 10 or isinstance(value, (int, float)) else int(value, base)


def text_of(value, name="utf-8", *rest):
    if isinstance(value, bytes):
        return recode(value, name)
    if not isinstance(value, (str, int, type(None))) or isinstance(value, int) and value.bit_length() > 10_000:
        raise ValueError("no plain text")
    return str(value)


def bytes_of(value, name="utf-8", *rest):
    if isinstance(value, int):
        raise ValueError("zeros")
    return encode(value, name) if isinstance(value, str) else bytes(value)


def unquoted(value):
    import urllib.parse

    return urllib.parse.unquote(value)


def unescaped(value):
    import html

    return html.unescape(value)


def joined_path(*parts):
    return "/".join(p.decode() if isinstance(p, bytes) else p for p in parts)


TEXT_CODECS = frozenset("utf_8 utf8 ascii us_ascii latin_1 latin1 iso_8859_1 utf_16 utf_16le utf_16_le utf_32 unicode_escape raw_unicode_escape".split())

# The functions that are folded, by their resolved names. None of them reads or
# changes anything, and what can make much of little is bounded here or by weigh.
FUNCTIONS = {
    "builtins.chr": chr,
    "builtins.ord": ord,
    "builtins.int": number,
    "builtins.str": text_of,
    "builtins.bytes": bytes_of,
    "builtins.bytearray": bytes_of,
    "builtins.list": list,
    "builtins.tuple": tuple,
    "builtins.len": len,
    "builtins.hex": hex,
    "builtins.reversed": lambda v: list(reversed(v)),
    "builtins.range": lambda *a: list(range(*a)) if len(range(*a)) <= MAX_REPEATS else NOTHING,
    "builtins.zip": lambda *a: [tuple(t) for t in zip(*a)],
    "builtins.enumerate": lambda v, start=0: [tuple(t) for t in enumerate(v, start)],
    "builtins.bytes.fromhex": bytes.fromhex,
    "builtins.bytearray.fromhex": bytes.fromhex,
    "builtins.dict": dict,
    "base64.b64decode": lambda v, *a: base64.b64decode(v),
    "base64.standard_b64decode": base64.b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.decodebytes": base64.decodebytes,
    "base64.b32decode": lambda v, *a: base64.b32decode(v),
    "base64.b16decode": lambda v, *a: base64.b16decode(v, True),
    "base64.b85decode": lambda v: base64.b85decode(v) if len(v) < 4096 else NOTHING,  # quadratic in some versions
    "base64.a85decode": lambda v: base64.a85decode(v) if len(v) < 4096 else NOTHING,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.unhexlify,
    "binascii.a2b_base64": binascii.a2b_base64,
    "codecs.decode": recode,
    "codecs.encode": encode,
    "zlib.decompress": lambda v, *a: inflate(v, "zlib"),
    "gzip.decompress": lambda v: inflate(v, "gzip"),
    "bz2.decompress": lambda v: inflate(v, "bz2"),
    "lzma.decompress": lambda v: inflate(v, "lzma"),
    "urllib.parse.unquote": unquoted,
    "html.unescape": unescaped,
    "os.path.join": joined_path,
    "os.path.expanduser": lambda v: v,
    "os.path.expandvars": lambda v: v,
    "os.path.abspath": lambda v: v,
    "os.path.normpath": lambda v: v,
    "os.fsencode": lambda v: v,
    "os.fspath": lambda v: v,
    "pathlib.Path": joined_path,
    "pathlib.PurePath": joined_path,
    "pathlib.PosixPath": joined_path,
    "pathlib.WindowsPath": joined_path,
    "textwrap.dedent": lambda v: v,
}
METHODS = {
    str: {
        "lower": str.lower, "upper": str.upper, "strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip,
        "swapcase": str.swapcase, "title": str.title, "capitalize": str.capitalize, "split": str.split, "rsplit": str.rsplit,
        "splitlines": str.splitlines, "encode": encode, "casefold": str.casefold, "translate": str.translate,
        "expanduser": lambda v: v, "resolve": lambda v: v, "absolute": lambda v: v, "as_posix": lambda v: v,
        "joinpath": joined_path,
    },
    bytes: {
        "decode": recode, "hex": bytes.hex, "strip": bytes.strip, "lower": bytes.lower, "upper": bytes.upper,
        "split": bytes.split, "translate": bytes.translate,
    },
    int: {"to_bytes": lambda v, n=1, order="big": v.to_bytes(n, order) if n <= 4096 else NOTHING},
    list: {"copy": list}, dict: {"get": dict.get, "keys": list, "values": lambda d: list(d.values())},
    tuple: {},
}  # fmt: skip
OPERATORS = {
    ast.Sub: lambda a, b: a - b, ast.FloorDiv: lambda a, b: a // b, ast.BitXor: lambda a, b: a ^ b,
    ast.BitAnd: lambda a, b: a & b, ast.BitOr: lambda a, b: a | b, ast.RShift: lambda a, b: a >> min(b, 1 << 20),
    ast.LShift: lambda a, b: a << b if b < 8192 else NOTHING,
    ast.Pow: lambda a, b: a**b if 0 <= b and a.bit_length() * b < 8192 else NOTHING,
}  # fmt: skip


class Fold:
    """Folds constants of one tree.

    text(node) is a str or bytes that the expression always has, else None.
    loose(node) is a str that it has as far as anybody can tell, with GAP for
    what is unknown, else None; it also believes attributes, and lists that
    might have been changed since. names(node) are the dotted names that the
    expression may stand for: "os.system", "builtins.eval", "socket.socket().send".

    exhausted says that the file used up the budget, so that None means nothing.
    """

    def __init__(self, tree):
        self.bindings = Bindings(tree)
        self.memo = {True: {}, False: {}}
        self.known, self.by_name, self.by_attribute = {}, {}, {}
        self.cut = False  # meanings were followed to their limit
        self.steps, self.bytes = MAX_FOLD_STEPS, MAX_FOLD_BYTES
        self.exhausted = False

    def text(self, node):
        value = self.value(node)
        return value if type(value) in (str, bytes) else None

    def loose(self, node):
        value = self.value(node, strict=False)
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        return str(value) if isinstance(value, str) else None

    def names(self, node):
        key = id(node)
        if key not in self.known:
            found = self.run(self.meanings(node), None, False)
            self.known[key] = [] if found is NOTHING else found
        return self.known[key]

    def value(self, node, strict=True):
        return self.run(self.only(node), None, strict)

    def only(self, node):
        return (yield node)

    def run(self, task, env, strict):
        """Drives generators: each yields a node, or (node, names), and is sent its value."""
        self.strict, self.open = strict, set()
        stack, answer = [(task, env, None)], None
        while stack:
            task, env, key = stack[-1]
            try:
                wanted = task.send(answer)
            except StopIteration as e:
                answer = e.value if key is None else self.weigh(e.value)
            except (RecursionError, MemoryError):
                answer, self.exhausted = NOTHING, True
            except Exception:  # an operation that fails has no value
                answer = NOTHING
            else:
                node, env = wanted if isinstance(wanted, tuple) else (wanted, env)
                answer, task = self.begin(node, env)
                if task is not None:
                    stack.append((task, env, id(node)))
                    answer = None
                continue
            stack.pop()
            self.open.discard(key)
            if env is None and key is not None:
                self.memo[strict][key] = answer
        return answer

    def begin(self, node, env):
        """The value of a node at once, or the generator that makes it."""
        self.steps -= 1
        if isinstance(node, ast.Constant):
            known = isinstance(node.value, (str, bytes, int, float, type(None))) and size(node.value) <= MAX_FOLDED
            return (node.value if known else NOTHING), None
        memo, key = self.memo[self.strict], id(node)
        if env is None and key in memo:
            return memo[key], None
        handler = HANDLERS.get(type(node).__name__)
        if handler is None or self.steps < 0 or env is None and key in self.open:
            self.exhausted = self.exhausted or self.steps < 0
            return NOTHING, None
        self.open.add(key)
        return None, getattr(self, handler)(node, env)

    def weigh(self, value):
        if value is NOTHING or size(value) > MAX_FOLDED:
            return NOTHING
        self.bytes -= size(value)
        if self.bytes < 0:
            self.exhausted = True
            return NOTHING
        return value

    def sequence(self, node, env):
        values = []
        for part in node.elts:
            if isinstance(part, ast.Starred):
                values.extend((yield part.value))
            else:
                values.append((yield part))
        if self.strict and any(v is NOTHING for v in values):
            return NOTHING
        return tuple(values) if isinstance(node, ast.Tuple) else values

    def dictionary(self, node, env):
        made = {}
        for key, value in zip(node.keys, node.values):
            made[(yield key)] = yield value
        return NOTHING if any(v is NOTHING for pair in made.items() for v in pair) else made

    def name(self, node, env):
        if env is not None and node.id in env:
            return env[node.id]
        found = self.bindings.names.get(node.id, [])
        if len(found) != 1 or found[0][0] != "value":
            return NOTHING
        value = yield found[0][1], None
        return value if not self.strict or fixed(value) else NOTHING

    def attribute(self, node, env):
        if self.strict:
            return NOTHING
        for full in (yield from self.meanings(node)):
            if full in CONSTANTS:
                return CONSTANTS[full]
        found = self.bindings.attributes.get(node.attr, [])
        if len(found) != 1 or found[0][0] != "value" or found[0][1] is None:
            return NOTHING
        return (yield found[0][1], None)

    def binary(self, node, env):
        if isinstance(node.op, ast.Add):
            # Long sums are deep trees; they are taken apart here at once.
            parts = [node]
            while isinstance(parts[-1], ast.BinOp) and isinstance(parts[-1].op, ast.Add):
                parts[-1:] = [parts[-1].right, parts[-1].left]
            values = []
            for part in reversed(parts):
                values.append((yield part))
            return self.added(values)
        left, right = (yield node.left), (yield node.right)
        if isinstance(node.op, ast.Mod) and isinstance(left, (str, bytes)):
            return self.percent(left, right)
        if isinstance(node.op, ast.Mult) and isinstance(left, int) and isinstance(right, int):
            return left * right if size(left) + size(right) < 1024 else NOTHING
        if isinstance(node.op, ast.Mult) and size(left if isinstance(right, int) else right) * (right if isinstance(right, int) else left) <= MAX_FOLDED:
            return left * right
        if isinstance(node.op, ast.Mod) and isinstance(right, int):
            return left % right
        if isinstance(node.op, ast.Div) and not self.strict and (isinstance(left, str) or isinstance(right, str)):
            return self.glue([left, "/", right])
        if isinstance(left, int) and isinstance(right, int) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](left, right)
        return NOTHING

    def added(self, values):
        if not self.strict and any(isinstance(v, str) for v in values):
            return self.glue(values)
        if any(v is NOTHING for v in values):
            return NOTHING
        if all(isinstance(v, str) for v in values) or all(isinstance(v, bytes) for v in values):
            return values[0][:0].join(values) if sum(map(len, values)) <= MAX_FOLDED else NOTHING
        total = values[0]
        for value in values[1:]:
            total = total + value
            if size(total) > MAX_FOLDED:
                return NOTHING
        return total

    def glue(self, values):
        """The texts one after the other, with gaps; nothing where all is gap."""
        texts = [v if isinstance(v, str) else text_of(v) if type(v) is int else GAP for v in values]
        whole = "".join(texts)[:MAX_FOLDED]
        whole = re.sub(GAP + "{2,}", GAP, whole)
        if GAP not in whole:
            return whole
        return Partly(whole) if whole.strip(GAP) else NOTHING

    def percent(self, form, values):
        group = values if isinstance(values, tuple) else (values,)
        if not self.strict and isinstance(form, str) and any(v is NOTHING or isinstance(v, Partly) for v in group):
            pieces, rest = re.split(r"%(?:\([^)]*\))?[-+ #0]*[\d.]*[a-zA-Z]", form), list(group)
            glued = [pieces[0]]
            for piece in pieces[1:]:
                glued += [rest.pop(0) if rest and "%(" not in form else NOTHING, piece]
            return self.glue(glued)
        if any(v is NOTHING for v in group) or re.search(rb"\d{4}|\*" if isinstance(form, bytes) else r"\d{4}|\*", form):
            return NOTHING
        largest = max([size(v) for v in group] + [size(v) for d in group if isinstance(d, dict) for v in d.values()] + [16])
        percents = form.count(b"%" if isinstance(form, bytes) else "%")
        return form % values if percents * (largest * 3 + 999) <= 16 * MAX_FOLDED else NOTHING

    def formatted(self, form, args, named):
        """str.format, for fields that are a name, a number or nothing, without nested widths."""
        out, at, free = [], 0, iter(args)
        for literal, field, spec, conversion in _string.formatter_parser(form):
            out.append(literal)
            if field is None:
                continue
            if field == "":
                value = next(free, NOTHING)
            else:
                value = args[int(field)] if field.isdigit() and int(field) < len(args) else named.get(field, NOTHING)
            if spec or conversion:
                value = self.in_form(value, spec)
            out.append(value)
            at += size(value)
            if at > MAX_FOLDED:
                return NOTHING
        return self.text_with_gaps(out)

    def text_with_gaps(self, parts):
        if not self.strict:
            return self.glue(parts)
        if any(v is NOTHING for v in parts):
            return NOTHING
        return "".join(text_of(v) if type(v) is int else v for v in parts)

    def in_form(self, value, spec):
        """format(value, spec) for a spec without great widths."""
        short = isinstance(spec, str) and re.match(r"^[<>=^+ #0-9.]{0,4}[a-zA-Z]?$", spec) and not re.search(r"\d{4}", spec)
        return format(value, spec) if short and type(value) in (str, int) else NOTHING

    def fstring(self, node, env):
        parts, total = [], 0
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = yield part.value
                if part.format_spec is not None:
                    value = self.in_form(value, (yield part.format_spec))
                if part.conversion == 114 or isinstance(value, bytes):
                    value = NOTHING
            else:
                value = yield part
            parts.append(value)
            total += size(value)
            if total > MAX_FOLDED:
                return NOTHING
        return self.text_with_gaps(parts)

    def subscript(self, node, env):
        value = yield node.value
        index = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice  # before 3.9
        if value is NOTHING and not self.strict:
            full = yield from self.meanings(node.value)
            key = (yield index) if "os.environ" in full and not isinstance(index, ast.Slice) else NOTHING
            return Partly("$" + key + GAP) if isinstance(key, str) else NOTHING
        if value is NOTHING or isinstance(value, Partly):
            return NOTHING
        if isinstance(index, ast.Slice):
            ends = []
            for part in (index.lower, index.upper, index.step):
                ends.append(None if part is None else (yield part))
            return NOTHING if any(e is NOTHING for e in ends) else value[slice(*ends)]
        key = yield index
        return NOTHING if key is NOTHING else value[key]

    def unary(self, node, env):
        value = yield node.operand
        if isinstance(node.op, ast.Not):
            return NOTHING if value is NOTHING else not value
        if isinstance(value, int):
            return {ast.USub: lambda: -value, ast.UAdd: lambda: +value, ast.Invert: lambda: ~value}[type(node.op)]()
        return NOTHING

    def either(self, node, env):
        test = yield node.test
        if test is NOTHING:
            return NOTHING
        return (yield node.body if test else node.orelse)

    def alternatives(self, node, env):
        value = NOTHING
        for part in node.values:
            value = yield part
            if value is NOTHING or isinstance(value, Partly) or bool(value) == isinstance(node.op, ast.Or):
                return value
        return value

    def inner(self, node, env):
        return (yield node.value)

    def repeated(self, node, env):
        """A comprehension with one loop over a constant."""
        if len(node.generators) != 1 or not isinstance(node.generators[0].target, (ast.Name, ast.Tuple)):
            return NOTHING
        loop, out = node.generators[0], []
        items = yield loop.iter
        if items is NOTHING or isinstance(items, Partly) or len(items) > MAX_REPEATS:
            return NOTHING
        names = target_names(loop.target)
        for item in items:
            here = dict(env or {}, **dict(zip(names, item if isinstance(loop.target, ast.Tuple) else [item])))
            keep = True
            for test in loop.ifs:
                keep = keep and (yield test, here)
            if keep is NOTHING:
                return NOTHING
            if keep:
                out.append((yield node.elt, here))
                if out[-1] is NOTHING:
                    return NOTHING
        return set(out) if isinstance(node, ast.SetComp) else out

    def compare(self, node, env):
        left, right = (yield node.left), (yield node.comparators[0])
        if len(node.ops) != 1 or left is NOTHING or right is NOTHING or type(node.ops[0]) not in (ast.Eq, ast.NotEq):
            return NOTHING
        return (left == right) == isinstance(node.ops[0], ast.Eq)

    def call(self, node, env):
        keywords = [k for k in node.keywords if k.arg not in ("encoding", "errors", "validate", "byteorder")]
        full = yield from self.meanings(node.func)
        function = next((FUNCTIONS[f] for f in full if f in FUNCTIONS), None)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if "builtins.map" in full and len(node.args) == 2:
            return (yield from self.mapped(node))
        if function is None and not method:
            return NOTHING
        base = NOTHING if function is not None else (yield node.func.value)
        args = []
        for arg in node.args:
            value = yield arg.value if isinstance(arg, ast.Starred) else arg
            args.extend(value if isinstance(arg, ast.Starred) else [value])
        named = {}
        for keyword in node.keywords if method == "format" else []:
            named[keyword.arg] = yield keyword.value
        if method == "format" and isinstance(base, str) and type(base) is str:
            return self.formatted(base, args, named)
        if not self.strict and function is joined_path:
            return self.glue([p for a in args for p in ("/", a)][1:])
        if not self.strict and method == "joinpath" and isinstance(base, str):
            return self.glue([base] + [p for a in args for p in ("/", a)])
        if not self.strict and function is None and any(f in HOMES for f in full):
            return Partly(GAP)
        if keywords or any(a is NOTHING or isinstance(a, Partly) for a in args):
            return self.joined(base, args) if method == "join" and not self.strict else NOTHING
        if function is not None:
            return function(*args)
        if isinstance(base, Partly):
            return base if method in ("expanduser", "resolve", "absolute", "as_posix", "strip", "encode", "format") else NOTHING
        if method == "join":
            return self.joined(base, args)
        if method == "replace" and len(args) >= 2:
            least = max(len(args[0]), 1)
            return base.replace(*args) if (len(base) // least + 1) * len(args[1]) + len(base) <= 4 * MAX_FOLDED else NOTHING
        if method == "translate" and isinstance(args[0], dict) and any(size(v) > 4 for v in args[0].values() if not isinstance(v, int)):
            return NOTHING
        known = METHODS.get(type(base), {})
        return known[method](base, *args) if method in known else NOTHING

    def joined(self, base, args):
        items = args[0] if len(args) == 1 else NOTHING
        if base is NOTHING or items is NOTHING or isinstance(base, Partly) or size(base) * len(items) + sum(map(size, items)) > MAX_FOLDED:
            return NOTHING
        if any(v is NOTHING or isinstance(v, Partly) for v in items):
            return self.glue([p for v in items for p in (base, v)][1:])
        return base.join(items)

    def mapped(self, node):
        function, items = node.args[0], (yield node.args[1])
        if items is NOTHING or isinstance(items, Partly) or len(items) > MAX_REPEATS:
            return NOTHING
        out = []
        if isinstance(function, ast.Lambda) and len(function.args.args) == 1:
            for item in items:
                out.append((yield function.body, {function.args.args[0].arg: item}))
            return NOTHING if any(v is NOTHING for v in out) else out
        full = yield from self.meanings(function)
        known = next((FUNCTIONS[f] for f in full if f in FUNCTIONS), None)
        return NOTHING if known is None else [known(i) for i in items]

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
        return found

    def item_meanings(self, node, depth):
        index = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice
        found = []
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


HANDLERS = {
    "Tuple": "sequence", "List": "sequence", "Set": "sequence", "Dict": "dictionary", "Name": "name", "Attribute": "attribute",
    "BinOp": "binary", "JoinedStr": "fstring", "Subscript": "subscript", "UnaryOp": "unary", "IfExp": "either",
    "BoolOp": "alternatives", "NamedExpr": "inner", "Await": "inner", "ListComp": "repeated", "GeneratorExp": "repeated",
    "SetComp": "repeated", "Compare": "compare", "Call": "call",
}  # fmt: skip
