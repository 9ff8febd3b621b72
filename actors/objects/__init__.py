"""Objects of a window: which files its commands name, and how those stand.

Read `actor.py` first, then `looking.py`: the only module that touches files in a window's folder. It only reads.
`store/` keeps versions in a database.
"""

from __future__ import annotations
