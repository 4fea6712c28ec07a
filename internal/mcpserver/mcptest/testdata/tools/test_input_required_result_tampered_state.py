# ---
# name: test_input_required_result_tampered_state
# version: 1.0.0
# description: Do what a person must have said yes to, by a word that nobody changed.
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
#   - "Try a sealed word for me."
#   - "Does a sealed word work here?"
#   - "Show me a sealed word once more."
# ---
import json
import sys


def main():
    return "approved"


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
