"""Runs one tool as `python tool.py < args.json` would, only sooner.

It starts before the tool is there, imports what the tool will import first,
and waits. On descriptor 0 come, each after its length in four bytes, the tool's
code as marshal writes it, its source and its arguments.

Arguments: how to end ("soon" or "slowly"), the paths of the tool and of its
arguments, the directory of its packages or "", what modules.py wrote or "", and
names of modules of the standard library. Works on CPython 3.9 to 3.14.

Before the arguments there may be any number of words, of four bytes 255, that a
call is on its way.
"""
import gc
import sys

gc.disable()  # until the tool begins: what is loaded until then stays
posix = sys.modules.get("posix") or sys.modules["nt"]  # os itself is not loaded yet
pipe = 0


class Leave:
    """exit() and quit(), which the site module would have made."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "call %s() to end the program" % self.name

    def __call__(self, code=None):
        try:
            sys.stdin.close()
        except Exception:
            pass
        raise SystemExit(code)


class Modules:
    """Finds modules of the standard library in one file, as long as their sources are
    those that it was made of. To look for each in its directories, and to read it from
    a file of its own, takes a sixth of the time of what most tools import."""

    def __init__(self, path):
        import marshal

        self.loads, self.loaders = marshal.loads, []
        self.external = sys.modules["_frozen_importlib_external"]
        self.spec = sys.modules["_frozen_importlib"].ModuleSpec
        self.file = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
        head = int.from_bytes(posix.read(self.file, 4), "little")
        self.library, self.tag, self.index = marshal.loads(posix.read(self.file, head))
        self.start = 4 + head
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name not in self.index:
            return None
        file, package, time, size, start, length = self.index[name]
        origin = self.library + file
        source = posix.stat(origin)
        if (source.st_mtime_ns, source.st_size) != (time, size):
            return None
        directory, _, base = origin.rpartition("/")
        if length:
            loader, cached = self.external.SourceFileLoader(name, origin), "%s/__pycache__/%s.%s.pyc" % (directory, base[:-3], self.tag)
            code = self.loads(posix.pread(self.file, length, self.start + start))
            loader.get_code = lambda name: code
            self.loaders.append(loader)
        else:
            loader, cached = self.external.ExtensionFileLoader(name, origin), None
        spec = self.spec(name, loader, origin=origin)
        spec._set_fileattr, spec.cached = True, cached
        if package:
            spec.submodule_search_locations = [directory]
        return spec

    def close(self):
        """What was found is afterwards as if it had been found elsewhere."""
        sys.meta_path.remove(self)
        posix.close(self.file)
        for loader in self.loaders:
            del loader.get_code


def prepare():
    """What can be done before the tool is known."""
    try:
        posix.unlink(sys.argv[0])  # the tool finds /tmp as the contract says
    except OSError:
        pass
    if posix.environ.pop(b"LD_LIBRARY_PATH", None) is not None:
        posix.unsetenv(b"LD_LIBRARY_PATH")  # was for this interpreter's own start
    try:
        modules = Modules(sys.argv[5]) if sys.argv[6:] and sys.argv[5] else None
    except Exception:
        modules = None  # they are found where they always are
    for name in sys.argv[6:]:
        try:
            __import__(name)
        except Exception:
            pass  # the tool's own import of it will say why
    if modules:
        modules.close()


def take(n):
    """The next n bytes of what comes."""
    parts = []
    while n:
        part = posix.read(pipe, n)
        if not part:
            posix._exit(1)  # the run was called off
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def receive():
    """The next part of it."""
    return take(int.from_bytes(take(4), "little"))


def look_out(seconds):
    """The next four bytes, of what comes in a moment: who sleeps takes longer than that
    to wake up."""
    from time import monotonic

    give = getattr(posix, "sched_yield", int)  # who is about to call may need this processor
    head, end = b"", monotonic() + seconds
    posix.set_blocking(pipe, False)
    while not head and monotonic() < end:
        try:
            head = posix.read(pipe, 4) or posix._exit(1)  # see take
        except BlockingIOError:
            give()
    posix.set_blocking(pipe, True)
    return head + take(4 - len(head))


def called():
    """The part that comes with a call. Behind the word that one is on its way it mostly
    follows at once: half a millisecond long this looks out for it. It does so before it
    sleeps, too, because what was never done takes longer."""
    head = look_out(0.00005) if hasattr(posix, "set_blocking") else take(4)
    while head == b"\xff\xff\xff\xff":
        head = look_out(0.0005)
    return take(int.from_bytes(head, "little"))


def create(path):
    return posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o444)


def fill(fd, data):
    while data:
        data = data[posix.write(fd, data) :]
    posix.close(fd)


def redirect(path):
    """Make a file the standard input, as the shell and the interpreter would have. What
    comes goes on by another descriptor, until it has come."""
    global pipe
    pipe = posix.dup(0)
    fd = posix.open(path, posix.O_RDONLY)
    posix.dup2(fd, 0)
    posix.close(fd)
    import _io

    old = sys.stdin
    buffer = _io.open(0, "rb", closefd=False)
    buffer.raw.name = "<stdin>"
    sys.stdin = sys.__stdin__ = _io.TextIOWrapper(buffer, encoding=old.encoding, errors=old.errors, newline="\n")
    sys.stdin.mode = "r"


def begin():
    """Take the tool and leave the interpreter as script mode would; returns the
    tool's code and the names of its __main__."""
    import marshal

    path, arguments, packages = sys.argv[2:5]
    tool = marshal.loads(receive())
    fill(create(path), receive())
    sys.argv[:] = [path]
    if packages:
        sys.path.append(packages)  # behind the standard library, as site-packages is
    if tool.co_filename != path:
        # Where the sandbox cannot show the file at /tmp, tracebacks and
        # linecache go by the place where it is.
        import _imp

        _imp._fix_co_filename(tool, path)
    builtins = sys.modules["builtins"]
    builtins.exit, builtins.quit = Leave("exit"), Leave("quit")
    main = type(sys)("__main__")
    loader = sys.modules["_frozen_importlib_external"].SourceFileLoader("__main__", path)
    main.__dict__.update(__file__=path, __cached__=None, __loader__=loader, __builtins__=builtins)
    sys.modules["__main__"] = main
    file = create(arguments)
    redirect(arguments)
    # The last part comes when the call was admitted, and somebody waits from then on.
    data = called()
    posix.close(pipe)
    fill(file, data)
    return tool, main.__dict__


def leave(error):
    """The exit code for an error that nobody caught, after saying what script mode says."""
    if not isinstance(error, SystemExit):
        # The first entry of the traceback is this runner.
        sys.excepthook(type(error), error.with_traceback(error.__traceback__.tb_next), error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(1 << 31) <= code < 1 << 31 else 0xFF
    flush(sys.stdout)
    try:
        print(code, file=sys.stderr)
    except Exception:
        pass
    return 1


def flush(stream):
    try:
        if stream is not None and not getattr(stream, "closed", False):
            stream.flush()
        return True
    except Exception:
        return False


def finish(code, streams):
    """What others can see of an interpreter's end: threads, atexit, buffers.

    streams are those of the interpreter's own, whatever the tool put in their
    place."""
    threading, atexit = sys.modules.get("threading"), sys.modules.get("atexit")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as error:
            sys.excepthook(type(error), error, error.__traceback__)
    if atexit is not None:
        try:
            atexit._run_exitfuncs()
        except BaseException:
            pass  # has been shown, and an exit code from there does not count
    if not flush(sys.stdout) and code == 0:
        code = 120
    flush(sys.stderr)
    # A second wrapper around descriptor 1 is common (another encoding, csv);
    # what it still holds would be written when it is collected.
    import _io

    kinds = {_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom}
    found = streams + [thing for thing in gc.get_objects() if type(thing) in kinds]
    # Text first: it flushes into the bytes below it.
    for stream in sorted(found, key=lambda s: type(s) is not _io.TextIOWrapper):
        flush(stream)
    return code


def run():
    slowly = sys.argv[1] == "slowly"
    streams = [s for t in (sys.stdout, sys.stderr) if t is not None for s in (t, t.buffer)]
    prepare()
    tool, names = begin()
    if not slowly:
        # What is here now is not looked through again, neither by collections
        # nor at the end for what the tool has left open.
        gc.freeze()
    gc.enable()
    code = 0
    try:
        exec(tool, names)
    except BaseException as error:
        code = leave(error)
    if slowly:
        # The tool could reach files or hosts: its objects are taken apart one
        # by one, so that whatever they do at their end is done.
        del names
        sys.exit(code)
    posix._exit(finish(code, streams))


run()
