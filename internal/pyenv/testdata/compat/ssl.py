"""ssl: contexts without a network"""
import ssl

context = ssl.create_default_context()
assert context.verify_mode == ssl.CERT_REQUIRED and context.check_hostname
assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
left, right = ssl.MemoryBIO(), ssl.MemoryBIO()
client = context.wrap_bio(left, right, server_hostname="localhost")
try:
    client.do_handshake()
except ssl.SSLWantReadError:
    pass
assert right.pending > 100  # the first message of a handshake
