"""ssl: with the network, the certificates of the system's authorities"""
# network
import ssl

context = ssl.create_default_context()
context.load_default_certs()
count = context.cert_store_stats()["x509_ca"]
paths = ssl.get_default_verify_paths()
if count == 0 and paths.capath:  # a folder by hash is read when it is needed
    import os

    count = len(os.listdir(paths.capath))
assert count > 0, paths
