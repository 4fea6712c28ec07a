"""The ranking that meaning is added to: BM25F over the fields of a tool, and n-grams of its name.

A model of package index in a few lines, to try tables with; what the index itself
gains is measured by its own evaluation.
"""
import collections
import math
import numpy as np
import scipy.sparse as sp
from text import terms, _RUN

WEIGHT = (2.0, 1.0, 0.5, 1.0)  # name, description, inputs, owner


class BM25F:
    def __init__(self, tools, k1=1.2, b=0.75):
        self.docs = [[collections.Counter(terms(f)) for f in t] for t in tools]
        n = len(self.docs)
        mean = [max(sum(sum(d[i].values()) for d in self.docs) / n, 1e-9) for i in range(4)]
        self.vocabulary, rows, cols, values = {}, [], [], []
        for d, fields in enumerate(self.docs):
            tf = collections.defaultdict(float)
            for i, c in enumerate(fields):
                norm = 1 - b + b * sum(c.values()) / mean[i]
                for t, x in c.items():
                    tf[t] += WEIGHT[i] * x / norm
            for t, x in tf.items():
                rows.append(d)
                cols.append(self.vocabulary.setdefault(t, len(self.vocabulary)))
                values.append(x * (k1 + 1) / (x + k1))
        m = sp.csr_matrix((values, (rows, cols)), shape=(n, len(self.vocabulary)))
        df = np.bincount(m.indices, minlength=len(self.vocabulary))
        self.idf = np.log(1 + (n - df + 0.5) / (df + 0.5))
        self.impact = m.multiply(self.idf).tocsr()
        self.grams, rows, cols, values = {}, [], [], []
        for d, t in enumerate(tools):
            for g in {g for f in (t[0], t[3]) for w in _RUN.findall(f.lower()) for g in edges(w)}:
                rows.append(d)
                cols.append(self.grams.setdefault(g, len(self.grams)))
                values.append(1.0)
        g = sp.csr_matrix((values, (rows, cols)), shape=(n, max(len(self.grams), 1)))
        df = np.bincount(g.indices, minlength=g.shape[1])
        self.gram = g.multiply(np.log(1 + (n - df + 0.5) / (df + 0.5))).tocsr()

    def scores(self, requests):
        q = matrix([set(terms(r)) for r in requests], self.vocabulary)
        p = matrix([{g for w in _RUN.findall(r.lower()) for g in edges(w)} for r in requests], self.grams)
        return (q @ self.impact.T).toarray() + 0.1 * (p @ self.gram.T).toarray()


def edges(w):
    return [w[:n] for n in range(3, min(len(w), 12) + 1)]


def matrix(bags, vocabulary):
    rows, cols = [], []
    for r, bag in enumerate(bags):
        for t in sorted(bag):
            if t in vocabulary:
                rows.append(r)
                cols.append(vocabulary[t])
    return sp.csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(len(bags), max(len(vocabulary), 1)))


def ndcg(scores, relevant, k=10):
    """nDCG at 10 of every request; ties by the place of the tool, as the index breaks them by name."""
    out = np.zeros(len(relevant))
    for i, rel in enumerate(relevant):
        top = np.argsort(-scores[i], kind="stable")[:k]
        gain = sum(1 / math.log2(r + 2) for r, d in enumerate(top) if d in rel and scores[i][d] > 0)
        out[i] = gain / sum(1 / math.log2(r + 2) for r in range(min(len(rel), k)))
    return out
