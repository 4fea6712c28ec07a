# ---
# name: xml_to_json
# version: 1.0.0
# description: Convert an XML document to JSON, refusing document type declarations and entities, and return one object with attributes under @ names and text under #text.
# inputs:
#   - name: xml
#     type: string
#     description: The XML text.
#     required: true
#     tainted_ok: true
#   - name: always_array
#     type: array
#     description: Names of elements that become arrays even if they occur once.
#     required: false
#     default: []
#     items: {type: string}
#   - name: strip_prefixes
#     type: boolean
#     description: Whether namespace prefixes and declarations are left out.
#     required: false
#     default: false
# outputs:
#   type: object
#   description: An object whose only member is the root element; repeated elements are arrays, an element with text alone is a string, and an empty one is null.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-examples:
#   - "Convert this XML response to JSON."
#   - "Read the RSS feed text as structured data."
#   - "Turn the Maven pom into an object, dependencies always as a list."
# ---

import json
import sys
import xml.parsers.expat

MAX_CHARS = 4_000_000
MAX_DEPTH = 64  # every level of elements is up to two levels of JSON
MAX_NODES = 200_000  # elements and attributes


class XMLTree:
    """Collects what the parser reports; stack holds (name, members, text parts) of the open elements."""

    def __init__(self, always_array, strip_prefixes):
        self.always_array = always_array
        self.strip_prefixes = strip_prefixes
        self.stack = [("", {}, [])]
        self.nodes = 0

    def plain(self, name):
        return name.rpartition(":")[2] if self.strip_prefixes else name

    def start(self, name, attributes):
        self.nodes += 1 + len(attributes)
        if self.nodes > MAX_NODES or len(self.stack) > MAX_DEPTH:
            raise ValueError("xml has more than %d nodes or is nested deeper than %d" % (MAX_NODES, MAX_DEPTH))
        members = {}
        for key, value in attributes.items():
            if self.strip_prefixes and (key == "xmlns" or key.startswith("xmlns:")):
                continue
            members["@" + self.plain(key)] = value
        self.stack.append((self.plain(name), members, []))

    def text(self, data):
        self.stack[-1][2].append(data)

    def end(self, _name):
        name, members, parts = self.stack.pop()
        text = "".join(parts).strip()
        if members and text:
            members["#text"] = text
        value = members or text or None
        parent = self.stack[-1][1]
        # A list can only come from here: attributes have another name and element values are no lists.
        if name not in parent:
            parent[name] = [value] if name in self.always_array else value
        elif isinstance(parent[name], list):
            parent[name].append(value)
        else:
            parent[name] = [parent[name], value]


def refuse_doctype(*_):
    """Stop before any entity can be declared: they read files and grow without bound."""
    raise ValueError("xml has a document type declaration, which is refused")


def main(xml: str, always_array: list = [], strip_prefixes: bool = False):
    return parse(xml, set(always_array), strip_prefixes)


def parse(text, always_array, strip_prefixes):
    """Return the document as nested objects."""
    if len(text) > MAX_CHARS:
        raise ValueError("xml has %d characters, allowed are %d" % (len(text), MAX_CHARS))
    tree = XMLTree(always_array, strip_prefixes)
    # The text is characters already, so an encoding declared in it is overridden.
    parser = xml.parsers.expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    parser.CharacterDataHandler = tree.text
    try:
        parser.Parse(text.lstrip("\ufeff \t\r\n").encode("utf-8"), True)
    except (xml.parsers.expat.ExpatError, UnicodeEncodeError) as error:
        raise ValueError("xml is not well-formed: %s" % error) from None
    return tree.stack[0][1]


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
