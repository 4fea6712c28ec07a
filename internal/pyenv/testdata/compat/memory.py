"""mmap, array, memoryview: anonymous and file memory, 200 MB"""
import array
import mmap

with mmap.mmap(-1, 4096) as m:
    m[:3] = b"abc"
    assert m.find(b"c") == 2
with open("m.bin", "wb") as f:
    f.truncate(1 << 20)
with open("m.bin", "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
    m[-1:] = b"z"
    m.flush()
assert open("m.bin", "rb").read()[-1:] == b"z"
big = bytearray(200_000_000)
big[::4096] = b"x" * len(big[::4096])
assert memoryview(array.array("d", [1.5])).nbytes == 8
