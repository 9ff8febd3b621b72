"""Log of a window on the disk: appended to, read back, and surveyed at the start.

Read first `journal.py` (a window's log and its conversation, kept in step), then `file.py` (an append-only file: its
writes, syncs and checks) with `descriptor.py` (the open files among them), then `recovery.py` (a starting agent's
knowledge of its earlier life).
`file.py` is the only writer of `logs/`, `reserve.py` of the space kept for them, `redactions.py` of `redacted/`, the
copies without retracted words. `data_root.py` makes the folder and holds its lock; `scan.py` only reads.
"""

from __future__ import annotations
