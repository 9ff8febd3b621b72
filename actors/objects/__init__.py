"""Objects of a window: the files named in commands, and their state.

Read `actor.py` first, then `looking.py`: the only module that touches files in a window's folder, only reading.
`store/` keeps versions in a database.
"""

from __future__ import annotations
