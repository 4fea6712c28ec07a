"""Tells what this interpreter is. Runs with -I -S -c on any Python 3."""
import os
import sys


def libc(suffix):
    if sys.platform == "darwin":
        import platform

        return "macos " + platform.mac_ver()[0]
    if "musl" in suffix:
        # musl does not tell its version; every distribution in support has 1.2.
        return "musl 1.2"
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, OSError, ValueError):
        return ""


def missing():
    absent = []
    for name in ("zlib", "hashlib", "ssl", "sqlite3", "ctypes", "lzma", "bz2", "zoneinfo", "xml.parsers.expat"):
        try:
            __import__(name)
        except ImportError:
            absent.append(name)
    return absent


import importlib.util
import json
import sysconfig

suffix = sysconfig.get_config_var("SOABI") or ""
print(
    json.dumps(
        {
            "implementation": sys.implementation.name,
            "version": "%d.%d.%d" % sys.version_info[:3],
            "release": sys.version_info[3],
            "flags": getattr(sys, "abiflags", ""),
            "cache": sys.implementation.cache_tag or "",
            "magic": importlib.util.MAGIC_NUMBER.hex(),
            "build": [sys.version, suffix, sys.platform, str(sys.maxsize)],
            "libc": libc(suffix),
            "missing": missing(),
        }
    )
)
