# ---
# name: misbehave
# version: 0.0.0
# description: Do what a tool must not do, as the input says.
# inputs:
#   - name: how
#     type: string
#     description: What to do wrong.
#     required: true
# outputs:
#   type: integer
#   description: The number one.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# ---

import json
import sys


def main(how):
    if how == "exit":
        print("cannot go on", file=sys.stderr)
        sys.exit(3)
    if how == "raise":
        raise ValueError("a bad value")
    if how == "sleep":
        while True:
            pass
    if how == "memory":
        return len(bytearray(1 << 30))
    if how == "output":
        while True:
            sys.stdout.write("x" * 65536)
    if how == "text":
        return "one"
    if how == "nothing":
        sys.exit(0)
    if how == "hidden":
        sys.stderr.write("\x1b[2J\x1b]0;owned\x07 safe \u202egnp.exe\n")
        sys.exit(1)
    if how == "noise":
        print("working on it")
        print("nearly there", file=sys.stderr)
    return 1


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
