"""Index of the memory: one SQLite file, and what keeps it equal to the logs.

Read `index.py` first (what the index is asked and told), then `database.py` (the schema; opens, checks and replaces the
file), then `reconcile.py` (the comparison with the logs). `turns.py` writes rows, `pending.py` those that wait for a
vector, `episodes.py` which belong together, all on the connection of `session.py`; `vectors.py` reads vectors.
`sqlite_file.py` has what the object store's file needs too.
This room is the only writer of `memory/index.sqlite`. Nothing here is pure.
"""
