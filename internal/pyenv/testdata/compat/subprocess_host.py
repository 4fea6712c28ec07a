"""subprocess: programs of the host are refused, at once and as errors"""
import os
import shutil
import subprocess
import time

start = time.monotonic()
for name in ["/bin/sh", "/usr/bin/env", "git", "curl", "/usr/bin/id"]:
    try:
        subprocess.run([name, "--version"], capture_output=True, timeout=20)
    except (FileNotFoundError, PermissionError):
        continue
    raise AssertionError(name + " ran")
for command in [lambda: subprocess.run("echo x", shell=True), lambda: os.execv("/bin/sh", ["sh"])]:
    try:
        command()
    except (FileNotFoundError, PermissionError):
        continue
    raise AssertionError("a shell ran")
assert os.system("true") != 0
assert shutil.which("git") is None
assert time.monotonic() - start < 10
