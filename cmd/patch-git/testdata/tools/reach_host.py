# ---
# name: reach_host
# version: 0.0.0
# description: Open a connection to a port of an address and say whether it was answered.
# inputs:
#   - name: host
#     type: string
#     description: The address.
#     required: true
#   - name: port
#     type: integer
#     description: The port.
#     required: true
# outputs:
#   type: object
#   description: Whether there was an answer.
# capabilities:
#   network: true
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# ---

import json
import socket
import sys


def main(host, port):
    try:
        socket.create_connection((host, port), 5).close()
        return {"answered": True}
    except OSError as error:
        return {"answered": False, "why": error.strerror}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
