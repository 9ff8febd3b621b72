"""Benchmark of the gateway that remembers, beside the one whose specification it follows; both by HTTP and files.

Read `run.py` first (what is measured), then `systems.py` (how each is started) and `stage.py` (the model's server and a
gateway in front of it, in processes of their own). `load.py` and `hostile.py` measure; `client.py` asks, `store.py`
reads the files. `upstream.py` is what runs as the model's server, by `rules.py`
(whichever system asks, its calls are recognised), `words.py` and `vectors.py`, all pure.
Only `store.py` and `systems.py` write files, all of them below temporary folders.
"""

from __future__ import annotations
