"""Makes bytecode from source, without running any of it. CPython 3.9 to 3.14.

launch RUNNER: reads the tool's source from standard input and writes, each
after its length in four bytes, the .pyc of the runner, the tool's code, and the
names of the modules of the standard library that the tool begins by importing;
exit code 3 when the source does not compile.

program: reads the source of a program of ours from standard input and writes
its .pyc, after its length in four bytes; exit code 3 as above.

tree DIRECTORY NAME: reads a JSON list of paths below DIRECTORY and writes for
each its .pyc, after its length in four bytes; a length of 0 means that it does
not compile. NAME is the directory that tracebacks will show.
"""
import ast
import importlib
import importlib.util
import io
import json
import marshal
import sys
import warnings

REFUSALS = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError)


def pyc(code, check):
    # Flags 1: found by hash, and the hash not compared on import; the files
    # are made once and mounted read-only.
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + check + marshal.dumps(code)


def part(data):
    return len(data).to_bytes(4, "little") + data


def imports(source):
    """The names of the modules that a tool imports before it does anything else.

    Only the standard library is in sight here. The list ends before what is
    not in it, and before a module that prints or warns when it is imported,
    for that must happen in the tool's own time.
    """
    names = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            wanted = [node.module]
        else:
            break
        for name in wanted:
            if not silent(name):
                return names
            names.append(name)
    return names


def silent(name):
    streams, said = (sys.stdout, sys.stderr), io.StringIO()
    sys.stdout = sys.stderr = said
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            importlib.import_module(name)
        return not warned and not said.getvalue()
    except BaseException:
        return False
    finally:
        sys.stdout, sys.stderr = streams


def launch(runner):
    source = sys.stdin.buffer.read()
    try:
        tool = compile(source, "/tmp/tool.py", "exec", 0, True)
        names = imports(source)
    except REFUSALS:
        sys.exit(3)
    runner = compile(runner, "<runner>", "exec", 0, True)
    return part(pyc(runner, bytes(8))) + part(marshal.dumps(tool)) + part("\n".join(names).encode())


def program():
    try:
        code = compile(sys.stdin.buffer.read(), "<program>", "exec", 0, True)
    except REFUSALS:
        sys.exit(3)
    return part(pyc(code, bytes(8)))


def tree(directory, name):
    for path in json.load(sys.stdin.buffer):
        with open(directory + "/" + path, "rb") as file:
            source = file.read()
        try:
            code = compile(source, name + "/" + path, "exec", 0, True)
            data = pyc(code, importlib.util.source_hash(source))
        except REFUSALS:
            data = b""
        sys.stdout.buffer.write(part(data))
    return b""


warnings.simplefilter("ignore")
sys.stdout.buffer.write({"launch": launch, "program": program, "tree": tree}[sys.argv[1]](*sys.argv[2:]))
