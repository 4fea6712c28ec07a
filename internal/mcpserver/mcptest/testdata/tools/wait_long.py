# ---
# name: wait_long
# version: 1.0.0
# description: Wait for some seconds, so that somebody can give up.
# inputs:
#   - name: seconds
#     type: number
#     description: How long.
#     tainted_ok: true
# outputs:
#   type: string
#   description: The answer.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# x-examples:
#   - "Try a long wait for me."
#   - "Does a long wait work here?"
#   - "Show me a long wait once more."
# ---
import json
import sys
import time


def main(seconds):
    time.sleep(seconds)
    return "waited"


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
