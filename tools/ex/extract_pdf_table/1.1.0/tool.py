# ---
# name: extract_pdf_table
# version: 1.1.0
# description: Extract the tables of a PDF file, ruled or aligned by white space, from all or selected pages and return every table with its page number and its rows of cell text.
# inputs:
#   - name: pdf_path
#     type: string
#     description: Path to the PDF file.
#     required: true
#     tainted_ok: true
#   - name: pages
#     type: string
#     description: Pages to read, such as 1-3,7 or 5-, counted from 1, empty for all of them.
#     required: false
#     default: ""
#   - name: strategy
#     type: string
#     description: How table borders are found, lines for drawn rules or text for columns aligned by white space.
#     required: false
#     default: lines
# outputs:
#   type: array
#   description: One object per table with page and table (both counted from 1) and rows, an array of arrays of strings or nulls.
#   items: {type: object}
# capabilities:
#   network: false
#   filesystem: read-only
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
#   packages: ["pdfplumber==0.11.4"]
# external_auth: []
# x-tags: [pdf, table, extract]
# x-aliases: [pdf_tables, pdf_to_table]
# x-examples:
#   - "Extract the table on page 2 of this PDF."
#   - "Read the tables on pages 10 to 15 of the annual report."
#   - "Get the rows of a PDF table that has no lines between its columns."
# ---

import json
import os
import re
import sys

import pdfplumber

MAX_FILE_BYTES = 50_000_000
MAX_PAGES = 500
MAX_CELLS = 200_000

PAGE_RANGE = r"([0-9]{1,6})(?:(-)([0-9]{1,6})?)?"


def open_pdf(path):
    """Open a PDF file, turning what pdfminer raises on a damaged one into a clear error."""
    try:
        size = os.path.getsize(path)
    except OSError as error:
        raise ValueError("cannot read %r: %s" % (path, error.strerror)) from None
    if size > MAX_FILE_BYTES:
        raise ValueError("the file has %d bytes, allowed are %d" % (size, MAX_FILE_BYTES))
    try:
        pdf = pdfplumber.open(path)
        len(pdf.pages)  # reads the page tree
    except OSError as error:
        raise ValueError("cannot read %r: %s" % (path, error.strerror)) from None
    except Exception as error:  # the parser has no common base class of errors
        raise ValueError("not a readable PDF file (damaged or encrypted): %s" % type(error).__name__) from None
    return pdf


def select_pages(spec, count):
    """Return the sorted page numbers that spec names in a file of count pages."""
    if not spec.strip():
        return list(range(1, count + 1))
    chosen = set()
    for part in spec.split(","):
        match = re.fullmatch(PAGE_RANGE, part.strip())
        if not match:
            raise ValueError("pages must look like 1-3,7 or 5-, not %r" % spec)
        first = int(match[1])
        last = int(match[3]) if match[3] else count if match[2] else first
        if not 1 <= first <= last <= count:
            raise ValueError("pages %s are outside of 1-%d" % (part.strip(), count))
        chosen.update(range(first, last + 1))
    return sorted(chosen)


def page_tables(page, strategy):
    """Return the tables of a page as lists of rows."""
    try:
        tables = page.extract_tables({"vertical_strategy": strategy, "horizontal_strategy": strategy})
    except Exception as error:  # as above; a page is parsed when it is first looked at
        message = "page %d cannot be read: %s" % (page.page_number, type(error).__name__)
        raise ValueError(message) from None
    if strategy == "text":  # the space between two lines of text counts as a row
        tables = [[row for row in rows if any(row)] for rows in tables]
    return [rows for rows in tables if rows]


def main(pdf_path: str, pages: str = "", strategy: str = "lines"):
    if strategy not in ("lines", "text"):
        raise ValueError("strategy must be lines or text, not %r" % strategy)
    found = []
    cells = 0
    with open_pdf(pdf_path) as pdf:
        numbers = select_pages(pages, len(pdf.pages))
        if len(numbers) > MAX_PAGES:
            raise ValueError("%d pages are selected, allowed are %d" % (len(numbers), MAX_PAGES))
        for number in numbers:
            page = pdf.pages[number - 1]
            for position, rows in enumerate(page_tables(page, strategy), 1):
                cells += sum(len(row) for row in rows)
                if cells > MAX_CELLS:
                    raise ValueError("the tables have more than %d cells" % MAX_CELLS)
                found.append({"page": number, "table": position, "rows": rows})
            page.close()
    return found


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
