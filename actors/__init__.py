"""Actors: who acts; each room owns one resource, and only `parts.py` knows them all.

Read first `kernel/` (what an actor is and how it is supervised), then `part/` and `parts.py` (which actors there are,
and how the others meet each), then `context/` (one window: its log, its history, its turns), then `bootstrap.py`.
Rooms import the kernel, `part/`, `linux/`, `domain` and `messages`, never one another.
"""

from __future__ import annotations
