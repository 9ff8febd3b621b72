"""Store of objects: versions of files seen by windows, in a database of its own beside the memory's index.

Read first `actor.py` (messages), second `rounds.py` (atomic rounds), third `store.py` (look-up of versions and
outputs), then `texts.py` (texts stored as differences from the text before) and `bounds.py` (eviction). `database.py`
has the tables, `audit.py` finds faults. The room is the only writer of `objects/objects.sqlite` in the data root.
"""

from __future__ import annotations
