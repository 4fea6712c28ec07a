"""Prints, as one line of JSON, how a function of a Python file is called.

Usage: python3 -I -S -B program.py     (standard input: NAME, a line end, the source)

The source is parsed, never executed; nothing of it is imported. NAME may be
empty. Python 3.8 or later.
"""

import ast
import json
import sys

MAX_TEXT = 4096
MAX_ITEMS = 200

SCALARS = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "complex": None,
    "Path": "string", "PurePath": "string", "PathLike": "string", "AnyStr": "string",
    "dict": "object", "Dict": "object", "Mapping": "object", "MutableMapping": "object", "TypedDict": "object",
}
ARRAYS = {"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "tuple", "Tuple"}
READS = {"read_text", "read_bytes", "listdir", "scandir", "iterdir", "glob", "rglob", "walk"}
WRITES = {"write_text", "write_bytes", "mkdir", "makedirs", "unlink", "rmdir", "rename", "replace_file", "rmtree", "copyfile", "touch"}


def clip(text):
    return text[:MAX_TEXT]


def last(node):
    """The last name of a dotted name, "" of anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return ""


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None or last(node) == "None"


def members(node):
    """What stands between the brackets of a subscript."""
    inner = node.slice
    if type(inner).__name__ == "Index":  # Python 3.8
        inner = inner.value
    return list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]


def join(parts):
    """The schema that all parts have, None where they differ."""
    parts = [read_type(p) for p in parts]
    return parts[0] if parts and all(p == parts[0] for p in parts) else None


def read_type(node):
    """A JSON Schema of an annotation, None where it says too little."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return read_type(ast.parse(node.value, mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    if is_none(node):
        return {"type": "null"}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return join([n for n in (node.left, node.right) if not is_none(n)])
    if isinstance(node, ast.Subscript):
        name, inside = last(node.value), members(node)
        if name in ("Optional", "Union"):
            return join([n for n in inside if not is_none(n)])
        if name in ("Annotated", "Final", "Required", "NotRequired"):
            return read_type(inside[0])
        if name == "Literal":
            kinds = {type(n.value) for n in inside if isinstance(n, ast.Constant)}
            if len(kinds) != 1 or len(inside) != sum(isinstance(n, ast.Constant) for n in inside):
                return None
            kind = {str: "string", int: "integer", bool: "boolean"}.get(kinds.pop())
            return {"type": kind} if kind else None
        if name in ARRAYS:
            inside = [n for n in inside if not (isinstance(n, ast.Constant) and n.value is Ellipsis)]
            items = join(inside)
            return {"type": "array", "items": items} if items else {"type": "array"}
        return {"type": "object"} if SCALARS.get(name) == "object" else None
    name = last(node)
    if name in ARRAYS:
        return {"type": "array"}
    return {"type": SCALARS[name]} if SCALARS.get(name) else None


def type_of(value):
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"), (dict, "object")):
        if isinstance(value, kind):
            return {"type": name}
    return None


def text_of(source, node):
    return clip(ast.get_source_segment(source, node) or "")


def read_default(source, node):
    """A default as JSON text, "" where it is no plain value."""
    try:
        value = ast.literal_eval(node)
        if isinstance(value, tuple):
            value = list(value)
        out = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if json.loads(out) != value:
            return "", None
        return (out, type_of(value)) if len(out) <= MAX_TEXT else ("", None)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return "", None


def parameters(source, args):
    plain = getattr(args, "posonlyargs", []) + args.args
    missing = len(plain) - len(args.defaults)
    rows = [(a, "positional_only" if i < len(getattr(args, "posonlyargs", [])) else "plain",
             args.defaults[i - missing] if i >= missing else None) for i, a in enumerate(plain)]
    rows += [(a, "keyword_only", d) for a, d in zip(args.kwonlyargs, args.kw_defaults)]
    rows += [(a, "var_positional", None) for a in [args.vararg] if a]
    rows += [(a, "var_keyword", None) for a in [args.kwarg] if a]
    out = []
    for arg, kind, default in rows[:MAX_ITEMS]:
        one = {"name": arg.arg, "kind": kind, "schema": None, "annotation": "", "has_default": default is not None, "default": "", "default_text": ""}
        if arg.annotation is not None:
            one["annotation"], one["schema"] = text_of(source, arg.annotation), read_type(arg.annotation)
        if default is not None:
            one["default"], guessed = read_default(source, default)
            one["default_text"] = text_of(source, default)
            one["schema"] = one["schema"] or guessed
        out.append(one)
    return out


def is_guard(node):
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare) or len(node.test.comparators) != 1:
        return False
    sides = [node.test.left, node.test.comparators[0]]
    return any(last(s) == "__name__" for s in sides) and any(isinstance(s, ast.Constant) and s.value == "__main__" for s in sides)


def bound(node):
    """The names that a statement at the top level binds."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(a.asname or a.name).split(".")[0] for a in node.names]
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def files(tree):
    """How the source seems to use files, by the names of what it calls."""
    found = "none"
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = last(node.func)
        mode = "".join(a.value for a in node.args[1:2] + [k.value for k in node.keywords if k.arg == "mode"]
                       if isinstance(a, ast.Constant) and isinstance(a.value, str))
        if name in WRITES or name == "open" and set(mode) & set("wax+"):
            return "read-write"
        if name in READS or name == "open":
            found = "read-only"
    return found


def unions(tree):
    """Whether annotations that are evaluated have X | Y, which needs Python 3.10."""
    if any(isinstance(n, ast.ImportFrom) and n.module == "__future__" and any(a.name == "annotations" for a in n.names) for n in tree.body):
        return False
    for node in ast.walk(tree):
        for a in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if a is not None and any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.BitOr) for n in ast.walk(a)):
                return True
    return False


def describe(wanted, source):
    tree = ast.parse(source)
    defs = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    doc = {
        "schema": 1, "error": "", "line": 0, "functions": [n.name for n in defs if not n.name.startswith("_")][:MAX_ITEMS],
        "found": False, "async": False, "decorated": False, "doc": "", "module_doc": clip(ast.get_docstring(tree) or ""),
        "params": [], "returns": None, "returns_text": "", "files": files(tree), "unions": unions(tree),
        "names": sorted({b for n in tree.body if not is_guard(n) for b in bound(n)})[:10 * MAX_ITEMS],
        "guards": [[n.lineno, n.end_lineno] for n in tree.body if is_guard(n)][:MAX_ITEMS],
    }
    if not wanted:
        wanted = "main" if any(n.name == "main" for n in defs) else doc["functions"][0] if len(doc["functions"]) == 1 else ""
    for node in defs:
        if node.name == wanted:  # the last one counts, as for Python
            doc.update(found=True, doc=clip(ast.get_docstring(node) or ""), line=node.lineno, decorated=bool(node.decorator_list),
                       params=parameters(source, node.args), returns=None, returns_text="")
            doc["async"] = isinstance(node, ast.AsyncFunctionDef)
            if node.returns is not None:
                doc["returns"], doc["returns_text"] = read_type(node.returns), text_of(source, node.returns)
    doc["function"] = wanted
    return doc


def run():
    data = sys.stdin.buffer.read()
    name, _, source = data.partition(b"\n")
    try:
        doc = describe(name.decode("ascii"), source.decode("utf-8"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        doc = {"schema": 1, "error": clip(getattr(e, "msg", None) or "%s: %s" % (type(e).__name__, e)), "line": getattr(e, "lineno", 0) or 0}
    sys.stdout.buffer.write(json.dumps(doc, separators=(",", ":")).encode("ascii") + b"\n")


run()
