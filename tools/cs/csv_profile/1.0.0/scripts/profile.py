"""Tell what the columns of a CSV file hold, as one JSON object."""

import argparse
import collections
import csv
import datetime
import json

MOST = 5  # values that are shown, and rows that are named


def type_of(value):
    """Tell the type of one cell."""
    text = value.strip()
    if text.lower() in ("true", "false", "yes", "no"):
        return "boolean"
    for name, read in (("integer", int), ("number", float), ("date", datetime.date.fromisoformat)):
        try:
            read(text)
            return name
        except ValueError:
            continue
    return "text"


class Column:
    """What was seen of one column."""

    def __init__(self, name):
        self.name = name
        self.empty = 0
        self.values = collections.Counter()
        self.types = collections.Counter()
        self.rows = collections.defaultdict(list)  # of a type, the first few

    def see(self, row, value):
        """Count a cell."""
        if not value.strip():
            self.empty += 1
            return
        kind = type_of(value)
        self.values[value] += 1
        self.types[kind] += 1
        if len(self.rows[kind]) < MOST:
            self.rows[kind].append(row)

    def told(self):
        """Return what there is to say."""
        counted = sum(self.types.values())
        kinds = set(self.types)
        kind = "text"
        if len(kinds) == 1:
            kind = kinds.pop()
        elif kinds and kinds <= {"integer", "number"}:
            kind = "number"
        usual = self.types.most_common(1)[0][0] if counted else kind
        odd = []
        if counted and self.types[usual] >= 0.95 * counted and kind != "number":
            odd = sorted(row for other, rows in self.rows.items() if other != usual for row in rows)
        return {
            "name": self.name, "type": kind, "empty": self.empty, "distinct": len(self.values),
            "common": [{"value": v, "times": n} for v, n in self.values.most_common(MOST)], "odd": odd[:MOST],
        }


def profile(lines, sample):
    """Profile a table, of which the first line has the names of the columns."""
    reader = csv.reader(lines)
    columns = [Column(name) for name in next(reader, [])]
    rows, ragged = 0, []
    for rows, cells in enumerate(reader, start=1):
        if len(cells) != len(columns) and len(ragged) < MOST:
            ragged.append(rows)
        if rows <= sample:
            for column, value in zip(columns, cells):
                column.see(rows, value)
    return {"rows": rows, "ragged": ragged, "columns": [c.told() for c in columns]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--sample", type=int, default=10000)
    arguments = parser.parse_args()
    with open(arguments.table, newline="", encoding="utf-8", errors="replace") as table:
        print(json.dumps(profile(table, arguments.sample), ensure_ascii=False, indent=2))
