"""Runs one tool as `python tool.py` would, only sooner.

The text in the call at the end stands for the tool's code object: compile.py
puts that in its place, so that a single file holds all that has to be loaded.
Arguments: how to end ("soon" or "slowly"), the tool's path, the directory of
its packages or "". Works on CPython 3.9 to 3.14.
"""
import sys

posix = sys.modules.get("posix") or sys.modules["nt"]  # os itself is not loaded yet


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


def begin(tool):
    """Leave the interpreter as script mode would; returns the names of __main__."""
    here, path, packages = sys.argv[0], sys.argv[2], sys.argv[3]
    try:
        posix.unlink(here)  # the tool finds /tmp as the contract says
    except OSError:
        pass
    sys.argv[:] = [path]
    if packages:
        sys.path.append(packages)  # behind the standard library, as site-packages is
    if posix.environ.pop(b"LD_LIBRARY_PATH", None) is not None:
        posix.unsetenv(b"LD_LIBRARY_PATH")  # was for this interpreter's own start
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
    return main.__dict__


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


def finish(code):
    """What others can see of an interpreter's end: threads, atexit, buffers."""
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
    import gc
    import _io

    kinds = {_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom}
    found = [thing for thing in gc.get_objects() if type(thing) in kinds]
    # Text first: it flushes into the bytes below it.
    for stream in sorted(found, key=lambda s: type(s) is not _io.TextIOWrapper):
        flush(stream)
    return code


def run(tool):
    slowly = sys.argv[1] == "slowly"
    names = begin(tool)
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
    posix._exit(finish(code))


run("the code object of the tool")
