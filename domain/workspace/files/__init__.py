"""Files of a workspace: SESSION.md, MEMORY.md and HISTORY.md as people and workers write them.

`outline.py` reads any markdown as headings and items, and `editing.py` changes items and keeps the bytes of the
rest; `session_state.py`, `memory_file.py` and `history_file.py` describe the three files and their changes.
"""

from __future__ import annotations
