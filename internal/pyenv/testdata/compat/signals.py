"""signal: an alarm, a handler, a signal to itself"""
import os
import signal

seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append("alarm"))
signal.signal(signal.SIGUSR1, lambda *_: seen.append("user"))
signal.setitimer(signal.ITIMER_REAL, 0.02)
signal.pause()
os.kill(os.getpid(), signal.SIGUSR1)
assert seen == ["alarm", "user"]
