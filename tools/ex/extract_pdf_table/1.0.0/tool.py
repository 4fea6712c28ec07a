# ---
# name: extract_pdf_table
# version: 1.0.0
# description: Extract the ruled tables of a PDF file and return every table with its page number and its rows of cell text.
# inputs:
#   - name: pdf_path
#     type: string
#     description: Path to the PDF file.
#     required: true
#     tainted_ok: true
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
#   - "Get the tables out of this PDF report."
#   - "Read the price list in catalogue.pdf as rows and columns."
#   - "Extract the figures from the table in the annual statement."
# ---

import json
import os
import sys

import pdfplumber

MAX_FILE_BYTES = 50_000_000
MAX_PAGES = 500
MAX_CELLS = 200_000


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
        count = len(pdf.pages)
    except OSError as error:
        raise ValueError("cannot read %r: %s" % (path, error.strerror)) from None
    except Exception as error:  # the parser has no common base class of errors
        raise ValueError("not a readable PDF file (damaged or encrypted): %s" % type(error).__name__) from None
    if count > MAX_PAGES:
        raise ValueError("the file has %d pages, allowed are %d" % (count, MAX_PAGES))
    return pdf


def page_tables(page):
    """Return the tables of a page as lists of rows."""
    try:
        return page.extract_tables()
    except Exception as error:  # as above; a page is parsed when it is first looked at
        message = "page %d cannot be read: %s" % (page.page_number, type(error).__name__)
        raise ValueError(message) from None


def main(pdf_path: str):
    found = []
    cells = 0
    with open_pdf(pdf_path) as pdf:
        for page in pdf.pages:
            for number, rows in enumerate(page_tables(page), 1):
                cells += sum(len(row) for row in rows)
                if cells > MAX_CELLS:
                    raise ValueError("the tables have more than %d cells" % MAX_CELLS)
                found.append({"page": page.page_number, "table": number, "rows": rows})
            page.close()
    return found


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
