"""fcntl: locks on files"""
import fcntl
import os

with open("lock", "w") as f:
    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.fsync(f.fileno())
