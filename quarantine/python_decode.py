"""The operations with which constants are put together, as python_fold.py does them.

Part of the program that begins with python_scope.py. Each is bounded, and none
runs anything of the file.
"""

import _ast as ast
import codecs

MAX_FOLDED = 64 * 1024  # characters, bytes or items of one result
MAX_FOLD_STEPS = 200_000  # nodes looked at in one file; the most that one of 600 honest files needs is 20,000
MAX_FOLD_BYTES = 32 << 20  # of all results together
MAX_REPEATS = 10_000  # of one comprehension or map
MAX_MEANINGS = 6
GAP = "\ufffc"  # stands in a text for what is not constant


def wide(form):
    """Tells whether a form may ask for a width of four digits, or one that it is given."""
    if isinstance(form, bytes):
        form = form.decode("latin-1")
    run = 0
    for char in form:
        run = run + 1 if char.isdecimal() else 0
        if run == 4:
            return True
    return "*" in form


def between(form):
    """The texts around the fields of a form for the operator %."""
    texts, begin, at = [], 0, form.find("%")
    while at >= 0:
        end = at + 1
        if form.startswith("(", end):
            end = form.find(")", end) + 1 or len(form)
        while end < len(form) and form[end] in "-+ #0":
            end += 1
        while end < len(form) and (form[end] == "." or form[end].isdecimal()):
            end += 1
        if end < len(form) and form[end].isascii() and form[end].isalpha():
            texts.append(form[begin:at])
            begin = end + 1
        at = form.find("%", max(begin, at + 1))
    return texts + [form[begin:]]


class Unknown:
    """The value of what is not constant."""

    def __repr__(self):
        return "unknown"


NOTHING = Unknown()


class Partly(str):
    """A text of which only the parts between GAP are known."""


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
    import zlib

    if kind in ("zlib", "gzip"):
        machine = zlib.decompressobj(47 if kind == "zlib" else 31)
    else:
        import bz2, lzma  # noqa: E401 - seldom needed, and slow to load

        machine = bz2.BZ2Decompressor() if kind == "bz2" else lzma.LZMADecompressor(memlimit=64 << 20)
    out = machine.decompress(data, MAX_FOLDED + 1)
    if len(out) > MAX_FOLDED:
        raise ValueError("too large")
    return out


def based(name, *args):
    import base64

    return getattr(base64, name)(*args)


def unhex(value):
    import binascii

    return binascii.unhexlify(value)


def unbase(value):
    import binascii

    return binascii.a2b_base64(value)


def recode(value, name="utf-8", *rest):
    """codecs.decode, for the codecs that hide text."""
    name = name.lower().replace("-", "_")
    if name in ("zlib", "zip", "zlib_codec", "bz2", "bz2_codec"):
        return inflate(value, "bz2" if name.startswith("bz2") else "zlib")
    if name in ("hex", "hex_codec"):
        return unhex(value)
    if name in ("base64", "base64_codec"):
        return based("b64decode", value)
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
    "base64.b64decode": lambda v, *a: based("b64decode", v),
    "base64.standard_b64decode": lambda *a: based("b64decode", *a),
    "base64.urlsafe_b64decode": lambda v: based("urlsafe_b64decode", v),
    "base64.decodebytes": lambda v: based("decodebytes", v),
    "base64.b32decode": lambda v, *a: based("b32decode", v),
    "base64.b16decode": lambda v, *a: based("b16decode", v, True),
    "base64.b85decode": lambda v: based("b85decode", v) if len(v) < 4096 else NOTHING,  # quadratic in some versions
    "base64.a85decode": lambda v: based("a85decode", v) if len(v) < 4096 else NOTHING,
    "binascii.unhexlify": unhex,
    "binascii.a2b_hex": unhex,
    "binascii.a2b_base64": unbase,
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
