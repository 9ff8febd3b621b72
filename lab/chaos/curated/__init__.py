"""Campaigns on curated memory: races with editors, and documents of chance; its kills are `lab/chaos/lives/`.

Read `race.py` first (a person's editor and the agent in one file), then `documents.py`, which is pure but for its
stopwatch. The real actor writes the folders that the caller gives, and in `race.py` the imitated editor.
"""

from __future__ import annotations
