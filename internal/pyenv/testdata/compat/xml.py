"""xml: ElementTree, minidom, SAX"""
import io
import xml.dom.minidom
import xml.etree.ElementTree as tree
import xml.sax

root = tree.fromstring("<a><b c='1'>x</b></a>")
assert root.find("b").get("c") == "1"
assert xml.dom.minidom.parseString("<a/>").documentElement.tagName == "a"
handler = xml.sax.ContentHandler()
xml.sax.parse(io.BytesIO(b"<a><b/></a>"), handler)
