"""Curated memory: markdown that people and the agent keep by hand, its pages, and how much of them a prompt has.

Read first `page.py` and `document.py` (a file and its pages, of which the same bytes come out again), second `caps.py`,
`residency.py` and `block.py` (what a prompt is given), third `edits.py`, `refusal.py` and `journal.py` (how one fact
gets in, or not). `table.py`, `trace.py`, `config.py`, `recall.py`, `stale.py` and `capture.py` serve one thing each.
All pure: the files belong to `actors/curated/`.
"""

from __future__ import annotations
