"""time, datetime: the clock, UTC as local time, formatting"""
import time
from datetime import datetime, timezone

assert time.time() > 1_700_000_000 and time.localtime().tm_isdst in (0, -1)
before = time.monotonic()
time.sleep(0.01)
assert time.monotonic() - before >= 0.01
assert datetime.now(timezone.utc).strftime("%Y") >= "2026"
assert datetime.now().astimezone().utcoffset() is not None
