"""numpy: arrays, linear algebra, random numbers, files"""
# packages: numpy==2.1.3
import numpy as np

a = np.arange(12.0).reshape(3, 4)
assert np.allclose(np.linalg.inv(np.eye(3) * 2) @ np.eye(3), np.eye(3) / 2)
assert (a @ a.T).shape == (3, 3) and np.linalg.svd(a)[1][0] > 0
assert 0.4 < np.random.default_rng(1).random(10_000).mean() < 0.6
np.savez_compressed("a.npz", a=a)
assert np.array_equal(np.load("a.npz")["a"], a)
assert np.memmap("m.bin", dtype="f8", mode="w+", shape=(10,)).sum() == 0
