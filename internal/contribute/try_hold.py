"""Tries what the sandbox must stop, and says what it tried."""

import json
import socket
import sys

order = json.loads(sys.stdin.read())
tried = []


def attempt(name, do):
    tried.append(name)
    try:
        do()
    except OSError as e:
        print(name, "was stopped:", e)


def read():
    with open(order["bait"]) as f:
        print(f.read())


def write():
    with open(order["beside"], "w") as f:
        f.write("here")


def reach():
    socket.create_connection(("127.0.0.1", order["port"]), timeout=2).close()


attempt("read", read)
attempt("write", write)
attempt("reach", reach)
print(json.dumps(tried))
