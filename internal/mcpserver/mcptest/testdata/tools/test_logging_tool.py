# ---
# name: test_logging_tool
# version: 1.0.0
# description: Work and log nothing.
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
#   - "Try quiet work for me."
#   - "Does quiet work work here?"
#   - "Show me quiet work once more."
# ---
import json
import sys


def main():
    return "done"


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
