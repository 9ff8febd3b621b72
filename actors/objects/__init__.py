"""Objects of a window: the files that commands name, and their state.

Read `actor.py` first, then `looking.py`: the only module that touches files in a window's folder. It only reads.
`store/` keeps versions in a database.
"""

from __future__ import annotations
