"""Trains lists of related terms and measures what they would add to a search.

    python train.py --mirror DIR --packages DIR [--shared DIR]           measure, leaving one family out each time
    python train.py --mirror DIR --packages DIR --lists FILE             train on all pairs, write the lists

One core, about four minutes for a family. docs/search-training.md lists what DIR holds.
"""
import argparse
import json
import math
import numpy as np
import bm25
import meaning
import related
from inputs import Inputs
from text import terms

FAMILIES = {  # sets of one origin are left out together
    "metatool": ["metatool"], "bfcl": ["bfcl_live", "bfcl_made"], "sealtools": ["sealtools"],
    "stabletoolbench": ["stabletoolbench"], "livemcp": ["livemcp"], "toolalpaca": ["toolalpaca"],
    "apibench": ["apibench"], "apizoo": ["apizoo"],
}
TERMS, MOST, KEPT = 10000, 48, 64  # terms with a list, terms in it, terms that a tool is extended by
CAP = {"wordnet": 20000, "botocore": 6000, "googleapi": 5000, "tldr": 12000, "metatool": 10000}
SCALE = 120  # of impacts, half of that of words


class Data:
    def __init__(self, inputs):
        self.sets = {n: getattr(inputs, n)() for names in FAMILIES.values() for n in names}
        self.pairs = {n: [(q, s.tools[i], i) for q, ids in s.requests for i in ids] for n, s in self.sets.items()}
        self.pairs["metatool"] += [(a, (b, "", "", ""), b) for a, b in inputs.metatool_model()]
        tldr, wordnet = list(inputs.tldr()), list(inputs.wordnet())
        aws, google = list(inputs.botocore()), list(inputs.googleapi())
        self.pairs["tldr"] = [(l, (n, a, "", ""), n) for n, a, lines in tldr for l in lines[:6]]
        self.pairs["wordnet"] = [(g.partition(";")[0], (" ".join(w), "", "", ""), k) for k, (w, g, named) in enumerate(wordnet) if not named]
        self.pairs["botocore"] = [(d, (o, "", "", t), t + o) for t, o, d, _ in aws if d]
        self.pairs["googleapi"] = [(d, (o, "", p, t), t + o) for t, o, d, p in google if d]
        general = [" ".join(w) + " " + g for w, g, _ in wordnet] + [a + " . " + " . ".join(l) for _, a, l in tldr]
        general += [o + " " + d for _, o, d, _ in aws + google]
        self.general = [terms(x) for x in dict.fromkeys(general)]
        self.sentences = {n: [terms(x) for x in s.texts()] for n, s in self.sets.items()}

    def names(self, leave):
        return [n for f, names in FAMILIES.items() if f != leave for n in names]

    def sources(self, leave, capped):
        for n in self.names(leave) + ["tldr", "wordnet", "botocore", "googleapi"]:
            p = self.pairs[n]
            if capped and len(p) > CAP.get(n, math.inf):
                p = [p[i] for i in np.random.default_rng(1).permutation(len(p))[:CAP[n]]]
            yield p


def train(data, leave):
    """The terms, in the order of their columns, and the lists; nothing of the family left out was seen."""
    sentences = data.general + [s for n in data.names(leave) for s in data.sentences[n]]
    vocab, count = meaning.vocabulary(sentences, 20000)
    model = meaning.Model(meaning.ppmi(sentences, vocab), count)
    meaning.train(model, list(data.sources(leave, False)), vocab)
    start = related.strongest(model.vectors(), model.value["q"], model.value["d"], TERMS, MOST)
    lists = related.Lists(start, np.log(count[:TERMS].max() / count[:TERMS] + 1))
    vocab = {t: i for i, t in enumerate(list(vocab)[:TERMS])}
    lists.train(list(data.sources(leave, True)), vocab)
    return vocab, lists.s


def extended(tools, vocab, s):
    """Impacts of tools by their terms' lists, as an index would keep them."""
    x = np.maximum((related.unit(meaning.bags(tools, vocab, True)) @ s).toarray(), 0)
    x[x < np.partition(x, -KEPT, axis=1)[:, -KEPT, None]] = 0
    return np.floor(x * SCALE + 0.5) / SCALE


def measure(one, vocab, s, seed=1):
    """nDCG@10 of words alone, and what meaning adds to it: mean and 95 % of a paired bootstrap."""
    place = {i: n for n, i in enumerate(one.tools)}
    tools, asked = list(one.tools.values()), [r[0] for r in one.requests]
    right = [{place[i] for i in ids} for _, ids in one.requests]
    words = bm25.BM25F(tools).scores(asked) / (2.2 * np.log(1 + (len(tools) - 0.5) / 1.5))
    base = bm25.ndcg(words, right)
    added = np.asarray(meaning.bags(asked, vocab, False) @ extended(tools, vocab, s).T)
    delta = bm25.ndcg(words + added, right) - base
    again = np.random.default_rng(seed).choice(delta, (2000, len(delta))).mean(1)
    low, high = np.percentile(again, [2.5, 97.5])
    return len(tools), len(asked), 100 * base.mean(), 100 * delta.mean(), 100 * low, 100 * high


def measured(inputs, data, family):
    """What is held against lists that were trained without a family."""
    if family == "metatool":
        return ([inputs.given("metatool")] if inputs.shared else []) + [inputs.metatool_multi()]
    if family == "bfcl":
        return [inputs.given("bfcl_live")] if inputs.shared else [data.sets["bfcl_live"]]
    if family == "sealtools":
        return [inputs.sealtools(("test_in_domain", "test_out_domain"))]
    if family == "stabletoolbench":
        return [data.sets["stabletoolbench"], inputs.toollens()]
    return [data.sets[family]]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--mirror", required=True)
    p.add_argument("--packages", required=True)
    p.add_argument("--shared")
    p.add_argument("--lists")
    p.add_argument("--families", nargs="*", default=list(FAMILIES))
    args = p.parse_args()
    inputs = Inputs(args.mirror, args.packages, args.shared)
    data = Data(inputs)
    if args.lists:
        vocab, s = train(data, None)
        names = list(vocab)
        with open(args.lists, "w") as f:
            for i, t in enumerate(names):
                row = s[i]
                json.dump([t, {names[c]: round(float(x), 4) for c, x in zip(row.indices, row.data) if x > 1e-3}], f)
                f.write("\n")
        return
    print("| set | tools | requests | words alone | with meaning | interval |\n|---|---|---|---|---|---|")
    for family in args.families:
        vocab, s = train(data, family)
        for one in measured(inputs, data, family):
            tools, asked, base, delta, low, high = measure(one, vocab, s)
            print(f"| {one.name} | {tools:,} | {asked:,} | {base:.1f} | {delta:+.2f} | {low:+.2f} … {high:+.2f} |", flush=True)


if __name__ == "__main__":
    main()
