"""The analysis of package index, followed: text to terms.

Lists are of terms, so training has to cut text as the index does. It is near enough
to measure with; that the two agree on every term is to be tested before lists ship.
"""
import re
import snowballstemmer

STOP = frozenset("""i me my myself we us our ours ourselves you your yours yourself yourselves he him his
himself she her hers herself it its itself they them their theirs themselves what which who whom this that
these those am is are was were be been being have has had having do does did doing would should could ought
i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd i'll
you'll he'll she'll we'll they'll isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't
won't wouldn't shan't shouldn't can't cannot couldn't mustn't let's that's who's what's here's there's when's
where's why's how's a an the and but if or because as until while of at by for with about against between
into through during before after above below to from up down in out on off over under again further then
once here there when where why how all any both each few more most other some such no nor not only own same
so than too very""".split())

_RUN = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\WA-Za-z0-9_]+")
_stem = snowballstemmer.stemmer("english").stemWord
_seen = {}


def stem(word):
    got = _seen.get(word)
    if got is None:
        got = _seen[word] = _stem(word)
    return got


def terms(text):
    """The terms of a text, in order: a run of letters and digits whole, then its parts."""
    out = []
    for run in _RUN.findall(text.replace("'s ", " ")):
        words = [run]
        parts = _PART.findall(run)
        if len(parts) > 1:
            words += [p for p in parts if len(p) > 1]
        for word in words:
            word = word.lower()
            if word not in STOP:
                out.append(stem(word))
    return out
