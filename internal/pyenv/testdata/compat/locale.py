"""locale: the C.UTF-8 locale, numbers and sorting"""
import locale

name = locale.setlocale(locale.LC_ALL, "")
assert "utf" in name.lower(), name
assert locale.getpreferredencoding(False).lower().replace("-", "") == "utf8"
assert locale.strxfrm("a") and locale.localeconv()["decimal_point"] == "."
