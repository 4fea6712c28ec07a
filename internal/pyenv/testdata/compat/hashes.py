"""hashlib, hmac, secrets, uuid: digests and randomness"""
import hashlib
import hmac
import os
import random
import secrets
import uuid

assert hashlib.sha256(b"abc").hexdigest().startswith("ba7816bf")
for name in ("md5", "sha1", "sha512", "blake2b", "sha3_256"):
    assert hashlib.new(name, b"x", **({"usedforsecurity": False} if name in ("md5", "sha1") else {})).digest()
assert hmac.compare_digest(hmac.new(b"k", b"m", "sha256").digest(), hmac.new(b"k", b"m", "sha256").digest())
assert len(secrets.token_bytes(32)) == 32 and os.urandom(8) != os.urandom(8)
assert uuid.uuid4() != uuid.uuid4() and uuid.uuid5(uuid.NAMESPACE_DNS, "x").version == 5
assert 0 <= random.random() < 1
assert len(hashlib.scrypt(b"p", salt=b"s", n=1024, r=8, p=1)) == 64
