"""subprocess: the same Python again, with pipes, a timeout and an exit code"""
import subprocess
import sys

run = subprocess.run([sys.executable, "-I", "-S", "-c", "import sys; print(sys.stdin.read().upper())"], input="abc", capture_output=True, text=True, timeout=20)
assert run.stdout == "ABC\n", run
assert subprocess.run([sys.executable, "-I", "-S", "-c", "raise SystemExit(3)"]).returncode == 3
try:
    subprocess.run([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"], timeout=0.5)
except subprocess.TimeoutExpired:
    pass
else:
    raise AssertionError("no timeout")
