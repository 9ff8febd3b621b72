"""Curated memory: markdown that people and the agent keep by hand, in every prompt as far as it fits.

Read first `actor.py` (what it is told), second `places.py` (who reaches and writes what) with `injection.py` and
`folder.py` (the block of a turn), third `requests.py`, `staging.py` and `writeback.py` with `writing.py` (how a fact
gets into a file). `part.py` alone is loaded while the layer is off. The room is the only writer of the agent's changes
to memory folders, of their page tables and journals, and of `curated/` in the data root. Pure: `places`.
"""

from __future__ import annotations
