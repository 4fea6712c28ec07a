"""Vectors of terms: where they start (PPMI and SVD over sentences) and what they learn (which tool answers a request)."""
import collections
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from text import terms

DIM, START, WINDOW = 128, 200, 8


def vocabulary(sentences, size, least=3):
    count = collections.Counter()
    for s in sentences:
        count.update(set(s))
    kept = [t for t, n in count.most_common(size) if n >= least and 1 < len(t) <= 20 and not t.isdigit()]
    return {t: i for i, t in enumerate(kept)}, np.array([count[t] for t in kept], float)


def ppmi(sentences, vocab):
    """Vectors from which terms stand near each other, by positive pointwise mutual information."""
    rows, cols, values = [], [], []
    n = len(vocab)
    total = sp.csr_matrix((n, n))
    for k, s in enumerate(sentences):
        ids = [vocab[t] for t in s if t in vocab]
        for i, a in enumerate(ids):
            for d in range(1, WINDOW + 1):
                if i + d < len(ids):
                    rows.append(a)
                    cols.append(ids[i + d])
                    values.append(1 / d)
        if len(rows) > 4_000_000 or k == len(sentences) - 1:
            total = total + sp.coo_matrix((values, (rows, cols)), shape=(n, n)).tocsr()
            rows, cols, values = [], [], []
    total = (total + total.T).tocoo()
    keep = total.row != total.col
    row, col, x = total.row[keep], total.col[keep], total.data[keep]
    near = np.asarray(total.sum(axis=1)).ravel() + 1e-9
    context = near ** 0.75
    pmi = np.log(x * context.sum() / (near[row] * context[col]))
    keep = pmi > 0
    m = sp.csr_matrix((pmi[keep].astype(np.float32), (row[keep], col[keep])), shape=(n, n))
    u, s, _ = svds(m, k=START, v0=np.ones(n, np.float32) / np.sqrt(n), solver="arpack", tol=1e-2)
    e = u * np.sqrt(s)
    e /= np.linalg.norm(e, axis=1, keepdims=True) + 1e-6
    return e.astype(np.float32)


class Model:
    """E = P·A + R: one turn of the start for all terms, a correction and two weights for each."""

    def __init__(self, start, count, seed=7):
        rng = np.random.default_rng(seed)
        n = len(start)
        idf = np.log(count.max() / count + 1)
        u, _, vt = np.linalg.svd(start.T @ start)
        self.p = start
        self.value = {"A": np.ascontiguousarray(vt[:DIM].T).astype(np.float32), "R": np.zeros((n, DIM), np.float32),
                      "q": np.log(idf / idf.mean()).astype(np.float32), "d": np.log(idf / idf.mean()).astype(np.float32)}
        self.m = {k: np.zeros_like(v) for k, v in self.value.items()}
        self.v = {k: np.zeros_like(v) for k, v in self.value.items()}
        self.t = 0
        self.rng = rng

    def vectors(self):
        return self.p @ self.value["A"] + self.value["R"]

    def step(self, qb, db, same, rate, tau=0.05, decay=1e-3):
        """One batch: rows of qb and db are of one meaning; same[i,j] is true where j answers i as well."""
        v = self.value
        used = np.unique(np.concatenate([qb.indices, db.indices]))
        place = np.zeros(len(self.p), np.int64)
        place[used] = np.arange(len(used))
        e = self.p[used] @ v["A"] + v["R"][used]

        def tower(b, w):
            m = sp.csr_matrix((b.data * np.exp(w[b.indices]), place[b.indices], b.indptr), shape=(b.shape[0], len(used)))
            x = m @ e
            norm = np.linalg.norm(x, axis=1, keepdims=True) + 1e-6
            return m, x / norm, norm
        mq, q, nq = tower(qb, v["q"])
        md, d, nd = tower(db, v["d"])
        z = (q @ d.T) / tau
        z[same & ~np.eye(len(z), dtype=bool)] = -1e4

        def soft(z):
            z = np.exp(z - z.max(axis=1, keepdims=True))
            return z / z.sum(axis=1, keepdims=True)
        p1, p2 = soft(z), soft(z.T).T
        n = len(z)
        loss = -np.log(np.diag(p1) + 1e-9).mean()
        g = (0.7 * p1 + 0.3 * p2 - np.eye(n)) / (n * tau)
        gq, gd = g @ d, g.T @ q
        gq = (gq - q * (gq * q).sum(1, keepdims=True)) / nq
        gd = (gd - d * (gd * d).sum(1, keepdims=True)) / nd
        ge = (mq.T @ gq + md.T @ gd).astype(np.float32)
        grad = {"A": self.p[used].T @ ge, "R": ge + decay / n * v["R"][used]}
        for name, m, gx in (("q", mq, gq), ("d", md, gd)):
            c = m.tocoo()
            dot = (gx[c.row] * e[c.col]).sum(1) * c.data
            grad[name] = np.bincount(c.col, weights=dot, minlength=len(used)).astype(np.float32)
        self.t += 1
        for name, gr in grad.items():
            at = slice(None) if name == "A" else used
            r = rate * {"A": 0.3, "R": 1, "q": 3, "d": 3}[name]
            m = self.m[name][at] = 0.9 * self.m[name][at] + 0.1 * gr
            s = self.v[name][at] = 0.99 * self.v[name][at] + 0.01 * gr * gr
            c1, c2 = 1 - 0.9 ** min(self.t, 1000), 1 - 0.99 ** min(self.t, 1000)
            v[name][at] -= r * (m / c1) / (np.sqrt(s / c2) + 1e-8)
        return loss


def bags(texts, vocab, documents):
    """Rows of term frequencies: saturated for documents, of fields with weights; present or not for requests."""
    rows, cols, values = [], [], []
    for r, fields in enumerate(texts):
        tf = collections.defaultdict(float)
        if documents:
            for w, f in zip((2, 1, 0.5, 1), fields):
                for t in terms(f):
                    if t in vocab:
                        tf[t] += w
            tf = {t: x / (x + 1.2) for t, x in tf.items()}
        else:
            tf = {t: 1.0 for t in terms(fields) if t in vocab}
        for t in sorted(tf):
            rows.append(r)
            cols.append(vocab[t])
            values.append(tf[t])
    return sp.csr_matrix((np.array(values, np.float32), (rows, cols)), shape=(len(texts), len(vocab)))


def train(model, sources, vocab, epochs=2, batch=256, rate=0.01):
    """sources: lists of (request, document fields, key of the document), each batch from one of them."""
    ready = []
    for s in sources:
        qb, db = bags([p[0] for p in s], vocab, False), bags([p[1] for p in s], vocab, True)
        key = np.unique([str(p[2]) for p in s], return_inverse=True)[1]
        text = np.unique([p[0] for p in s], return_inverse=True)[1]
        ok = np.flatnonzero((np.diff(qb.indptr) > 0) & (np.diff(db.indptr) > 0))
        ready.append((qb, db, key, text, ok))
    plan = []
    for _ in range(epochs):
        one = []
        for i, (_, _, _, _, ok) in enumerate(ready):
            order = model.rng.permutation(ok)
            one += [(i, np.sort(order[j:j + batch])) for j in range(0, len(order), batch) if len(order[j:j + batch]) > 8]
        model.rng.shuffle(one)
        plan += one
    losses = []
    for n, (i, rows) in enumerate(plan):
        qb, db, key, text, _ = ready[i]
        k, x = key[rows], text[rows]
        same = (k[:, None] == k[None]) | (x[:, None] == x[None])
        losses.append(model.step(qb[rows], db[rows], same, rate * (1 - 0.9 * n / len(plan))))
    return losses
