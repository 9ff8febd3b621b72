"""Questions of a window to other parts before each model call; the call goes on without late answers.

`contributions.py` has the blocks and instructions of a turn, `compaction.py` the cuts of the history,
`result_renderer.py` the texts of command results, and `expansion.py` the records that the model asks to see.
"""

from __future__ import annotations
