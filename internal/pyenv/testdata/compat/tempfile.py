"""tempfile: named, unnamed and spooled files, folders"""
import os
import tempfile

assert tempfile.gettempdir() == os.getcwd()
with tempfile.NamedTemporaryFile("w+", suffix=".txt") as f:
    f.write("x")
    f.flush()
    assert os.path.getsize(f.name) == 1
with tempfile.TemporaryFile() as f:
    f.write(b"y" * 100_000)
    assert f.tell() == 100_000
with tempfile.TemporaryDirectory() as d:
    open(os.path.join(d, "a"), "w").close()
assert not os.path.exists(d)
with tempfile.SpooledTemporaryFile(10) as f:
    f.write(b"z" * 100)
