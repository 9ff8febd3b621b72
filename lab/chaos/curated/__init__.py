"""Campaigns on curated memory: races with editors, kills between staging and commit, documents of chance.

Read `race.py` first (a person's editor and the agent in one file), then `kills.py` (whoever kills) with `life.py` (who
is killed, a process of its own) and `account.py` (what it promised), then `documents.py`, which is pure but for its
stopwatch. The real actor writes the folders that the caller gives, and in `race.py` the imitated editor.
"""

from __future__ import annotations
