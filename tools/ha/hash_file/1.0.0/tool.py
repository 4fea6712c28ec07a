# ---
# name: hash_file
# version: 1.0.0
# description: Compute checksums such as SHA-256, SHA-512, BLAKE2b or MD5 of a file and return its size, the hexadecimal digests and, if an expected digest is given, whether it matches.
# inputs:
#   - name: path
#     type: string
#     description: Path to a regular file.
#     required: true
#   - name: algorithms
#     type: array
#     description: Names of the digests to compute, any of md5, sha1, sha256, sha512, sha3_256 and blake2b.
#     required: false
#     default: ["sha256"]
#     items: {type: string}
#   - name: expected
#     type: string
#     description: A published hexadecimal digest to compare with, empty for no comparison.
#     required: false
#     default: ""
#     tainted_ok: true
# outputs:
#   type: object
#   description: The size in bytes, the digests by algorithm, and matches, which names the algorithm that gave the expected digest or is null.
# capabilities:
#   network: false
#   filesystem: read-only
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [hash, checksum, file, security]
# x-aliases: [sha256sum, checksum]
# x-examples:
#   - "What is the SHA-256 of this installer?"
#   - "Check that the downloaded ISO has the checksum printed on the web page."
#   - "Give me the MD5 and SHA-512 of backup.tar.gz."
# ---

import hashlib
import hmac
import json
import os
import stat
import sys

ALGORITHMS = ("blake2b", "md5", "sha1", "sha256", "sha3_256", "sha512")
BLOCK = 1 << 20
MAX_BYTES = 16 << 30  # a file that grows while it is read must come to an end


def new_digest(name):
    """Return a hash object; MD5 and SHA-1 are marked as not used for security."""
    if name in ("md5", "sha1"):
        return hashlib.new(name, usedforsecurity=False)
    return hashlib.new(name)


def open_regular(path):
    """Open path for reading, refusing folders, devices and pipes (a pipe would block for ever)."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ValueError("%r is not a regular file" % path)
        return open(path, "rb")
    except OSError as error:
        raise ValueError("cannot read %r: %s" % (path, error.strerror)) from None


def main(path: str, algorithms: list = ["sha256"], expected: str = ""):
    names = sorted(set(algorithms))
    unknown = [name for name in names if name not in ALGORITHMS]
    if unknown or not names:
        raise ValueError("algorithms must be some of %s, not %s" % (", ".join(ALGORITHMS), unknown))
    expected = expected.strip().lower()
    digests = {name: new_digest(name) for name in names}
    lengths = {digest.digest_size * 2 for digest in digests.values()}
    if expected and (len(expected) not in lengths or expected.strip("0123456789abcdef")):
        raise ValueError("expected is not a hexadecimal digest of %s" % " or ".join(names))

    size = 0
    with open_regular(path) as file:
        while True:
            block = file.read(BLOCK)
            if not block:
                break
            size += len(block)
            if size > MAX_BYTES:
                raise ValueError("file is larger than %d bytes" % MAX_BYTES)
            for digest in digests.values():
                digest.update(block)

    result = {name: digest.hexdigest() for name, digest in digests.items()}
    matching = [name for name in names if expected and hmac.compare_digest(result[name], expected)]
    return {"size": size, "digests": result, "matches": matching[0] if matching else None}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
