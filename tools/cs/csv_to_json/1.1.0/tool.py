# ---
# name: csv_to_json
# version: 1.1.0
# description: Convert delimited text such as CSV or TSV with a header row to an array of JSON objects, one per row, finding the delimiter by itself.
# inputs:
#   - name: csv_text
#     type: string
#     description: The delimited text, its first row holding the column names.
#     required: true
#     tainted_ok: true
#   - name: delimiter
#     type: string
#     description: A single character, or auto to choose among comma, semicolon, tab and vertical bar.
#     required: false
#     default: auto
# outputs:
#   type: array
#   description: One object per row, keyed by column name, with every value as a string and null for cells missing at the end of a short row.
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
#   - "Turn this semicolon-separated export from a German spreadsheet into JSON."
#   - "Parse this tab-separated table into records."
#   - "Convert the pipe-delimited report to an array of objects."
# ---

import csv
import io
import json
import sys

CANDIDATES = (",", ";", "\t", "|")
SAMPLE_ROWS = 50
MAX_ROWS = 100_000
MAX_COLUMNS = 1_000
MAX_CELLS = 1_000_000
MAX_NAME_CHARS = 4_000_000  # the names are repeated in every record


def read_rows(text, delimiter, limit=None):
    """Return the non-empty rows of text, quoted as in RFC 4180; at most limit of them if it is given."""
    rows = []
    cells = 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if not row:
                continue
            cells += len(row)
            if len(rows) > MAX_ROWS or len(row) > MAX_COLUMNS or cells > MAX_CELLS:
                raise ValueError("more than %d rows, %d columns or %d cells" % (MAX_ROWS, MAX_COLUMNS, MAX_CELLS))
            rows.append(row)
            if len(rows) == limit:
                break
    except csv.Error as error:
        raise ValueError("line %d is not valid CSV: %s" % (reader.line_num, error)) from None
    return rows


def find_delimiter(text):
    """Return the candidate that splits the first rows most evenly into two or more columns.

    A table in which every row has the width of the header beats a ragged one;
    among equals the earlier candidate wins, so text that is sound with commas
    is read with commas.
    """
    best, best_score = ",", 0.0
    for candidate in CANDIDATES:
        try:
            rows = read_rows(text, candidate, SAMPLE_ROWS)
        except ValueError:
            continue
        if not rows or len(rows[0]) < 2:
            continue
        score = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
        if score > best_score:
            best, best_score = candidate, score
    return best


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


def main(csv_text: str, delimiter: str = "auto"):
    text = csv_text.lstrip("\ufeff")
    if delimiter == "auto":
        delimiter = find_delimiter(text)
    elif len(delimiter) != 1 or delimiter in '"\r\n':
        raise ValueError("delimiter must be auto or one character that is neither a quote nor a line break")
    rows = read_rows(text, delimiter)
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
