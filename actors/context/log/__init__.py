"""Log of one window on the disk: appended to, read back, and surveyed at the start.

Read first `journal.py` (a window's log and its conversation, kept in step), then `file.py` (one append-only file: its
writes, syncs and checks) with `descriptor.py` (which of them are open), then `recovery.py` (what a starting agent must
know of its earlier life).
`file.py` is the only writer of `logs/`, `reserve.py` of the space kept for them, `redactions.py` of `redacted/`, the
copies without what was taken back. `data_root.py` makes the folder and holds its lock; `scan.py` only reads.
"""

from __future__ import annotations
