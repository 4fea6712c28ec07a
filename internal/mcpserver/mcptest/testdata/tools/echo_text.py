# ---
# name: echo_text
# version: 1.0.0
# description: Say back a text, once or several times.
# inputs:
#   - name: text
#     type: string
#     description: The text.
#     tainted_ok: true
#   - name: times
#     type: integer
#     description: How often.
#     required: false
#     default: 1
#     tainted_ok: true
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
# x-examples:
#   - "Try an echo for me."
#   - "Does an echo work here?"
#   - "Show me an echo once more."
# ---
import json
import sys


def main(text, times=1):
    text = text * times
    return {"text": text, "length": len(text)}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
