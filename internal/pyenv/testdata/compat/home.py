"""expanduser, Path.home: a home that can be written"""
import os
import pathlib

assert os.path.expanduser("~") == os.environ["HOME"] == os.getcwd()
assert pathlib.Path.home().is_dir()
(pathlib.Path.home() / ".cache" / "tool").mkdir(parents=True)
