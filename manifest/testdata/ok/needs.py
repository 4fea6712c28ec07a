# ---
# name: extract_pdf_table
# version: 1.0.0
# description: Extract tables from a PDF file as JSON.
# inputs:
#   - name: pdf_path
#     type: string
#     description: Absolute path to the PDF file.
#     tainted_ok: true
# outputs:
#   type: array
#   items: object
# capabilities:
#   network: false
#   filesystem: read-only
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
#   packages: ["pdfplumber==0.11.4"]
# external_auth: []
# generated_by: claude-opus-4-7
# generated_at: 2026-05-04T12:34:56Z
# x-needs: [native, environment] # kept in one order, whichever it is written in
# ---

import pdfplumber
import json
import sys

def main(pdf_path: str):
    with pdfplumber.open(pdf_path) as pdf:
        return [page.extract_tables() for page in pdf.pages]

if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
