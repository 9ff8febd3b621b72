"""Index of the facts: rows and vectors of entries, in a database of its own, rebuilt from their files at need.

Read first `actor.py` (its requests), second `store.py` (rows), third `matrices.py` (vectors in memory). `database.py`
has the tables, `audit.py` finds faults. The room is the only writer of `facts/index.sqlite` in the data root.
"""

from __future__ import annotations
