# ---
# name: write_text
# version: 0.0.0
# description: Write a text to a file and return how many characters that were.
# inputs:
#   - name: text
#     type: string
#     description: What to write.
#     required: true
#   - name: target_path
#     type: string
#     description: The file to write.
#     required: true
# outputs:
#   type: integer
#   description: The number of characters.
# capabilities:
#   network: false
#   filesystem: read-write
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# ---

import json
import sys


def main(text, target_path):
    if not text:
        return 0
    with open(target_path, "w", encoding="utf-8") as file:
        return file.write(text)


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
