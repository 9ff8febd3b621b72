"""Gateway: one address between any chat program and any model's server, which remembers what is said.

Read first `actor.py` (the actor, and how a request waits for others), second `server.py` (routes and guards), third
`chat.py` (a request that is remembered), `reading.py` and `delivery.py` (its answer) and `passing.py` (what goes on and
comes back untouched). `access.py` says who may ask what, `errors.py` how it is refused, `metrics.py` counts. The only
writer of a file is `own_key.py`; `server.py` owns the socket, `passing.py` the connections to the model's server.
Pure: `packing.py` and `reading.py`.
"""

from __future__ import annotations
