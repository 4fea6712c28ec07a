"""importlib: modules made and imported while the tool runs"""
import importlib
import importlib.util
import pkgutil
import sys

with open("helper.py", "w") as f:
    f.write("VALUE = 42\n")
sys.path.insert(0, ".")
importlib.invalidate_caches()
assert importlib.import_module("helper").VALUE == 42
found = importlib.util.spec_from_file_location("again", "helper.py")
module = importlib.util.module_from_spec(found)
found.loader.exec_module(module)
assert module.VALUE == 42 and pkgutil.get_data("json", "__init__.py")
