"""os, platform, resource: what a program asks about its machine"""
import os
import platform
import resource
import sys

assert os.cpu_count() >= 1 and os.getpid() > 0 and os.getcwd() == os.environ["TMPDIR"]
assert platform.python_version() == "%d.%d.%d" % sys.version_info[:3]
assert platform.system() and platform.machine() and os.uname().sysname
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0
assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 200
assert os.path.exists("/dev/null") and open("/dev/urandom", "rb").read(4)
