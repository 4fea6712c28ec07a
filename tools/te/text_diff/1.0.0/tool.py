# ---
# name: text_diff
# version: 1.0.0
# description: Compare two texts line by line and return the differences as a unified diff, as aligned rows or as counts of added and removed lines.
# inputs:
#   - name: before
#     type: string
#     description: The old text.
#     required: true
#     tainted_ok: true
#   - name: after
#     type: string
#     description: The new text.
#     required: true
#     tainted_ok: true
#   - name: format
#     type: string
#     description: Shape of the answer, unified for a patch, side for rows that put old and new lines next to each other, stat for counts alone.
#     required: false
#     default: unified
#   - name: context
#     type: integer
#     description: Number of unchanged lines around a change, from 0 to 1000.
#     required: false
#     default: 3
#   - name: ignore_space
#     type: boolean
#     description: Whether lines that differ only in blanks count as equal.
#     required: false
#     default: false
# outputs:
#   type: object
#   description: Whether the texts are equal, the numbers of added and removed lines and of changed places, whether the comparison is minimal, and diff or rows as the format asks.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [text, diff, compare]
# x-aliases: [compare_texts, diff_text]
# x-examples:
#   - "What changed between these two versions of the contract?"
#   - "Make a unified diff of the old and the new configuration."
#   - "How many lines were added and removed?"
# ---

import array
import json
import sys

MAX_CHARS = 2_000_000  # of both texts together
MAX_EDITS = 2_000  # the time and memory of the search grow with its square
MAX_STEPS = 20_000_000
MAX_ROWS = 20_000


def split_lines(text):
    """Return the lines without their line feeds, and whether the last one had none."""
    if not text:
        return [], False
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1], False
    return lines, True


def shortest_edit(old, new):
    """Return the matched index pairs of a shortest edit from old to new, None if the search costs too much.

    This is the greedy algorithm of Myers (1986): after some number of edits,
    reach[k + offset] is the furthest index in old on the diagonal k = old - new.
    """
    offset = min(len(old) + len(new), MAX_EDITS) + 1
    reach = [0] * (2 * offset + 1)
    history = []  # per round, the diagonals of the round before it
    steps = 0
    for edits in range(offset):
        history.append(array.array("l", reach[offset - edits : offset + edits + 1]))
        for k in range(-edits, edits + 1, 2):
            if k == -edits or (k != edits and reach[offset + k - 1] < reach[offset + k + 1]):
                x = reach[offset + k + 1]
            else:
                x = reach[offset + k - 1] + 1
            y = x - k
            start = x
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x += 1
                y += 1
            steps += x - start + 1
            reach[offset + k] = x
            if x >= len(old) and y >= len(new):
                return walk_back(history, len(old), len(new))
        if steps > MAX_STEPS:
            break
    return None


def walk_back(history, x, y):
    """Follow the stored reaches from the end to the start and collect the matches."""
    pairs = []
    for edits in range(len(history) - 1, -1, -1):
        reach = history[edits]  # reach[k + edits] is that of diagonal k
        k = x - y
        start_x = start_y = 0
        if edits:
            down = k == -edits or (k != edits and reach[edits + k - 1] < reach[edits + k + 1])
            previous = k + 1 if down else k - 1
            start_x = reach[edits + previous]
            start_y = start_x - previous
        while x > start_x and y > start_y:
            x -= 1
            y -= 1
            pairs.append((x, y))
        x, y = start_x, start_y
    return pairs[::-1]


def compare(old, new):
    """Return the changes [(old start, old end, new start, new end)] and whether they are minimal."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    pairs = shortest_edit(old[head : len(old) - tail], new[head : len(new) - tail])
    minimal = pairs is not None
    matched = [(x + head, y + head) for x, y in pairs or []]
    changes = []
    x, y = head, head
    for next_x, next_y in matched + [(len(old) - tail, len(new) - tail)]:
        if next_x > x or next_y > y:
            changes.append((x, next_x, y, next_y))
        x, y = next_x + 1, next_y + 1
    return changes, minimal


def group(changes, context):
    """Put changes into hunks; those whose context would touch belong together."""
    hunks = []
    for change in changes:
        if hunks and change[0] - hunks[-1][-1][1] <= 2 * context:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    return hunks


def line_range(start, end):
    """Write a range of lines as unified diffs do: 1-based, an empty one by the line before it."""
    count = end - start
    if count == 1:
        return str(start + 1)
    return "%d,%d" % (start + 1 if count else start, count)


def unified(old, new, hunks, context, old_open, new_open):
    """Return the unified diff; a last line without a line feed is marked as GNU diff does."""
    out = []

    def put(sign, lines, index, is_open):
        out.append(sign + lines[index])
        if is_open and index == len(lines) - 1:
            out.append("\\ No newline at end of file")

    for hunk in hunks:
        before = min(context, hunk[0][0])
        after = min(context, len(old) - hunk[-1][1])
        x = hunk[0][0] - before
        old_range = line_range(x, hunk[-1][1] + after)
        new_range = line_range(hunk[0][2] - before, hunk[-1][3] + after)
        out.append("@@ -%s +%s @@" % (old_range, new_range))
        for old_start, old_end, new_start, new_end in hunk + [(hunk[-1][1] + after,) * 2 + (0, 0)]:
            for index in range(x, old_start):
                put(" ", old, index, old_open)
            for index in range(old_start, old_end):
                put("-", old, index, old_open)
            for index in range(new_start, new_end):
                put("+", new, index, new_open)
            x = old_end
    text = "\n".join(["--- before", "+++ after"] + out) if out else ""
    return text + "\n" if text else ""


def side(old, new, hunks, context):
    """Return rows {kind, before_line, before, after_line, after}; a missing side is null."""
    rows = []

    def put(kind, x, y):
        if len(rows) == MAX_ROWS:
            raise ValueError("the answer would have more than %d rows, use the format unified or stat" % MAX_ROWS)
        rows.append({
            "kind": kind,
            "before_line": None if x is None else x + 1,
            "before": None if x is None else old[x],
            "after_line": None if y is None else y + 1,
            "after": None if y is None else new[y],
        })

    for hunk in hunks:
        before = min(context, hunk[0][0])
        x, y = hunk[0][0] - before, hunk[0][2] - before
        end = hunk[-1][1] + min(context, len(old) - hunk[-1][1])
        for old_start, old_end, new_start, new_end in hunk + [(end, end, 0, 0)]:
            for offset in range(old_start - x):
                put("same", x + offset, y + offset)
            common = min(old_end - old_start, new_end - new_start)
            for offset in range(common):
                put("changed", old_start + offset, new_start + offset)
            for index in range(old_start + common, old_end):
                put("removed", index, None)
            for index in range(new_start + common, new_end):
                put("added", None, index)
            x, y = old_end, new_end
    return rows


def main(before: str, after: str, format: str = "unified", context: int = 3, ignore_space: bool = False):
    if format not in ("unified", "side", "stat"):
        raise ValueError("format must be unified, side or stat, not %r" % format)
    if not 0 <= context <= 1000:
        raise ValueError("context must be from 0 to 1000")
    if len(before) + len(after) > MAX_CHARS:
        raise ValueError("the texts have %d characters, allowed are %d" % (len(before) + len(after), MAX_CHARS))
    old, old_open = split_lines(before)
    new, new_open = split_lines(after)
    # A missing final line feed is a difference too, unless blanks are ignored.
    old_keys = ["".join(line.split()) if ignore_space else line for line in old]
    new_keys = ["".join(line.split()) if ignore_space else line for line in new]
    if old_open != new_open and not ignore_space:
        (old_keys if old_open else new_keys)[-1] += "\n"
    numbers = {}
    old_numbers = [numbers.setdefault(line, len(numbers)) for line in old_keys]
    new_numbers = [numbers.setdefault(line, len(numbers)) for line in new_keys]
    changes, minimal = compare(old_numbers, new_numbers)
    result = {
        "equal": not changes,
        "added": sum(change[3] - change[2] for change in changes),
        "removed": sum(change[1] - change[0] for change in changes),
        "changes": len(changes),
        "minimal": minimal,
    }
    hunks = group(changes, context)
    if format == "unified":
        result["diff"] = unified(old, new, hunks, context, old_open, new_open)
    elif format == "side":
        result["rows"] = side(old, new, hunks, context)
    return result


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
