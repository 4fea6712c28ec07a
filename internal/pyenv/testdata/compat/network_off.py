"""socket, urllib: without the network, an error and no hang"""
import socket
import time
import urllib.error
import urllib.request

start = time.monotonic()
try:
    socket.create_connection(("127.0.0.1", 9), timeout=10)
except OSError:
    pass
else:
    raise AssertionError("connected")
try:
    urllib.request.urlopen("http://127.0.0.1:9/", timeout=10)
except (urllib.error.URLError, OSError):
    pass
else:
    raise AssertionError("opened")
try:
    socket.getaddrinfo("localhost", 80)
except OSError:
    pass
assert time.monotonic() - start < 10
