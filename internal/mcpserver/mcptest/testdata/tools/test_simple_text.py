# ---
# name: test_simple_text
# version: 1.0.0
# description: Answer with one fixed sentence.
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
#   - "Try a plain sentence for me."
#   - "Does a plain sentence work here?"
#   - "Show me a plain sentence once more."
# ---
import json
import sys


def main():
    return "This is a simple text response for testing."


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
