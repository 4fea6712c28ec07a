# ---
# name: send_note
# version: 1.0.0
# description: Write down where a note would be sent, after a person said yes.
# inputs:
#   - name: to
#     type: string
#     description: Who is to have it.
#   - name: text
#     type: string
#     description: The note.
#     tainted_ok: true
# outputs:
#   type: object
#   description: What would be sent to whom.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: true
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# x-examples:
#   - "Try a note for me."
#   - "Does a note work here?"
#   - "Show me a note once more."
# ---
import json
import sys


def main(to, text):
    return {"sent": text, "to": to}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
