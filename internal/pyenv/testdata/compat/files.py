"""pathlib, shutil, glob: trees of files in the working folder"""
import glob
import os
import pathlib
import shutil

root = pathlib.Path("tree")
(root / "a" / "b").mkdir(parents=True)
(root / "a" / "b" / "f.txt").write_text("caf\u00e9", encoding="utf-8")
shutil.copytree(root, "copy")
shutil.copy2("copy/a/b/f.txt", "copy/g.txt")
os.chmod("copy/g.txt", 0o600)
os.utime("copy/g.txt", (1, 1))
os.symlink("g.txt", "copy/link")
assert pathlib.Path("copy/link").read_text(encoding="utf-8") == "caf\u00e9"
assert sorted(glob.glob("copy/**/*.txt", recursive=True)) == ["copy/a/b/f.txt", "copy/g.txt"]
assert shutil.disk_usage(".").free > 1_000_000
shutil.move("copy/g.txt", "h.txt")
shutil.rmtree("tree")
assert not root.exists() and pathlib.Path("h.txt").stat().st_size == 5
