"""Actors: each room owns one resource, and only `parts.py` knows all rooms.

Read first `kernel/` (actors and their supervision), then `part/` and `parts.py` (the table of actors), then `context/`
(one window with log, history and turns), then `bootstrap.py`.
Rooms import the kernel, `part/`, `linux/`, `domain` and `messages`, never another room.
"""

from __future__ import annotations
