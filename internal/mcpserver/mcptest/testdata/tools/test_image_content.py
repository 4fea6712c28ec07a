# ---
# name: test_image_content
# version: 1.0.0
# description: Answer with a picture of one red dot.
# inputs: []
# outputs:
#   type: string
#   description: The picture in base64.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# x-examples:
#   - "Try a red dot for me."
#   - "Does a red dot work here?"
#   - "Show me a red dot once more."
# x-media: image/png
# ---
import base64
import json
import sys
import zlib


def main():
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]))
    dot = chunk(b"IDAT", zlib.compress(bytes([0, 255, 0, 0])))
    picture = b"\x89PNG\r\n\x1a\n" + head + dot + chunk(b"IEND", b"")
    return base64.b64encode(picture).decode()


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
