"""Collects modules of the standard library, compiled, with no tool in sight.

Writes the size of an index in four bytes, the index as marshal has it, and the
code of the modules one after the other. The index is the directory of the
library, what is part of the names of its bytecode files, and by name for each
module: its file, whether it is a package, time and size of the source, where its
code begins, and how long that is. An extension has no code.

What is built in or frozen is quick as it is and not there. CPython 3.9 to 3.14.
"""
import sys

before = set(sys.modules)  # the interpreter's own

import os  # noqa: E402

# What tools begin by importing; what these import comes along.
WANTED = """
__future__ abc argparse array ast base64 binascii bisect calendar collections collections.abc
contextlib copy csv dataclasses datetime decimal difflib email.message email.utils enum fnmatch
fractions functools glob gzip hashlib heapq hmac html html.parser importlib.util inspect io ipaddress
itertools json keyword locale logging math mimetypes operator os os.path pathlib pickle platform pprint
queue random re secrets shlex shutil signal socket sqlite3 ssl stat statistics string struct subprocess
tempfile textwrap threading time traceback types typing unicodedata urllib.error urllib.parse
urllib.request uuid warnings weakref xml.dom.minidom xml.etree.ElementTree zipfile zlib zoneinfo
""".split()


def files(library):
    """The specs of all modules that were loaded from the library."""
    external = sys.modules["_frozen_importlib_external"]
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if name in before or spec is None or spec.name != name:
            continue
        if type(spec.loader) in (external.SourceFileLoader, external.ExtensionFileLoader) and spec.origin.startswith(library):
            yield spec


def collect():
    for name in WANTED:
        try:
            __import__(name)
        except Exception:
            pass  # not in this version, or not in this build
    import encodings
    import marshal

    library = encodings.__file__.rpartition("encodings")[0]
    index, codes, start = {}, [], 0
    for spec in files(library):
        code = b""
        if spec.origin.endswith(".py"):
            code = marshal.dumps(spec.loader.get_code(spec.name))
        found = os.stat(spec.origin)
        package = spec.submodule_search_locations is not None
        index[spec.name] = spec.origin[len(library) :], package, found.st_mtime_ns, found.st_size, start, len(code)
        codes.append(code)
        start += len(code)
    head = marshal.dumps((library, sys.implementation.cache_tag, index))
    return len(head).to_bytes(4, "little") + head + b"".join(codes)


sys.stdout.buffer.write(collect())
