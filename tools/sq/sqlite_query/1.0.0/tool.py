# ---
# name: sqlite_query
# version: 1.0.0
# description: Run one read-only SQL query with bound parameters on an SQLite database file and return the column names and a capped number of rows.
# inputs:
#   - name: database_path
#     type: string
#     description: Path to the SQLite database file.
#     required: true
#   - name: sql
#     type: string
#     description: One SELECT, WITH or VALUES statement, or a PRAGMA that describes a table, with question marks for the parameters.
#     required: true
#   - name: parameters
#     type: array
#     description: Values for the question marks in the statement, each a string, number, boolean or null.
#     required: false
#     default: []
#     tainted_ok: true
#   - name: max_rows
#     type: integer
#     description: Largest number of rows to return, from 1 to 10000.
#     required: false
#     default: 100
#   - name: timeout_seconds
#     type: integer
#     description: Longest time that the query may take, from 1 to 20.
#     required: false
#     default: 10
# outputs:
#   type: object
#   description: The columns, the rows as arrays in the same order (a blob is an object with its base64 text), whether rows were truncated, and warnings.
# capabilities:
#   network: false
#   filesystem: read-only
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [sqlite, sql, database, query]
# x-aliases: [query_sqlite, sql_query]
# x-examples:
#   - "How many orders per month are in shop.db?"
#   - "Show me the columns of the table customers in this SQLite file."
#   - "Find the ten largest invoices in the database."
# ---

import base64
import json
import math
import os
import sqlite3
import sys
import time
import urllib.parse

MAX_ROWS = 10_000
MAX_RESULT_CHARS = 4_000_000
MAX_VALUE_BYTES = 1_000_000
MAX_SQL_CHARS = 100_000
MAX_SECONDS = 20
STEPS_BETWEEN_CHECKS = 10_000

HEADER = b"SQLite format 3\0"
WAL_VERSION = 2  # the byte at offset 19 of a database in write-ahead mode

DESCRIBING_PRAGMAS = {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list"}

# Everything that is not needed for reading is refused when a statement is
# prepared: ATTACH would open other files, the rest would write. The numbers
# are SQLite's action codes; not every Python version names all of them.
SQLITE_PRAGMA = 19
SQLITE_READ = 20
SQLITE_SELECT = 21
SQLITE_FUNCTION = 31
SQLITE_RECURSIVE = 33
REFUSED_FUNCTIONS = {"load_extension", "fts3_tokenizer", "randomblob", "zeroblob"}


def authorize(action, first, second, _database, _trigger):
    """Decide about one action of a statement that is being prepared."""
    if action in (SQLITE_READ, SQLITE_SELECT, SQLITE_RECURSIVE):
        return sqlite3.SQLITE_OK
    if action == SQLITE_FUNCTION and (second or "").lower() not in REFUSED_FUNCTIONS:
        return sqlite3.SQLITE_OK
    if action == SQLITE_PRAGMA and (first or "").lower() in DESCRIBING_PRAGMAS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def check_file(path):
    """Read the file header; return the warnings that follow from it."""
    try:
        with open(path, "rb") as file:
            header = file.read(100)
    except OSError as error:
        raise ValueError("cannot read %r: %s" % (path, error.strerror)) from None
    if not header:
        return ["the file is empty, so the database has no tables"]
    if len(header) < 100 or not header.startswith(HEADER):
        raise ValueError("%r is not an SQLite database" % path)
    if header[19] == WAL_VERSION:
        # An immutable database is read without its log, the only way that writes nothing.
        return ["the database uses a write-ahead log, changes that are only in the log are not seen"]
    return []


def connect(path, seconds):
    """Open the database so that nothing can be written, not even a lock or a journal."""
    uri = "file:%s?mode=ro&immutable=1" % urllib.parse.quote(os.path.abspath(path))
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "temp_store = MEMORY"):
        connection.execute("PRAGMA " + pragma)
    if hasattr(connection, "setlimit"):  # from Python 3.11
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > deadline, STEPS_BETWEEN_CHECKS)
    connection.set_authorizer(authorize)
    return connection


def to_json(value):
    """Return a value that JSON can hold."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def main(database_path: str, sql: str, parameters: list = [], max_rows: int = 100, timeout_seconds: int = 10):
    if not 1 <= max_rows <= MAX_ROWS:
        raise ValueError("max_rows must be from 1 to %d" % MAX_ROWS)
    if not 1 <= timeout_seconds <= MAX_SECONDS:
        raise ValueError("timeout_seconds must be from 1 to %d" % MAX_SECONDS)
    if len(sql) > MAX_SQL_CHARS:
        raise ValueError("sql has %d characters, allowed are %d" % (len(sql), MAX_SQL_CHARS))
    if any(isinstance(value, (list, dict)) for value in parameters):
        raise ValueError("parameters must be strings, numbers, booleans or nulls")
    warnings = check_file(database_path)

    rows, chars, truncated = [], 0, False
    connection = connect(database_path, timeout_seconds)
    try:
        cursor = connection.execute(sql, parameters)
        columns = [column[0] for column in cursor.description or ()]
        for row in cursor:
            row = [to_json(value) for value in row]
            chars += len(json.dumps(row))
            if len(rows) == max_rows or chars > MAX_RESULT_CHARS:
                truncated = True
                break
            rows.append(row)
    except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
        if str(error) == "interrupted":
            raise ValueError("the query was stopped after %d seconds" % timeout_seconds) from None
        hint = " (only reading is allowed)" if "authorized" in str(error) else ""
        raise ValueError("the query failed: %s%s" % (error, hint)) from None
    finally:
        connection.close()
    return {"columns": columns, "rows": rows, "truncated": truncated, "warnings": warnings}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
