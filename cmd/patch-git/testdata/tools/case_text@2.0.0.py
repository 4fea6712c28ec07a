# ---
# name: case_text
# version: 2.0.0
# description: Return a text in upper case.
# inputs:
#   - name: text
#     type: string
#     description: The text to return.
#     required: true
#   - name: times
#     type: integer
#     description: How often to repeat it.
#     required: false
#     default: 1
# outputs:
#   type: object
#   description: The text and its length.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# x-needs: [process]
# ---

import json
import subprocess
import sys


def main(text, times=1):
    return {"text": text.upper() * times, "length": len(text) * times}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
