"""Curated memory: markdown that people and the agent keep by hand, in every prompt as far as it fits.

Read first `actor.py` (messages of the room), second `places.py` (scopes of a window, and permissions) with
`injection.py` and `folder.py` (the block of a turn), third `facts.py`, `staging.py` and `writer.py` with `files.py`
(the way of a fact into a file). `part.py` alone is loaded while the layer is off. `writer.py` and `files.py` are the
only writers of the agent's changes to memory folders, `decisions.py` of traces in the data root. Pure: `places`.
"""

from __future__ import annotations
