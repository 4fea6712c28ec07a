"""Tries what the sandbox must stop or the recorder must see, and says what it tried."""

import json
import os
import socket
import subprocess
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


def look():
    open(order["elsewhere"]).close()


def leave():
    open(order["elsewhere"], "w").close()


def reach():
    socket.create_connection(("127.0.0.1", order["port"]), timeout=2).close()


def start():
    subprocess.run([order["bait"]])


def ask():
    os.environ.get(order["variable"])


attempt("read", read)
attempt("write", write)
attempt("look", look)
attempt("leave", leave)
attempt("reach", reach)
attempt("start", start)
attempt("ask", ask)
print(json.dumps(tried))
