"""Walks syntax trees and writes JSON, with nothing that is slow to load.

First part of the program that program.go joins. The modules ast, json and re
take longer to load than a tool takes to be looked at, so the node types come
from the interpreter's own _ast, and what else is needed stands here. Nothing
that is collected by a search for circles is made, so nobody searches for them.
"""

import _ast as ast
import gc

try:
    from _json import encode_basestring, encode_basestring_ascii
except ImportError:
    from json.encoder import encode_basestring, encode_basestring_ascii

gc.disable()

# Fields that never hold a node to look at; operators and contexts are read from their parent.
LEAVES = frozenset("ctx op ops id attr asname module level kind type_comment conversion is_async simple".split())
FIELDS = {}  # of each type of node, those that may


def children(node):
    """The nodes directly below one, in the order of the source's grammar."""
    fields = FIELDS.get(type(node))
    if fields is None:
        fields = FIELDS[type(node)] = [f for f in node._fields if f not in LEAVES]
    found = []
    for field in fields:
        part = getattr(node, field, None)
        if type(part) is list:
            found += [p for p in part if isinstance(p, ast.AST)]
        elif isinstance(part, ast.AST):
            found.append(part)
    return found


def walk(node):
    """All nodes of a tree, parents first."""
    todo = [node]
    for node in todo:
        todo += children(node)
        yield node


def located(node, place):
    """The node, put where another stands."""
    for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(node, name, getattr(place, name, None))
    return node


def written(value, text):
    """A value as JSON without spaces; text writes strings. ValueError for what JSON has not."""
    if isinstance(value, str):
        return text(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), -float("inf")):
            raise ValueError("no number")
        return float.__repr__(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([written(v, text) for v in value]) + "]"
    return "{" + ",".join([text(k) + ":" + written(v, text) for k, v in value.items()]) + "}"
