"""logging, warnings, traceback: a log in a file, rotated"""
import logging
import logging.handlers
import os
import warnings

handler = logging.handlers.RotatingFileHandler("tool.log", maxBytes=2000, backupCount=1)
log = logging.getLogger("tool")
log.addHandler(handler)
for n in range(100):
    log.warning("line %d with some text", n)
handler.close()
assert os.path.getsize("tool.log.1") > 0
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    warnings.warn("old", DeprecationWarning)
assert len(seen) == 1
