"""Makes bytecode from source, without running any of it. CPython 3.9 to 3.14.

launch RUNNER: reads the tool's source from standard input and writes one .pyc
that holds the runner's code with the tool's inside; exit code 3 when the
source does not compile.

tree DIRECTORY NAME: reads a JSON list of paths below DIRECTORY and writes for
each its .pyc, after its length in four bytes; a length of 0 means that it does
not compile. NAME is the directory that tracebacks will show.
"""
import importlib.util
import json
import marshal
import sys
import warnings

PLACE = "the code object of the tool"
REFUSALS = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError)


def pyc(code, check):
    # Flags 1: found by hash, and the hash not compared on import; the files
    # are made once and mounted read-only.
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + check + marshal.dumps(code)


def launch(runner):
    try:
        tool = compile(sys.stdin.buffer.read(), "/tmp/tool.py", "exec", 0, True)
    except REFUSALS:
        sys.exit(3)
    code = compile(runner, "<runner>", "exec", 0, True)
    if code.co_consts.count(PLACE) != 1:
        sys.exit("the runner has no place for the tool")
    code = code.replace(co_consts=tuple(tool if c == PLACE else c for c in code.co_consts))
    return pyc(code, bytes(8))


def tree(directory, name):
    for path in json.load(sys.stdin.buffer):
        with open(directory + "/" + path, "rb") as file:
            source = file.read()
        try:
            code = compile(source, name + "/" + path, "exec", 0, True)
            data = pyc(code, importlib.util.source_hash(source))
        except REFUSALS:
            data = b""
        sys.stdout.buffer.write(len(data).to_bytes(4, "little") + data)
    return b""


warnings.simplefilter("ignore")
sys.stdout.buffer.write({"launch": launch, "tree": tree}[sys.argv[1]](*sys.argv[2:]))
