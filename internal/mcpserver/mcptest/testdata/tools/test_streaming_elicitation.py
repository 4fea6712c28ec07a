# ---
# name: test_streaming_elicitation
# version: 1.0.0
# description: Do what a person must have said yes to, while somebody looks on.
# inputs: []
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
#   - "Try a question on the way for me."
#   - "Does a question on the way work here?"
#   - "Show me a question on the way once more."
# ---
import json
import sys


def main():
    return "approved"


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
