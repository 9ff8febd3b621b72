"""Recall: what of the memory comes to mind before a turn, and why.

Read first `recall.py` (search, rank, fill the block, explain), then `expansion.py` (the log around one memory,
where `line_offsets.py` says which line begins where), then `lookups.py` (who is served when). `links.py` finds the
message behind a memory.
Nothing here writes; what is chosen is decided in `domain/memory/`.
"""

from __future__ import annotations
