"""Runs one proposed tool and records what it reaches.

Arguments: how ("import", or "call" as the program would be), the paths of the
tool and of its arguments, the directory of its packages or "". On descriptor 0
comes the key of the record, 32 bytes. CPython 3.8 to 3.14.

The record goes to the standard output, between whatever the tool prints, and
through a descriptor of its own. Each entry has its number and a code (HMAC)
over itself, which nobody makes without the key: what the tool writes there is no
entry, and an entry that it takes away is a gap. The tool and the recorder share
one interpreter, so who finds the key in its memory can forge what comes after
that; the known ways to it are entries themselves.
"""
import sys

import _imp
import _json
import _posixsubprocess
import _signal
import _thread
import gc
import itertools
import os
import posix

try:
    from _sha2 import sha256
except ImportError:
    try:
        from _sha256 import sha256
    except ImportError:
        from _hashlib import openssl_sha256 as sha256


def install():
    """Start to record. When this returns, no name leads to the key or the hook.

    The tool can put something else in the place of every builtin and of every
    function of a module, so what the hook needs is bound here, before the tool
    is there. It calls no method of a foreign object: the tool's own code, run
    within the hook, would see the hook's names.
    """
    out = posix.dup(1)
    key = b""
    while len(key) < 32:
        part = posix.read(0, 32 - len(key))
        if not part:
            posix._exit(1)
        key += part
    inner = sha256(bytes(b ^ 0x36 for b in key.ljust(64, b"\0")))
    outer = sha256(bytes(b ^ 0x5C for b in key.ljust(64, b"\0")))
    quote, number = _json.encode_basestring_ascii, itertools.count(1).__next__
    write, leave, getpid, getcwd = posix.write, posix._exit, posix.getpid, posix.getcwd
    ident, getframe, audit = _thread.get_ident, sys._getframe, sys.audit
    is_subclass, kind_of, size = issubclass, type, len
    as_str, as_int, as_code, starts, find, join = str.__str__, int.__int__, kind_of(install.__code__), str.startswith, str.find, str.join
    decode, encode, is_absolute = bytes.decode, str.encode, ("/",)
    text, data, whole, pair, row, nothing = str, bytes, int, tuple, list, None
    fail, loops = BaseException, range
    busy, seen = set(), {}
    add, discard, known, keep = busy.add, busy.discard, seen.__contains__, seen.__setitem__
    library = os.path.dirname(os.__file__) + "/"
    cut = size(library)
    own = sys.argv[0]
    quiet = frozenset((
        "time.sleep", "builtins.id", "sys.unraisablehook", "sys.excepthook", "_thread.start_new_thread",
        "_thread.start_joinable_thread", "array.__new__", "cpython._PySys_ClearAuditHooks",
    )).__contains__
    walking = frozenset(("sys._getframe", "object.__getattr__")).__contains__
    # Whoever only passes a reading of the environment on.
    passing = frozenset(("lib/os.py", "lib/<frozen os>", "lib/_collections_abc.py", "lib/<frozen _collections_abc>")).__contains__

    def plain(value, deep):
        """The JSON of an argument; an object that is no plain value is a word."""
        kind = kind_of(value)
        if is_subclass(kind, text):
            value = as_str(value)
            if size(value) > 600:
                return quote(value[:600] + "\u2026")
            return quote(value)
        if kind is data:
            return plain(decode(value[:700], "utf-8", "surrogateescape"), 0)
        if is_subclass(kind, whole):
            value = as_int(value)
            return "%d" % value if -(1 << 62) < value < 1 << 62 else '"<number>"'
        if value is nothing:
            return "null"
        if kind is as_code:
            return plain(value.co_filename, 0)
        if deep and (kind is pair or kind is row):
            return "[" + join(",", [plain(item, deep - 1) for item in value[:8]]) + "]"
        return '"<object>"'

    def hook(event, args):
        try:
            if quiet(event):
                return
            me = ident()
            if me in busy and walking(event):
                return  # what follows, as it is done
            direct = source = ""
            line = 0
            add(me)
            frame = getframe(0)
            for _ in loops(400):
                if frame is nothing:
                    break
                name = frame.f_code.co_filename
                if kind_of(name) is not text:
                    name = "<object>"
                if name == own:
                    pass
                elif starts(name, library) or starts(name, "<frozen "):
                    if not direct:
                        name = "lib/" + (name[cut:] if starts(name, library) else name)
                        if not passing(name):
                            direct = name
                else:
                    source, line = name, frame.f_lineno or 0
                    direct = direct or name
                    break
                frame = frame.f_back
            frame = nothing
            discard(me)
            if event == "object.__getattr__" or event == "object.__setattr__" or event == "sys._getframe" or event == "sys._getframemodulename":
                if direct != source:
                    return  # the standard library looks at frames all the time
            if event == "code.__new__" or event == "marshal.loads" or event == "compile" or event == "pickle.find_class":
                if starts(direct, "lib/<frozen importlib"):
                    return  # a module is loaded
                args = args[1:2] if event != "pickle.find_class" else args
            where = ""
            if args and kind_of(args[0]) is text and not starts(args[0], is_absolute):
                where = getcwd()
            body = "%s,%s,%s,%d,%s,[%s]" % (
                plain(event, 0), plain(direct, 0), plain(source, 0), line, plain(where, 0),
                join(",", [plain(value, 2) for value in args[:6]]),
            )
            if size(body) > 3900:
                body = '%s,%s,%s,%d,"",["<object>"]' % (plain(event[:100], 0), plain(direct[:200], 0), plain(source[:200], 0), line)
            if known(body):
                return
            n = number()
            entry = encode("[%d,%d,%s]" % (n, getpid(), body), "ascii")
            a, b = inner.copy(), outer.copy()
            a.update(entry)
            b.update(a.digest())
            entry = b"\0" + encode(b.hexdigest(), "ascii") + entry + b"\n"
            if write(out, entry) != size(entry) or n > 20000:
                leave(76)
            keep(body, nothing)
        except fail:
            leave(76)

    def stand_in(module, name, event):
        """Let a function that tells nobody tell the hook."""
        real = getattr(module, name)

        def told(*args, **more):
            audit(event, *args[:2])
            return real(*args, **more)

        told.__name__ = told.__qualname__ = name
        setattr(module, name, told)

    real_builtin, made = _imp.create_builtin, type(sys.implementation)
    guarded = frozenset(sys.builtin_module_names).intersection(sys.modules)

    def create_builtin(spec, *more):
        """A module that is there already, made anew, would have its own functions back."""
        name = spec.name
        if kind_of(name) is not text or name in guarded:
            audit("patch.create_builtin", name)
        return real_builtin(made(name=name), *more)

    class Environment(dict):
        """The variables, which tell the hook who reads them."""

        __slots__ = ()

        def __getitem__(self, name):
            audit("patch.environ", name)
            return dict.__getitem__(self, name)

        def __contains__(self, name):
            audit("patch.environ", name)
            return dict.__contains__(self, name)

        def get(self, name, default=None):
            audit("patch.environ", name)
            return dict.get(self, name, default)

        def __iter__(self):
            audit("patch.environ", "*")
            return dict.__iter__(self)

        def keys(self):
            audit("patch.environ", "*")
            return dict.keys(self)

        def values(self):
            audit("patch.environ", "*")
            return dict.values(self)

        def items(self):
            audit("patch.environ", "*")
            return dict.items(self)

        def copy(self):
            audit("patch.environ", "*")
            return dict(dict.items(self))

        def __repr__(self):
            audit("patch.environ", "*")
            return dict.__repr__(self)

    posix.environ.pop(b"LD_LIBRARY_PATH", None)  # was for this interpreter's own start
    posix.unsetenv(b"LD_LIBRARY_PATH")
    posix.environ = os.environ._data = os.environb._data = Environment(posix.environ)
    # A collection would run the tool's own methods within the hook, and so would
    # a handler of signals, which gets to see what it interrupts.
    gc.disable()
    gc.enable = gc.isenabled
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    stand_in(_signal, "signal", "patch.signal")
    stand_in(_posixsubprocess, "fork_exec", "patch.fork_exec")
    _imp.create_builtin = create_builtin
    sys.addaudithook(hook)
    audit("patch.begin", os.path.dirname(sys.argv[2]), library, list(sys.path))


def redirect(path):
    """Make a file the standard input, as the shell would have."""
    fd = posix.open(path, posix.O_RDONLY)
    posix.dup2(fd, 0)
    posix.close(fd)


def leave(error):
    """The exit code for what nobody caught, after saying what Python would say."""
    if not isinstance(error, SystemExit):
        sys.__excepthook__(type(error), error, error.__traceback__.tb_next)
        return 1
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    print(error.code, file=sys.stderr)
    return 1


def finish(names):
    """What others can see of an interpreter's end: threads, atexit, __del__, buffers."""
    import atexit
    import time

    def clear():
        # As the interpreter does: what is left can still reach the builtins.
        for name in list(names):
            if name != "__builtins__":
                names[name] = None

    threading = sys.modules.get("threading")
    for step in (getattr(threading, "_shutdown", None), atexit._run_exitfuncs, gc.collect, clear, gc.collect):
        # A thread that is to act later gets some time to.
        for _ in range(150):
            if not _thread._count():
                break
            time.sleep(0.01)
        try:
            if step is not None:
                step()
        except BaseException as error:
            leave(error)
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except BaseException:
            pass


def run():
    how, path, arguments, packages = sys.argv[1:]
    install()
    posix.unlink(sys.argv[0])  # the tool finds its folder as it will when it runs
    with open(path, encoding="utf-8", newline="") as file:
        source = file.read()
    redirect(arguments)
    sys.argv[:] = [path]
    if packages:
        sys.path.append(packages)
    name = "__main__" if how == "call" else "tool"
    module = type(sys)(name)
    module.__dict__.update(__file__=path, __builtins__=sys.modules["builtins"])
    sys.modules[name] = module
    code = 0
    try:
        exec(compile(source, path, "exec", 0, True), module.__dict__)
    except BaseException as error:
        code = leave(error)
    if how == "import" and code == 0 and not callable(module.__dict__.get("main")):
        print("there is no function main", file=sys.stderr)
        code = 1
    finish(module.__dict__)
    sys.audit("patch.end", code)
    posix._exit(code)


run()
