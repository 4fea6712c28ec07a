"""openpyxl: a workbook written and read, with a formula and a date"""
# packages: openpyxl==3.1.5 et_xmlfile==2.0.0
import datetime

import openpyxl

book = openpyxl.Workbook()
sheet = book.active
sheet.append(["item", "n", datetime.date(2026, 1, 2)])
sheet["B2"] = "=SUM(B1:B1)"
book.save("book.xlsx")
again = openpyxl.load_workbook("book.xlsx").active
assert again["A1"].value == "item" and again["C1"].value == datetime.datetime(2026, 1, 2) and again["B2"].value == "=SUM(B1:B1)"
