"""json, csv, configparser: text in and out, in UTF-8"""
import configparser
import csv
import json

rows = [["name", "n"], ["caf\u00e9, \u4e16", "1"]]
with open("t.csv", "w", newline="") as f:
    csv.writer(f).writerows(rows)
with open("t.csv", newline="") as f:
    assert list(csv.reader(f)) == rows
assert json.loads(json.dumps(rows, ensure_ascii=False)) == rows
config = configparser.ConfigParser()
config.read_string("[a]\nb = 1\n")
assert config.getint("a", "b") == 1
print("caf\u00e9 \u4e16 \U0001f600")
