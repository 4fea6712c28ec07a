# ---
# name: NAME
# version: VERSION
# description: Count the words and lines of a text and return both numbers.
# inputs:
#   - name: text
#     type: string
#     description: The text to look at.
#     tainted_ok: true
# outputs:
#   type: object
#   description: The numbers of words and lines.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "PYTHON"
#   packages: []
# ---

import json
import sys


def main(text):
    return {"words": len(text.split()), "lines": len(text.splitlines())}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
