"""Proves of every Late of a program that a match has one of its needs.

Usage: python3 -I needs.py PROGRAM. The expression is taken apart by re's own
parser; what is followed are the texts that a match is made of, from its begin.
"""
import sys, warnings

warnings.simplefilter("ignore")
try:
    from re import _parser as sre
except ImportError:
    import sre_parse as sre

made = []
scope = {"__name__": "program"}
exec(compile(open(sys.argv[1], encoding="utf-8").read(), "program.py", "exec"), scope)


def rest(tails, text, needs):
    """The tails with a text behind them, without those that have what is needed."""
    grown = {(t + text)[-60:] for t in tails}
    return {t for t in grown if not any(n in t for n in needs)}


def run(sequence, tails, needs):
    """The ends of matches so far that have none of the needs; none left is the proof."""
    for kind, what in sequence:
        kind = str(kind)
        if not tails:
            return tails
        if kind == "LITERAL":
            tails = rest(tails, chr(what).lower(), needs)
        elif kind == "IN" and len(what) <= 4 and all(str(k) == "LITERAL" for k, _ in what):
            tails = set().union(*[rest(tails, chr(c).lower(), needs) for _, c in what])
        elif kind == "SUBPATTERN":
            tails = run(what[-1], tails, needs)
        elif kind == "BRANCH":
            tails = set().union(*[run(part, tails, needs) for part in what[1]])
        elif kind == "MAX_REPEAT" and what[0] >= 1:
            tails = {""} if run(what[2], tails, needs) else set()
        elif kind == "ASSERT":
            tails = tails if run(what[1], {""}, needs) else set()
        elif kind not in ("AT", "ASSERT_NOT"):
            tails = {""}
    return tails


late, count = scope["Late"], 0
for name, value in scope.items():
    for pattern in [value] if isinstance(value, late) else [p for _, p in value] if name == "COMMANDS" else []:
        if not pattern.needs:
            continue
        count += 1
        if any(n != n.lower() or not n for n in pattern.needs):
            print(name, "has a need that is not in small letters")
        left = run(sre.parse(pattern.text, pattern.flags), {""}, pattern.needs)
        if left:
            print(name, "matches texts without a need:", sorted(left)[:5])
# What a letter matches where case does not count must be that letter to possible().
import re

for letter in "abcdefghijklmnopqrstuvwxyz":
    for odd in re.findall(letter, "".join(map(chr, range(sys.maxunicode + 1))), re.I):
        if letter not in odd.translate(scope["ALIKE"]).lower():
            print("possible() does not take %r for %s" % (odd, letter))
# The tests that spare an expression may only spare what it does not match.
import random

random.seed(1)
for pattern, maybe, alphabet in (
    (scope["ADDRESS"], scope["maybe_address"], "1:.[]afg\n\u0663"),
    (scope["HOST"], lambda t: scope["maybe_host"](t) or t.split("/")[0].split(":")[0].rsplit(".", 1)[-1].lower() in scope["FILE_ENDINGS"], "ab.-_1:/\n \ufffc\u0131"),
    (scope["MANGLED"], scope["maybe_mangled"], "_0xlI1OoQjJWwVvMma9"),
):
    hits = 0
    for _ in range(20000):
        text = "".join(random.choices(random.sample(alphabet, random.randint(1, 5)), k=random.randint(1, 16)))
        if pattern.search(text):
            hits += 1
            if not maybe(text):
                print("spared, but matched:", repr(text))
    if hits < 20:
        print("too few texts match to tell:", hits)
# What is found without an expression is what one would find.
fields, large = re.compile(r"%(?:\([^)]*\))?[-+ #0]*[\d.]*[a-zA-Z]"), re.compile(r"\d{4}|\*")
for _ in range(20000):
    form = "".join(random.choices("%()-+ #01.ds\u0663*e\xb2", k=random.randint(1, 14)))
    if scope["between"](form) != fields.split(form) or scope["wide"](form) != bool(large.search(form)):
        print("another form:", repr(form))
print(count)
