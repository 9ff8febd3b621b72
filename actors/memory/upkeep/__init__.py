"""Upkeep: keeps the index true to the logs, and has vectors made.

Read first `upkeep.py` (opens the index, compares it with the logs, makes it anew), then `backlog.py` (turns on their
way to a vector) and `indexing.py` (imported logs on their way into the index); both give way to turns
(`giving_way.py`). All reach their actor through `Host`; no module here writes a file except through the open store.
"""

from __future__ import annotations
