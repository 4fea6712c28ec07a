"""cryptography: keys, signatures, a certificate"""
# packages: cryptography==43.0.3 cffi==1.17.1 pycparser==2.22
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

key = Fernet(Fernet.generate_key())
assert key.decrypt(key.encrypt(b"x")) == b"x"
private = ec.generate_private_key(ec.SECP256R1())
private.public_key().verify(private.sign(b"m", ec.ECDSA(hashes.SHA256())), b"m", ec.ECDSA(hashes.SHA256()))
