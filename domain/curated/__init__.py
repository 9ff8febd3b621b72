"""Curated memory: markdown kept by hand by people and the agent, the pages, and their share of a prompt.

Read first `page.py` and `document.py` (a file and the pages, with a byte-exact round trip), second `caps.py`,
`residency.py` and `block.py` (the share of a prompt), third `edits.py`, `refusal.py` and `journal.py` (acceptance or
refusal of one fact). `table.py`, `trace.py`, `config.py`, `recall.py`, `stale.py` and `capture.py` serve one purpose
each. All pure: the files belong to `actors/curated/`.
"""

from __future__ import annotations
