# ---
# name: regex_extract
# version: 1.0.0
# description: Find all matches of a regular expression in a text within a time limit and return each with its position, line, text and groups.
# inputs:
#   - name: text
#     type: string
#     description: The text to search.
#     required: true
#     tainted_ok: true
#   - name: pattern
#     type: string
#     description: A regular expression in the syntax of Python.
#     required: true
#   - name: ignore_case
#     type: boolean
#     description: Whether upper and lower case are the same.
#     required: false
#     default: false
#   - name: multiline
#     type: boolean
#     description: Whether the anchors match at every line.
#     required: false
#     default: false
#   - name: dot_all
#     type: boolean
#     description: Whether a dot matches line breaks too.
#     required: false
#     default: false
#   - name: max_matches
#     type: integer
#     description: Largest number of matches to return, from 1 to 10000.
#     required: false
#     default: 1000
#   - name: timeout_seconds
#     type: integer
#     description: Longest time that the search may take, from 1 to 20.
#     required: false
#     default: 5
# outputs:
#   type: object
#   description: The matches as objects with start, end, line, match, groups and named groups, and whether there are more than were returned.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [regex, text, extract]
# x-aliases: [regex_find, match_regex]
# x-examples:
#   - "Extract all e-mail addresses from this text."
#   - "Find every ISO date in the log with its line number."
#   - "Pull the key and value out of each line of this configuration."
# ---

import json
import re
import signal
import sys

MAX_CHARS = 4_000_000
MAX_PATTERN_CHARS = 1_000
MAX_MATCHES = 10_000
MAX_RESULT_CHARS = 4_000_000
MAX_SECONDS = 20


def stop(*_):
    raise TimeoutError


def compile_pattern(pattern, ignore_case, multiline, dot_all):
    """Compile the pattern; every way in which that fails is the caller's mistake."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise ValueError("pattern has more than %d characters" % MAX_PATTERN_CHARS)
    flags = (re.IGNORECASE if ignore_case else 0) | (re.MULTILINE if multiline else 0) | (re.DOTALL if dot_all else 0)
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise ValueError("pattern is not valid: %s" % error) from None
    except (OverflowError, RecursionError):
        raise ValueError("pattern is too large") from None


def find(expression, text, max_matches):
    """Return (matches, truncated)."""
    matches = []
    chars = 0
    line, counted = 1, 0
    for match in expression.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        found = {
            "start": match.start(),
            "end": match.end(),
            "line": line,
            "match": match[0],
            "groups": list(match.groups()),
            "named": match.groupdict(),
        }
        # Lookahead groups can overlap, so the answer can be far longer than the text.
        chars += len(json.dumps(found))
        if len(matches) == max_matches or chars > MAX_RESULT_CHARS:
            return matches, True
        matches.append(found)
    return matches, False


def main(
    text: str,
    pattern: str,
    ignore_case: bool = False,
    multiline: bool = False,
    dot_all: bool = False,
    max_matches: int = 1000,
    timeout_seconds: int = 5,
):
    if len(text) > MAX_CHARS:
        raise ValueError("text has %d characters, allowed are %d" % (len(text), MAX_CHARS))
    if not 1 <= max_matches <= MAX_MATCHES:
        raise ValueError("max_matches must be from 1 to %d" % MAX_MATCHES)
    if not 1 <= timeout_seconds <= MAX_SECONDS:
        raise ValueError("timeout_seconds must be from 1 to %d" % MAX_SECONDS)
    # A pattern such as (a+)+$ can take longer than the universe is old, and no
    # look at the pattern finds all of that kind. The matcher answers signals
    # while it searches, so a timer ends it whatever the reason. Where there is
    # no such timer (Windows) the time limit of the runtime remains.
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, timeout_seconds)
    try:
        expression = compile_pattern(pattern, ignore_case, multiline, dot_all)
        matches, truncated = find(expression, text, max_matches)
    except TimeoutError:
        raise ValueError(
            "the search took longer than %d seconds, the pattern backtracks too much; "
            "avoid repeating a group that repeats the same characters itself" % timeout_seconds
        ) from None
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
    return {"matches": matches, "truncated": truncated}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
