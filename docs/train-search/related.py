"""Lists of related terms: S[u,t] says how much a tool that says u is about t.

They begin as the strongest products of the vectors and are then trained in the form in
which they are used: a tool is extended by the lists of its terms, what stays below
nothing is cut off, and the sum over the terms of a request is added to the score of its
words. So what is learned is only what the words themselves do not tell.
"""
import numpy as np
import scipy.sparse as sp
import meaning


def strongest(e, wq, wd, size, most):
    """The most related terms of each of the first size terms, by the vectors."""
    a, b, e = np.exp(wq[:size]), np.exp(wd[:size]), e[:size]
    rows, cols, vals = [], [], []
    for i in range(0, size, 500):
        x = (e[i:i + 500] @ e.T) * a[None] * b[i:i + 500, None]
        top = np.argpartition(-x, most, axis=1)[:, :most]
        rows.append(np.repeat(np.arange(i, i + len(x)), most))
        cols.append(top.ravel())
        vals.append(np.take_along_axis(x, top, 1).ravel())
    s = sp.csr_matrix((np.concatenate(vals), (np.concatenate(rows), np.concatenate(cols))), shape=(size, size))
    s.sort_indices()
    return s


BEGIN = 0.1  # of the vectors' products: meaning begins as a part of what the words give


def unit(a):
    n = np.sqrt(np.asarray(a.multiply(a).sum(1)).ravel())
    return (sp.diags(1 / (n + 1e-9)) @ a).tocsr()


class Lists:
    def __init__(self, start, idf, seed=11):
        self.s = start.astype(np.float32)
        self.s.data = np.maximum(self.s.data, 0) * BEGIN
        self.at = sp.csr_matrix((np.arange(1, start.nnz + 1), start.indices, start.indptr), shape=start.shape)
        self.idf = idf / idf.max()
        self.m, self.v = np.zeros(start.nnz, np.float32), np.zeros(start.nnz, np.float32)
        self.tau, self.t = np.array([np.log(0.2), 0.0, 0.0]), 0
        self.rng = np.random.default_rng(seed)

    def step(self, q, d, same, rate, sparse):
        """One batch; q and d are bags of requests and of tools, as in meaning."""
        words = np.unique(d.indices)
        asked = np.unique(q.indices)
        at = self.at[words][:, asked].tocsr()
        sub = sp.csr_matrix((self.s.data[at.data - 1], at.indices, at.indptr), shape=at.shape)
        a, qt = unit(d[:, words]), q[:, asked]
        h = np.maximum((a @ sub).toarray(), 0)
        lex = (q.multiply(self.idf[None]).tocsr() @ d.T).toarray()
        sem = qt @ h.T
        tau = np.exp(self.tau[0])
        z = (lex + sem) / tau
        z[same & ~np.eye(len(z), dtype=bool)] = -1e4
        p = np.exp(z - z.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        n = len(z)
        g = (p - np.eye(n)) / n
        loss = -np.log(np.diag(p) + 1e-9).mean()
        gt = -(g * np.where(z < -1e3, 0, z)).sum()
        gh = (qt.T @ (g / tau)).T + sparse / n
        gx = np.where(h > 0, gh, 0).astype(np.float32)
        gs = a.T @ gx
        row = np.repeat(np.arange(at.shape[0]), np.diff(at.indptr))
        gr, k = gs[row, at.indices], at.data - 1
        self.t += 1
        m = self.m[k] = 0.9 * self.m[k] + 0.1 * gr
        v = self.v[k] = 0.99 * self.v[k] + 0.01 * gr * gr
        self.s.data[k] -= rate * m / (np.sqrt(v) + 1e-7)
        self.tau[1] = 0.9 * self.tau[1] + 0.1 * gt
        self.tau[0] -= 0.02 * np.sign(self.tau[1]) * rate / 0.01
        return loss

    def train(self, sources, vocab, epochs=2, batch=256, rate=0.01, sparse=0.002):
        plan, ready = [], []
        for s in sources:
            qb, db = meaning.bags([p[0] for p in s], vocab, False), meaning.bags([p[1] for p in s], vocab, True)
            key = np.unique([str(p[2]) for p in s], return_inverse=True)[1]
            text = np.unique([p[0] for p in s], return_inverse=True)[1]
            ready.append((qb, db, key, text, np.flatnonzero((np.diff(qb.indptr) > 0) & (np.diff(db.indptr) > 0))))
        for _ in range(epochs):
            for i, r in enumerate(ready):
                order = self.rng.permutation(r[4])
                plan += [(i, np.sort(order[j:j + batch])) for j in range(0, len(order), batch) if len(order[j:j + batch]) > 8]
        self.rng.shuffle(plan)
        losses = []
        for n, (i, rows) in enumerate(plan):
            qb, db, key, text, _ = ready[i]
            k, x = key[rows], text[rows]
            same = (k[:, None] == k[None]) | (x[:, None] == x[None])
            losses.append(self.step(qb[rows], db[rows], same, rate * (1 - 0.9 * n / len(plan)), sparse))
        return losses
