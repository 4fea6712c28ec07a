#!/usr/bin/env python3
# -*- coding: utf-8 -*-
# Comments, blank lines and a script block may precede the frontmatter.

# /// script
# requires-python = ">=3.10"
# dependencies = []
# ///

# ---
# # A comment of YAML is allowed.
# name: fetch_rows
# version: 2.10.3
# description: "Fetch the rows of a table: filtered, as JSON."
#
# inputs:
#   - name: url
#     type: string
#     description: Where the table lies, e.g. a page.
#   - name: columns
#     type: array
#     description: Which columns to keep.
#     required: false
#     default: [name, "1"]
#     items: {type: string, minLength: 1, pattern: "^(?!_)[a-z0-9_]+$"}
#   - name: limit
#     type: integer
#     description: How many rows at most.
#     required: false
#     default: 100
#   - name: ratio
#     type: number
#     description: Which part of the rows to sample.
#     required: false
#     default: 2.50
#   - name: header
#     type: boolean
#     description: Whether the first row names the columns.
#     required: false
#     default: true
#   - name: options
#     type: object
#     description: Anything else.
#     required: false
#     default: {nested: {deep: [1, 2.50, 1e3, null, true, "yes"]}, "a key": "\u00e9 \U0001f600"}
#   - name: note
#     type: string
#     description: >-
#       What to write
#       beside the rows.
#     required: false
#     default: null
#     tainted_ok: true
# outputs:
#   type: array
#   description: One object per row.
#   items:
#     type: object
#     properties:
#       pattern: {type: [string, "null"]}
#     required: [pattern]
# capabilities: {network: true, filesystem: none, human_confirm: true}
# runtime:
#   language: python
#   python_version: "3.10"
#   packages:
#     - requests==2.32.3
#     - Some_Package.Name==1
# x-needs: process
# generated_by: "a person"
# x-ticket: 9007199254740993
# x-team: {owner: data, tags: [a, b], since: "2026-01-01"}
# ---
"""Fetch rows."""
import json
import sys


def main(url, columns=("name", "1"), limit=100, ratio=2.5, header=True, options=None, note=None):
    return [{"pattern": url}]


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
