# ---
# name: xml_to_json
# version: 1.0.0
# description: "Convert an XML document without a document type declaration to JSON and return one object in which attributes have names with @ and text beside them is named #text."
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
# x-tags: [xml, json, convert]
# x-aliases: [xml2json, parse_xml]
# x-examples:
#   - "Convert this XML response to JSON."
#   - "Read the RSS feed text as structured data."
#   - "Turn the Maven pom into an object, dependencies always as a list."
# ---

import json
import sys
from xml.parsers import expat

MAX_CHARS = 4_000_000
MAX_DEPTH = 64  # every level of elements is up to two levels of JSON
MAX_NODES = 200_000  # elements and attributes


def refuse_doctype(*_):
    """Stop before any entity can be declared: they read files and grow without bound."""
    raise ValueError("xml has a document type declaration, which is refused")


def add_member(members, name, value, always_array):
    """Add the value of a child element; the second of one name makes an array."""
    if name not in members:
        members[name] = [value] if name in always_array else value
    elif isinstance(members[name], list):
        members[name].append(value)
    else:
        members[name] = [members[name], value]


def main(xml: str, always_array: list = [], strip_prefixes: bool = False):
    if len(xml) > MAX_CHARS:
        raise ValueError("xml has %d characters, allowed are %d" % (len(xml), MAX_CHARS))
    listed = set(always_array)
    stack = [("", {}, [])]  # (name, members, pieces of text) of the open elements
    nodes = 0

    def plain(name):
        return name.rpartition(":")[2] if strip_prefixes else name

    def start(name, attributes):
        nonlocal nodes
        nodes += 1 + len(attributes)
        if nodes > MAX_NODES or len(stack) > MAX_DEPTH:
            raise ValueError("xml has more than %d nodes or is nested deeper than %d" % (MAX_NODES, MAX_DEPTH))
        members = {}
        for key, value in attributes.items():
            if not (strip_prefixes and (key == "xmlns" or key.startswith("xmlns:"))):
                members["@" + plain(key)] = value
        stack.append((plain(name), members, []))

    def end(_name):
        name, members, pieces = stack.pop()
        text = "".join(pieces).strip()
        if members and text:
            members["#text"] = text
        add_member(stack[-1][1], name, members or text or None, listed)

    # The text is characters already, so an encoding declared in it is overridden.
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: stack[-1][2].append(text)
    try:
        parser.Parse(xml.lstrip("\ufeff \t\r\n").encode("utf-8"), True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise ValueError("xml is not well-formed: %s" % error) from None
    return stack[0][1]


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
