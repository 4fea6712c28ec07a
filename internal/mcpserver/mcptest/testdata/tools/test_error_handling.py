# ---
# name: test_error_handling
# version: 1.0.0
# description: Fail, as this tool always does.
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
#   - "Try a failure for me."
#   - "Does a failure work here?"
#   - "Show me a failure once more."
# ---
import json
import sys


def main():
    raise ValueError("This tool intentionally returns an error for testing")


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
