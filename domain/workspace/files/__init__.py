"""Files of a workspace: SESSION.md, MEMORY.md and HISTORY.md as people and workers write them.

`outline.py` reads any markdown as headings and items, and `editing.py` changes items so that the rest keeps its
bytes; `session_state.py`, `memory_file.py` and `history_file.py` say what the three files hold, and how they change.
"""

from __future__ import annotations
