# ---
# name: add_numbers
# version: 1.0.0
# description: Add numbers up.
# inputs:
#   - name: numbers
#     type: array
#     description: The numbers.
#     items: {type: number}
#     tainted_ok: true
# outputs:
#   type: number
#   description: The sum.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# x-examples:
#   - "Try a sum for me."
#   - "Does a sum work here?"
#   - "Show me a sum once more."
# ---
import json
import sys


def main(numbers):
    return sum(numbers)


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
