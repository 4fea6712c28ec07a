# ---
# name: test_elicitation
# version: 1.0.0
# description: Do what a person must have said yes to.
# inputs:
#   - name: message
#     type: string
#     description: What it is about.
#     tainted_ok: true
# outputs:
#   type: string
#   description: The answer.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: true
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# x-examples:
#   - "Try a question for me."
#   - "Does a question work here?"
#   - "Show me a question once more."
# ---
import json
import sys


def main(message):
    return "approved: " + message


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
