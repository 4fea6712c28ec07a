"""socket, select: a pair of connected sockets, pipes, selectors"""
import os
import select
import selectors
import socket

a, b = socket.socketpair()
a.sendall(b"ping")
assert select.select([b], [], [], 10)[0] == [b] and b.recv(10) == b"ping"
reader, writer = os.pipe()
with selectors.DefaultSelector() as s:
    s.register(reader, selectors.EVENT_READ)
    os.write(writer, b"x")
    assert len(s.select(10)) == 1
