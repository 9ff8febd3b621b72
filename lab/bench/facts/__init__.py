"""Benchmark of the gateway with memory, beside the system whose specification it follows; both by HTTP and files.

Read `run.py` first (the measurements), then `systems.py` (the start of each system) and `stage.py` (the model's server
and a gateway in front, in separate processes). `load.py` and `hostile.py` measure; `client.py` asks, `store.py` reads
the files. `upstream.py` runs as the model's server, by `rules.py` (recognises the calls of any system), `words.py` and
`vectors.py`, all pure. Only `store.py` and `systems.py` write files, all below temporary folders.
"""

from __future__ import annotations
