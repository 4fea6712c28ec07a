# ---
# name: markdown_toc
# version: 1.0.0
# description: Build a linked table of contents from the headings of a Markdown text and return it as a Markdown list together with the headings, their levels, lines and anchors.
# inputs:
#   - name: markdown
#     type: string
#     description: The Markdown text.
#     required: true
#     tainted_ok: true
#   - name: min_level
#     type: integer
#     description: Highest heading level to list, from 1 to 6.
#     required: false
#     default: 1
#   - name: max_level
#     type: integer
#     description: Lowest heading level to list, from 1 to 6.
#     required: false
#     default: 3
#   - name: numbered
#     type: boolean
#     description: Whether the list is numbered instead of bulleted.
#     required: false
#     default: false
# outputs:
#   type: object
#   description: The toc as Markdown and the headings as an array of objects with level, text, anchor (as GitHub makes them) and line, counted from 1.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [markdown, headings, toc]
# x-aliases: [table_of_contents]
# x-examples:
#   - "Make a table of contents for this README."
#   - "List the headings of the document with their line numbers."
#   - "Which anchor does GitHub give to the section on installation?"
# ---

import json
import re
import sys
import unicodedata

MAX_CHARS = 2_000_000
MAX_HEADINGS = 10_000
MAX_HEADING_CHARS = 1_000  # a longer line is no heading that anybody wants to list

FENCE = r" {0,3}(`{3,}(?=[^`]*$)|~{3,})"
ATX = r" {0,3}(#{1,6})(?:[ \t]+(.*))?$"
CLOSING_HASHES = r"(?:^|[ \t]+)#+$"
UNDERLINE = r" {0,3}(=+|-+)[ \t]*$"
# A line that cannot be the text above an underline: blank, quote, list item,
# indented code, table row, HTML, thematic break.
NO_PARAGRAPH = r"\s*$| {0,3}(?:>|[-+*](?:\s|$)|[0-9]{1,9}[.)](?:\s|$)|<|\||([-*_])(?:[ \t]*\1){2,}[ \t]*$)| {4}|\t"


def plain_text(text):
    """Return the words of a heading without the marks of links, images, code and emphasis."""
    text = re.sub(r"<[^<>]{0,200}>", "", text)
    text = re.sub(r"!\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
    text = re.sub(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])", r"\1", text)
    text = re.sub(r"(`{1,3})([^`]+)\1", r"\2", text)
    text = re.sub(r"(\*\*\*|\*\*|\*|~~)(?=\S)([^*~]+)(?<=\S)\1", r"\2", text)
    text = re.sub(r"(?<!\w)(__|_)(?=\S)([^_]+)(?<=\S)\1(?!\w)", r"\2", text)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return " ".join(text.split())


def anchor(text, used):
    """Return the anchor that GitHub gives to a heading, made unique with a number."""
    kept = [
        char
        for char in unicodedata.normalize("NFC", text).lower()
        if char in " -_" or unicodedata.category(char)[0] in "LNM"
    ]
    base = "".join(kept).replace(" ", "-")
    name = base
    while name in used:
        used[base] += 1
        name = "%s-%d" % (base, used[base])
    used[name] = 0
    return name


def front_matter_end(lines):
    """Return the index after a YAML block that opens the text, 0 if there is none."""
    if lines and lines[0].rstrip() == "---":
        for index, line in enumerate(lines[1:], 1):
            if line.rstrip() in ("---", "..."):
                return index + 1
    return 0


def find_headings(text):
    """Yield (level, raw text, line number) of headings outside of code and comments."""
    lines = re.split(r"\r\n|\n|\r", text)
    start = front_matter_end(lines)
    fence = None
    in_comment = False
    paragraph = None  # text and number of the line above, if it can carry an underline
    for number, line in enumerate(lines[start:], start + 1):
        if in_comment:
            in_comment = "-->" not in line
            continue
        match = re.match(FENCE, line) if len(line) <= MAX_HEADING_CHARS else None
        if fence:
            if match and match[1].startswith(fence) and not line[match.end() :].strip():
                fence = None
            continue
        if match:
            fence, paragraph = match[1], None
            continue
        if re.match(r" {0,3}<!--", line):
            in_comment = "-->" not in line
            paragraph = None
            continue
        if len(line) > MAX_HEADING_CHARS:
            paragraph = None
            continue
        match = re.match(ATX, line)
        if match:
            yield len(match[1]), re.sub(CLOSING_HASHES, "", (match[2] or "").strip()), number
            paragraph = None
            continue
        match = re.match(UNDERLINE, line)
        if match and paragraph:
            yield (1 if match[1][0] == "=" else 2), paragraph[0], paragraph[1]
            paragraph = None
        elif re.match(NO_PARAGRAPH, line):
            paragraph = None
        elif paragraph is None:
            paragraph = (line.strip(), number)
        else:
            joined = paragraph[0] + " " + line.strip()
            paragraph = (joined[:MAX_HEADING_CHARS], paragraph[1])


def table_of_contents(headings, numbered):
    """Return the nested Markdown list; a skipped level is not indented twice."""
    marker = "1. " if numbered else "- "
    open_levels = []
    out = []
    for heading in headings:
        while open_levels and open_levels[-1] >= heading["level"]:
            open_levels.pop()
        label = re.sub(r"([\\\[\]*_`<>])", r"\\\1", heading["text"])
        out.append("%s%s[%s](#%s)" % (" " * len(marker) * len(open_levels), marker, label, heading["anchor"]))
        open_levels.append(heading["level"])
    return "\n".join(out)


def main(markdown: str, min_level: int = 1, max_level: int = 3, numbered: bool = False):
    if not 1 <= min_level <= max_level <= 6:
        raise ValueError("levels must hold 1 <= min_level <= max_level <= 6")
    if len(markdown) > MAX_CHARS:
        raise ValueError("markdown has %d characters, allowed are %d" % (len(markdown), MAX_CHARS))
    used = {}
    headings = []
    for count, (level, raw, number) in enumerate(find_headings(markdown.lstrip("\ufeff")), 1):
        if count > MAX_HEADINGS:
            raise ValueError("the text has more than %d headings" % MAX_HEADINGS)
        text = plain_text(raw)
        # Unlisted headings use up anchors too.
        name = anchor(text, used)
        if text and min_level <= level <= max_level:
            headings.append({"level": level, "text": text, "anchor": name, "line": number})
    return {"toc": table_of_contents(headings, numbered), "headings": headings}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
