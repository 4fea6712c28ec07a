# ---
# name: json_query
# version: 1.0.0
# description: Select values from a JSON text with a JSONPath expression and return each match with its normalized path.
# inputs:
#   - name: json_text
#     type: string
#     description: The JSON text to search.
#     required: true
#     tainted_ok: true
#   - name: path
#     type: string
#     description: A JSONPath such as $.store.book[?@.price < 10].title, made of names, indexes, slices, wildcards, unions, descendants and simple filters.
#     required: true
#   - name: max_matches
#     type: integer
#     description: Largest number of matches to return, from 1 to 10000.
#     required: false
#     default: 1000
# outputs:
#   type: object
#   description: The matches in document order as an array of objects with path and value, and whether there are more than were returned.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [json, query, jsonpath]
# x-aliases: [jsonpath, query_json]
# x-examples:
#   - "Get the names of all users from this JSON."
#   - "Which books in this JSON document cost less than ten?"
#   - "Find every email field anywhere in the API response."
# ---

# The language is a subset of RFC 9535:
#
#   $                       the whole document
#   .name  ['name']         member of an object ("name" too)
#   [0]  [-1]               element of an array, from the end if negative
#   [1:10:2]                slice, all three parts optional
#   .*  [*]                 every member or element
#   ['a','b',0]             union of names, indexes, slices and wildcards
#   ..name  ..*  ..[0]      the same at any depth
#   [?@.a.b]                elements that have the member
#   [?@.a == 1 && @.b != 'x']   comparisons (== != < <= > >=) of a singular
#                           path with a string, number, true, false or null
#
# Not part of it: || and ! in filters, parentheses, functions, and comparisons
# between two paths.

import json
import operator
import re
import sys

MAX_CHARS = 4_000_000
MAX_DEPTH = 150
MAX_PATH_CHARS = 2_000
MAX_MATCHES = 10_000
MAX_VISITS = 1_000_000
MAX_RESULT_CHARS = 4_000_000

TOKEN = r"""(?x)\s*(?:
    (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
  | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
  | (?P<name>[^\W\d]\w*)
  | (?P<sign>\.\.|&&|==|!=|<=|>=|[$@.\[\]*,:?<>])
)"""
COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
LITERALS = {"true": True, "false": False, "null": None}


def tokenize(path):
    """Return the tokens (kind, text) of a path, the first one last, so that pop takes it."""
    tokens = []
    path = path.strip()
    position = 0
    while position < len(path):
        match = re.compile(TOKEN).match(path, position)
        if not match:
            raise ValueError("path is not understood from %r on" % path[position : position + 20])
        tokens.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    return [("end", "the end")] + tokens[::-1]


def take(tokens, *wanted):
    """Take the next token, which must be one of the wanted signs or kinds, and return its text."""
    kind, text = tokens[-1]
    if kind not in wanted and not (kind == "sign" and text in wanted):
        raise ValueError("path has %s where %s is expected" % (text, " or ".join(wanted)))
    tokens.pop()
    return text


def comes(tokens, *signs):
    """Tell whether the next token is one of the signs."""
    return tokens[-1][0] == "sign" and tokens[-1][1] in signs


def take_string(tokens):
    """Return the value of a quoted string; the escapes are those of JSON and \'."""
    text = take(tokens, "string")
    body = re.sub(r"\\.|\"", lambda match: {"\\'": "'", '"': '\\"'}.get(match[0], match[0]), text[1:-1])
    try:
        return json.loads('"%s"' % body)
    except ValueError:
        raise ValueError("path has the string %s, which is not valid" % text) from None


def take_integer(tokens):
    text = take(tokens, "number")
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise ValueError("path has %s where a whole number is expected" % text)
    return int(text)


def parse_path(path):
    """Return a path as a list of (descend, selectors).

    A selector is ("name", str), ("index", int), ("slice", slice), ("all", None)
    or ("filter", tests), a test being (keys, comparison or None, literal).
    """
    tokens = tokenize(path)
    take(tokens, "$")
    steps = []
    while tokens[-1][0] != "end":
        sign = take(tokens, ".", "..", "[")
        if sign == ".." and comes(tokens, "["):
            take(tokens, "[")
            steps.append((True, parse_brackets(tokens)))
        elif sign == "[":
            steps.append((False, parse_brackets(tokens)))
        elif comes(tokens, "*"):
            take(tokens, "*")
            steps.append((sign == "..", [("all", None)]))
        else:
            steps.append((sign == "..", [("name", take(tokens, "name", "*"))]))
    return steps


def parse_brackets(tokens):
    """Read selectors up to the closing bracket; the opening one is taken."""
    selectors = [parse_selector(tokens)]
    while take(tokens, ",", "]") == ",":
        selectors.append(parse_selector(tokens))
    return selectors


def parse_selector(tokens):
    if tokens[-1][0] == "string":
        return "name", take_string(tokens)
    if comes(tokens, "*"):
        take(tokens, "*")
        return "all", None
    if comes(tokens, "?"):
        take(tokens, "?")
        tests = [parse_test(tokens)]
        while comes(tokens, "&&"):
            take(tokens, "&&")
            tests.append(parse_test(tokens))
        return "filter", tests
    if not comes(tokens, ":"):
        if tokens[-1][0] != "number":
            take(tokens, "string", "number", ":", "*", "?")
        index = take_integer(tokens)
        if not comes(tokens, ":"):
            return "index", index
        parts = [index]
    else:
        parts = [None]
    while comes(tokens, ":") and len(parts) < 3:
        take(tokens, ":")
        parts.append(take_integer(tokens) if tokens[-1][0] == "number" else None)
    return "slice", slice(*parts)


def parse_test(tokens):
    """Read @ and a singular path, then perhaps a comparison with a literal."""
    take(tokens, "@")
    keys = []
    while comes(tokens, ".", "["):
        if take(tokens, ".", "[") == ".":
            keys.append(take(tokens, "name"))
        else:
            keys.append(take_string(tokens) if tokens[-1][0] == "string" else take_integer(tokens))
            take(tokens, "]")
    if not comes(tokens, *COMPARISONS):
        return keys, None, None
    compare = COMPARISONS[take(tokens, *COMPARISONS)]
    if tokens[-1][0] == "string":
        return keys, compare, take_string(tokens)
    kind = tokens[-1][0]
    text = take(tokens, "string", "number", "name")
    if kind == "name" and text not in LITERALS:
        raise ValueError("path compares with %s, which is no string, number, true, false or null" % text)
    return keys, compare, LITERALS[text] if kind == "name" else json.loads(text)


def kind_of(value):
    """Return the JSON type of a value; true is not the number 1 here."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def passes(value, tests):
    """Tell whether a value passes all tests of a filter."""
    for keys, compare, literal in tests:
        current, found = value, True
        for key in keys:
            if isinstance(current, dict) and key in current:
                current = current[key]
            elif isinstance(current, list) and isinstance(key, int) and -len(current) <= key < len(current):
                current = current[key]
            else:
                found = False
                break
        if compare is None:
            passed = found
        elif not found or kind_of(current) != kind_of(literal):
            passed = compare is operator.ne  # nothing, or another type, differs from everything
        elif compare not in (operator.eq, operator.ne) and kind_of(literal) not in ("number", "str"):
            passed = compare in (operator.le, operator.ge) and current == literal
        else:
            passed = compare(current, literal)
        if not passed:
            return False
    return True


def children(value):
    """Return the (key, child) pairs of an object or array."""
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def select(value, selector):
    """Return the (key, child) pairs that one selector picks from a value."""
    kind, wanted = selector
    if kind == "name":
        return [(wanted, value[wanted])] if isinstance(value, dict) and wanted in value else []
    if kind == "index":
        found = isinstance(value, list) and -len(value) <= wanted < len(value)
        return [(wanted % len(value), value[wanted])] if found else []
    if kind == "slice":
        if not isinstance(value, list) or wanted.step == 0:
            return []
        return [(index, value[index]) for index in range(*wanted.indices(len(value)))]
    if kind == "filter":
        return [(key, child) for key, child in children(value) if passes(child, wanted)]
    return children(value)


def with_descendants(nodes, spend):
    """Return the nodes and everything below them in document order."""
    found = []
    waiting = nodes[::-1]
    while waiting:
        node = waiting.pop()
        found.append(node)
        below = [((node[0], key), child) for key, child in children(node[1])]
        spend(len(below))
        waiting.extend(reversed(below))
    return found


def run_steps(document, steps):
    """Return the (place, value) pairs that a parsed path selects.

    A place is None for the document or (place of the parent, key).
    """
    visits = [0]

    def spend(count):
        visits[0] += count
        if visits[0] > MAX_VISITS:
            raise ValueError("the path visits more than %d values" % MAX_VISITS)

    nodes = [(None, document)]
    for descend, selectors in steps:
        if descend:
            nodes = with_descendants(nodes, spend)
        following = []
        for place, value in nodes:
            for selector in selectors:
                picked = select(value, selector)
                spend(1 + (len(children(value)) if selector[0] == "filter" else len(picked)))
                following.extend(((place, key), child) for key, child in picked)
        nodes = following
    return nodes


def normalized(place):
    """Write a place as the normalized path of RFC 9535, section 2.7."""
    parts = []
    while place is not None:
        place, key = place
        if isinstance(key, int):
            parts.append("[%d]" % key)
        else:
            inner = json.dumps(key, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
            parts.append("['%s']" % inner)
    return "$" + "".join(reversed(parts))


def finite(text):
    """Return a number that JSON can hold again; 1e999 and NaN are none."""
    number = float(text)
    if number - number != 0:
        raise ValueError("%s is out of range" % text)
    return number


def load(text):
    """Parse the JSON text; its nesting is measured first, because the parser recurses."""
    if len(text) > MAX_CHARS:
        raise ValueError("json_text has %d characters, allowed are %d" % (len(text), MAX_CHARS))
    depth = 0
    # The closing quote is optional so that an unclosed string is passed over once.
    for match in re.finditer(r'(?s)"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', text):
        if match[0] in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError("json_text is nested deeper than %d" % MAX_DEPTH)
        elif match[0] in "]}":
            depth -= 1
    try:
        return json.loads(text, parse_constant=finite, parse_float=finite)
    except ValueError as error:
        raise ValueError("json_text is not JSON: %s" % error) from None


def main(json_text: str, path: str, max_matches: int = 1000):
    if len(path) > MAX_PATH_CHARS:
        raise ValueError("path has more than %d characters" % MAX_PATH_CHARS)
    if not 1 <= max_matches <= MAX_MATCHES:
        raise ValueError("max_matches must be from 1 to %d" % MAX_MATCHES)
    steps = parse_path(path)
    nodes = run_steps(load(json_text), steps)
    matches = []
    chars = 0
    for place, value in nodes[:max_matches]:
        chars += len(json.dumps(value))
        if chars > MAX_RESULT_CHARS:
            break
        matches.append({"path": normalized(place), "value": value})
    return {"matches": matches, "truncated": len(matches) < len(nodes)}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
