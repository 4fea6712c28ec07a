"""codecs, unicodedata: encodings of the world"""
import unicodedata

for name in ["cp1252", "latin-1", "utf-16", "shift_jis", "gb18030", "koi8-r", "utf-7"]:
    assert "abc".encode(name).decode(name) == "abc"
assert "b\u00fccher.example".encode("idna") == b"xn--bcher-kva.example"
assert unicodedata.normalize("NFD", "\u00e9") == "e\u0301"
