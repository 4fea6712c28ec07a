"""zipfile, tarfile: archives made, listed and unpacked"""
import os
import tarfile
import zipfile

os.makedirs("in")
with open("in/a.txt", "w") as f:
    f.write("a" * 10_000)
with zipfile.ZipFile("x.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.write("in/a.txt")
with zipfile.ZipFile("x.zip") as z:
    assert z.testzip() is None
    z.extractall("zip")
with tarfile.open("x.tar.gz", "w:gz") as t:
    t.add("in")
with tarfile.open("x.tar.gz") as t:
    assert sorted(t.getnames()) == ["in", "in/a.txt"]
    t.extractall("tar")
assert os.path.getsize("zip/in/a.txt") == os.path.getsize("tar/in/a.txt") == 10_000
