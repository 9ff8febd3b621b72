"""Recall: selection of memories before a turn, with the reasons.

Read first `recall.py` (search, rank, fill the block, explain), then `expansion.py` (the log around a memory, with
`line_offsets.py` for the beginnings of lines), then `lookups.py` (order of requests). `links.py` finds the message
behind a memory. No module here writes; `domain/memory/` decides on the choice.
"""

from __future__ import annotations
