"""sqlite3: a database in a file, with a journal, and one in memory"""
# module: sqlite3
import sqlite3

db = sqlite3.connect("data.sqlite")
db.execute("PRAGMA journal_mode=WAL")
db.execute("CREATE TABLE t (a INTEGER, b TEXT)")
with db:
    db.executemany("INSERT INTO t VALUES (?, ?)", [(n, str(n)) for n in range(1000)])
assert db.execute("SELECT sum(a) FROM t").fetchone() == (499500,)
db.close()
memory = sqlite3.connect(":memory:")
assert memory.execute("SELECT upper('ok')").fetchone() == ("OK",)
