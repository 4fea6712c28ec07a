"""pdfplumber: the text and the table of a PDF, and its picture"""
# packages: pdfplumber==0.11.4 pdfminer.six==20231228 pillow==11.0.0 pypdfium2==4.30.0 charset-normalizer==3.4.0 cryptography==43.0.3 cffi==1.17.1 pycparser==2.22
# file: table.pdf
import json
import sys

import pdfplumber

with pdfplumber.open(json.load(sys.stdin)["file"]) as pdf:
    page = pdf.pages[0]
    assert page.extract_text().splitlines()[0] == "Stock of the month"
    assert page.extract_table() == [["Item", "Count"], ["apples", "3"], ["pears", "14"], ["caf\u00e9", "159"]]
    assert page.to_image(resolution=50).original.size[0] > 400
