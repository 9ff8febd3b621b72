"""Store of objects: versions of files that windows have seen, in a database of its own beside the memory's index.

Read first `actor.py` (what it is told), second `rounds.py` (what is kept, whole or not at all), third `store.py` (how
versions and outputs are found), then `texts.py` (how a text is kept as what differs from the one before) and
`bounds.py` (what goes when there is too much). `database.py` has the tables, `audit.py` finds faults. The room is the
only writer of `objects/objects.sqlite` in the data root.
"""

from __future__ import annotations
