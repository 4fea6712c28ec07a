"""pickle, shelve, dbm: objects in files"""
import pickle
import shelve

with open("p.pickle", "wb") as f:
    pickle.dump({"a": [1, 2]}, f)
assert pickle.load(open("p.pickle", "rb")) == {"a": [1, 2]}
with shelve.open("shelf") as s:
    s["k"] = {"deep": (1,)}
with shelve.open("shelf") as s:
    assert s["k"] == {"deep": (1,)}
