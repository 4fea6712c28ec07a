# ---
# name: http_get
# version: 1.0.0
# description: Fetch an http or https address with a GET request and return the status, the headers and the text of the answer, with limits on time, size and redirects.
# inputs:
#   - name: url
#     type: string
#     description: Absolute address beginning with http or https.
#     required: true
#   - name: headers
#     type: object
#     description: Extra request headers by name, which are not sent on to another host after a redirect.
#     required: false
#     default: {}
#   - name: timeout_seconds
#     type: integer
#     description: Longest time for everything including redirects, from 1 to 25.
#     required: false
#     default: 15
#   - name: max_bytes
#     type: integer
#     description: Largest number of bytes of the body to read, from 1 to 1000000.
#     required: false
#     default: 500000
#   - name: max_redirects
#     type: integer
#     description: Largest number of redirects to follow, from 0 to 10.
#     required: false
#     default: 5
#   - name: allow_private
#     type: boolean
#     description: Whether addresses of this machine and of local networks may be contacted.
#     required: false
#     default: false
# outputs:
#   type: object
#   description: The final url, status, headers with lower-case names, text (null for binary content), whether the body was truncated, and the addresses that redirected.
# capabilities:
#   network: true
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [http, web, download]
# x-aliases: [fetch_url, web_fetch]
# x-examples:
#   - "Fetch this web page."
#   - "What does the JSON API at this address answer?"
#   - "Check whether the link still works and where it redirects to."
# ---

import http.client
import ipaddress
import json
import re
import socket
import ssl
import sys
import threading
import time
import urllib.parse
import zlib

MAX_SECONDS = 25
MAX_BYTES = 1_000_000
MAX_REDIRECTS = 10
MAX_URL_CHARS = 8_000
BLOCK = 65_536

REDIRECTS = (301, 302, 303, 307, 308)
FIXED_HEADERS = {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "upgrade", "te"}
SAFE_IN_URL = "/?:@!$&'()*+,;=-._~%[]"
CHARSETS = {"utf-8", "utf8", "us-ascii", "ascii", "utf-16", "gb2312", "gbk", "gb18030", "big5", "shift_jis",
            "euc-jp", "euc-kr", "koi8-r", "koi8-u"}  # besides iso-8859-* and windows-125*


def parse_url(url):
    """Return (scheme, host, port, target, url without fragment); the host is in its ASCII form."""
    if len(url) > MAX_URL_CHARS:
        raise ValueError("url has more than %d characters" % MAX_URL_CHARS)
    try:
        parts = urllib.parse.urlsplit(url.strip())
        host, port = parts.hostname, parts.port
        if host and ":" not in host:
            host = host.encode("idna").decode("ascii")
    except ValueError as error:
        raise ValueError("url is not valid: %s" % error) from None
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\x00-\x20\x7f]", host):
        raise ValueError("url must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("url must not contain a user name or password")
    target = urllib.parse.quote(parts.path or "/", SAFE_IN_URL)
    if parts.query:
        target += "?" + urllib.parse.quote(parts.query, SAFE_IN_URL)
    shown = "[%s]" % host if ":" in host else host
    authority = shown if port is None else "%s:%d" % (shown, port)
    clean = "%s://%s%s" % (parts.scheme, authority, target)
    return parts.scheme, host, port or (443 if parts.scheme == "https" else 80), target, clean


def check_headers(headers):
    """Return the request headers; those that frame the message are not the caller's."""
    checked = {"User-Agent": "http_get/1.0", "Accept": "*/*"}
    for name, value in sorted(headers.items()):
        if name.lower() in FIXED_HEADERS or not isinstance(value, str):
            raise ValueError("header %r cannot be set" % name)
        checked[name.title()] = value
    return checked


def resolve(host, port, allow_private):
    """Return addresses to connect to; a name that leads to a private one is refused.

    The connection is made to exactly these, so a name server that answers
    differently the next time gains nothing.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ValueError("cannot resolve %s: %s" % (host, error)) from None
    for entry in found:
        address = ipaddress.ip_address(entry[4][0].partition("%")[0])
        address = getattr(address, "ipv4_mapped", None) or address
        if not allow_private and (not address.is_global or address.is_multicast):
            raise ValueError("%s is at the private address %s, set allow_private to contact it" % (host, address))
    return found


def cut(line):
    """End a connection from the timer's thread; one that is gone already is fine."""
    try:
        line.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def connect(host, port, deadline, allow_private):
    """Return a socket connected to the first address that answers."""
    problem = "no address"
    for family, kind, protocol, _, address in resolve(host, port, allow_private)[:4]:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(max(0.01, deadline - time.monotonic()))
            sock.connect(address)
            return sock
        except OSError as error:
            sock.close()
            problem = error
    raise ValueError("cannot connect to %s port %d: %s" % (host, port, problem))


def read_body(response, max_bytes):
    """Return (body, truncated); gzip is unpacked, never beyond max_bytes."""
    unpacker = None
    if response.headers.get("Content-Encoding", "").strip().lower() in ("gzip", "x-gzip"):
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    body = b""
    while len(body) <= max_bytes:
        block = response.read1(BLOCK)
        if not block:
            if response.length or (unpacker and not unpacker.eof):
                raise http.client.IncompleteRead(body)
            break
        body += unpacker.decompress(block, max_bytes + 1 - len(body)) if unpacker else block
    return body[:max_bytes], len(body) > max_bytes


def request(scheme, host, port, target, headers, deadline, max_bytes, allow_private):
    """Make one request and return (response, body, truncated); the body of a redirect is not read."""
    connection = http.client.HTTPConnection(host, port)  # adds Host with the port if it is not 80
    sock = connect(host, port, deadline, allow_private)
    # A server that sends one byte at a time never runs into a socket timeout,
    # so a timer cuts the line underneath; the duplicate stays plain under TLS.
    line = sock.dup()
    timer = threading.Timer(max(0.0, deadline - time.monotonic()), cut, [line])
    timer.daemon = True
    timer.start()
    try:
        if scheme == "https":
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=host)
            connection.default_port = 443
        connection.sock = sock
        connection.request("GET", target, headers=dict(headers, **{"Accept-Encoding": "gzip", "Connection": "close"}))
        response = connection.getresponse()
        if response.status in REDIRECTS and response.headers.get("Location"):
            return response, b"", False
        body, truncated = read_body(response, max_bytes)
        if time.monotonic() >= deadline:
            raise TimeoutError
        return response, body, truncated
    except (OSError, http.client.HTTPException, zlib.error) as error:
        if time.monotonic() >= deadline:
            raise ValueError("no complete answer from %s in time" % host) from None
        raise ValueError("the request to %s failed: %s %s" % (host, type(error).__name__, error)) from None
    finally:
        timer.cancel()
        line.close()
        sock.close()


def decode(response, body):
    """Return the body as text, or None if it is binary."""
    charset = (response.headers.get_content_charset() or "utf-8").replace("_", "-")
    if charset not in CHARSETS and not charset.startswith(("iso-8859-", "windows-125")):
        charset = "utf-8"
    try:
        text = body.decode(charset, "replace")
    except LookupError:  # such as iso-8859-99
        text = body.decode("utf-8", "replace")
    kind = response.headers.get_content_maintype()
    if "\x00" in text or kind in ("image", "audio", "video", "font"):
        return None
    return text


def main(
    url: str,
    headers: dict = {},
    timeout_seconds: int = 15,
    max_bytes: int = 500000,
    max_redirects: int = 5,
    allow_private: bool = False,
):
    if not 1 <= timeout_seconds <= MAX_SECONDS or not 1 <= max_bytes <= MAX_BYTES:
        raise ValueError("timeout_seconds must be from 1 to %d, max_bytes from 1 to %d" % (MAX_SECONDS, MAX_BYTES))
    if not 0 <= max_redirects <= MAX_REDIRECTS:
        raise ValueError("max_redirects must be from 0 to %d" % MAX_REDIRECTS)
    deadline = time.monotonic() + timeout_seconds
    sent = check_headers(headers)
    redirects = []
    scheme, host, port, target, url = parse_url(url)
    while True:
        response, body, truncated = request(scheme, host, port, target, sent, deadline, max_bytes, allow_private)
        location = response.headers.get("Location")
        if response.status not in REDIRECTS or not location:
            break
        if len(redirects) == max_redirects:
            raise ValueError("more than %d redirects, the last one to %r" % (max_redirects, location[:200]))
        redirects.append(url)
        before = (scheme, host, port)
        scheme, host, port, target, url = parse_url(urllib.parse.urljoin(url, location))
        if (scheme, host, port) != before:
            sent = check_headers({})
    received = {}
    for name, value in response.headers.items():
        name = name.lower()
        received[name] = received[name] + ", " + value if name in received else value
    return {
        "url": url,
        "status": response.status,
        "headers": {name: received[name] for name in sorted(received)},
        "text": decode(response, body),
        "truncated": truncated,
        "redirects": redirects,
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
