# ---
# name: jwt_inspect
# version: 1.0.0
# description: Decode the header and claims of a JSON Web Token without checking its signature and return them with readable times and a list of conspicuous points.
# inputs:
#   - name: token
#     type: string
#     description: The token in its compact form of three parts joined by dots, with or without a Bearer prefix.
#     required: true
#     tainted_ok: true
#   - name: at
#     type: string
#     description: ISO 8601 time at which to judge expiry, empty for no judgement.
#     required: false
#     default: ""
# outputs:
#   type: object
#   description: The header, the claims, the registered times as ISO 8601 in UTC, the state (valid, expired, not_yet_valid or unknown), signature_verified (always false) and notes.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [jwt, token, security]
# x-aliases: [jwt_decode, decode_jwt]
# x-examples:
#   - "What is inside of this JWT?"
#   - "Has this access token expired?"
#   - "Who issued the bearer token and for which audience?"
# ---

import base64
import datetime
import json
import re
import sys

MAX_CHARS = 100_000
MAX_DEPTH = 50

TIMES = ("exp", "iat", "nbf")  # RFC 7519, section 4.1
ALGORITHMS = {"HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "ES256", "ES384", "ES512",
              "PS256", "PS384", "PS512", "EdDSA"}
FETCHING = ("jku", "x5u")  # header members that make a careless verifier fetch a key


def decode_part(name, text):
    """Return the bytes of a base64url part without padding (RFC 7515, section 2)."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        raise ValueError("the %s is not base64url" % name)
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def decode_object(name, text):
    """Return the JSON object that a part holds; a name that occurs twice is refused."""

    def unique(pairs):
        members = dict(pairs)
        if len(members) != len(pairs):
            raise ValueError("a name occurs twice")
        return members

    def finite(number):
        value = float(number)
        if value - value != 0:
            raise ValueError("%s is out of range" % number)
        return value

    try:
        text = decode_part(name, text).decode("utf-8")
        if deepest(text) > MAX_DEPTH:
            raise ValueError("it is nested deeper than %d" % MAX_DEPTH)
        value = json.loads(text, object_pairs_hook=unique, parse_float=finite, parse_constant=finite)
    except ValueError as error:
        raise ValueError("the %s is not a JSON object: %s" % (name, error)) from None
    if not isinstance(value, dict):
        raise ValueError("the %s is not a JSON object" % name)
    return value


def deepest(text):
    """Return how deep brackets are nested outside of strings."""
    depth = most = 0
    for match in re.finditer(r'(?s)"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', text):
        depth += 1 if match[0] in "[{" else -1 if match[0] in "]}" else 0
        most = max(most, depth)
    return most


def to_time(value):
    """Return a NumericDate as a datetime in UTC, None if it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=value)
    except OverflowError:
        return None


def parse_at(text):
    """Return the moment of judgement in UTC; one without an offset is UTC."""
    try:
        moment = datetime.datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text.strip()))
    except ValueError:
        raise ValueError("at %r is not a time such as 2026-05-04T12:00:00Z" % text[:50]) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)


def look(header, claims, times, signature):
    """Return what a reviewer would point at."""
    notes = []
    algorithm = header.get("alg")
    if algorithm == "none" or not signature:
        notes.append("the token is not signed")
    elif algorithm not in ALGORITHMS:
        notes.append("the algorithm is not one of RFC 7518 or RFC 8037")
    for name in FETCHING:
        if name in header:
            notes.append("the header names a key to be fetched (%s)" % name)
    if "exp" not in claims:
        notes.append("the token never expires")
    for name in TIMES:
        if name in claims and name not in times:
            notes.append("%s is not a number of seconds" % name)
    return notes


def main(token: str, at: str = ""):
    token = re.sub(r"(?i)^\s*bearer\s+", "", token[: MAX_CHARS + 1]).strip()
    if len(token) > MAX_CHARS:
        raise ValueError("token has more than %d characters" % MAX_CHARS)
    parts = token.split(".")
    if len(parts) == 5:
        raise ValueError("the token is encrypted (JWE), its claims cannot be read without the key")
    if len(parts) != 3:
        raise ValueError("a token has 3 parts joined by dots, this text has %d" % len(parts))
    header = decode_object("header", parts[0])
    claims = decode_object("claims", parts[1])
    signature = decode_part("signature", parts[2])
    times = {name: to_time(claims[name]) for name in TIMES if name in claims}
    times = {name: moment for name, moment in times.items() if moment is not None}
    state = "unknown"
    if at:
        moment = parse_at(at)
        if "exp" in times and moment >= times["exp"]:
            state = "expired"
        elif "nbf" in times and moment < times["nbf"]:
            state = "not_yet_valid"
        elif all(name in times for name in ("exp", "nbf") if name in claims):
            state = "valid"
    return {
        "header": header,
        "claims": claims,
        "times": {name: times[name].isoformat() for name in sorted(times)},
        "state": state,
        "signature_verified": False,
        "notes": look(header, claims, times, signature),
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
