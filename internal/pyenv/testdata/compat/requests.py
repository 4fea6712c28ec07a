"""requests: imports, and fails cleanly without the network"""
# packages: requests==2.32.3 urllib3==2.2.3 idna==3.10 certifi==2024.8.30 charset-normalizer==3.4.0
import time

import certifi
import requests

assert open(certifi.where()).read().count("BEGIN CERTIFICATE") > 50
start = time.monotonic()
try:
    requests.get("https://127.0.0.1:9/", timeout=10)
except requests.exceptions.ConnectionError:
    pass
else:
    raise AssertionError("connected")
assert time.monotonic() - start < 10
assert requests.Request("GET", "http://127.0.0.1/", params={"a": "caf\u00e9"}).prepare().url.endswith("?a=caf%C3%A9")
