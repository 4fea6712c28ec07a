# ---
# name: csv_to_json
# version: 1.0.0
# description: Convert comma-separated text with a header row to an array of JSON objects, one per row, with every value as a string.
# inputs:
#   - name: csv_text
#     type: string
#     description: The CSV text, its first row holding the column names.
#     required: true
#     tainted_ok: true
# outputs:
#   type: array
#   description: One object per row, keyed by column name, with null for cells missing at the end of a short row.
#   items: {type: object}
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [csv, json, table, convert]
# x-aliases: [csv2json, parse_csv]
# x-examples:
#   - "Turn this CSV export into JSON."
#   - "Parse these comma-separated contacts into records."
#   - "Read the table that I pasted and give me one object per line."
# ---

import csv
import io
import json
import sys

MAX_ROWS = 100_000
MAX_COLUMNS = 1_000
MAX_CELLS = 1_000_000
MAX_NAME_CHARS = 4_000_000  # the names are repeated in every record


def read_rows(text):
    """Return the non-empty rows of text, quoted as in RFC 4180."""
    rows = []
    cells = 0
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if not row:
                continue
            cells += len(row)
            if len(rows) > MAX_ROWS or len(row) > MAX_COLUMNS or cells > MAX_CELLS:
                raise ValueError("more than %d rows, %d columns or %d cells" % (MAX_ROWS, MAX_COLUMNS, MAX_CELLS))
            rows.append(row)
    except csv.Error as error:
        raise ValueError("line %d is not valid CSV: %s" % (reader.line_num, error)) from None
    return rows


def column_names(header, count):
    """Check the header row of a table with count rows and return the names of the columns."""
    names = [name.strip() for name in header]
    if sum(map(len, names)) * count > MAX_NAME_CHARS:
        raise ValueError("the column names are too long for %d rows" % count)
    for position, name in enumerate(names, 1):
        if not name:
            raise ValueError("column %d has no name" % position)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError("column names are not unique: %s" % ", ".join(twice))
    return names


def main(csv_text: str):
    rows = read_rows(csv_text.lstrip("\ufeff"))
    if not rows:
        return []
    names = column_names(rows[0], len(rows))
    records = []
    for number, row in enumerate(rows[1:], 2):
        if len(row) > len(names):
            raise ValueError("row %d has %d cells, the header has %d" % (number, len(row), len(names)))
        row = row + [None] * (len(names) - len(row))
        records.append(dict(zip(names, row)))
    return records


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
