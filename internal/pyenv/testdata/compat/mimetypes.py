"""mimetypes: types of files by their names"""
import mimetypes

assert mimetypes.guess_type("a.pdf")[0] == "application/pdf"
assert mimetypes.guess_extension("text/html") in (".html", ".htm")
