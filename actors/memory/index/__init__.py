"""Index of the memory: a SQLite file, and its comparison with the logs.

Read `index.py` first (queries and changes), then `database.py` (the tables), then `reconcile.py` (the comparison with
the logs). `turns.py` writes rows, `pending.py` rows waiting for a vector, `episodes.py` rows that belong together, all
on the connection of `session.py`; `vectors.py` reads vectors. This room is the only writer of `memory/index.sqlite`. No
module here is pure.
"""
