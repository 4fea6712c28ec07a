"""zlib, gzip, bz2, lzma: there and back"""
import bz2
import gzip
import lzma
import zlib

data = bytes(range(256)) * 1000
for module in (zlib, gzip, bz2, lzma):
    packed = module.compress(data)
    assert len(packed) < len(data) and module.decompress(packed) == data
with gzip.open("x.gz", "wt", encoding="utf-8") as f:
    f.write("line\n")
assert gzip.open("x.gz", "rt").read() == "line\n"
