# ---
# name: all_kinds
# version: 0.0.0
# description: Return the arguments as they came, one of every type.
# inputs:
#   - name: text
#     type: string
#     description: A text.
#     required: false
#   - name: whole
#     type: integer
#     description: A whole number.
#     required: false
#   - name: real
#     type: number
#     description: A number.
#     required: false
#   - name: keep_going
#     type: boolean
#     description: Yes or no.
#     required: false
#   - name: words
#     type: array
#     description: Some words.
#     required: false
#     items:
#       type: string
#   - name: numbers
#     type: array
#     description: Some numbers.
#     required: false
#     items:
#       type: number
#   - name: extra
#     type: object
#     description: Anything.
#     required: false
#   - name: json
#     type: string
#     description: An input that is called like a flag of the program.
#     required: false
#   - name: timeout
#     type: integer
#     description: An input that is called like a flag of run.
#     required: false
# outputs:
#   type: object
#   description: The arguments.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# ---

import json
import sys


def main(text=None, whole=None, real=None, keep_going=None, words=None, numbers=None, extra=None, json=None, timeout=None):
    given = {
        "text": text, "whole": whole, "real": real, "keep_going": keep_going, "words": words, "numbers": numbers,
        "extra": extra, "json": json, "timeout": timeout,
    }
    return {name: value for name, value in given.items() if value is not None}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read())), sort_keys=True))
