# ---
# name: test_tool_with_progress
# version: 1.0.0
# description: Work for a moment, so that one can look on.
# inputs: []
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
#   - "Try some work for me."
#   - "Does some work work here?"
#   - "Show me some work once more."
# ---
import json
import sys
import time


def main():
    time.sleep(0.15)
    return "done"


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
