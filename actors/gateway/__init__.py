"""Gateway: one address between any chat program and any model's server, with a memory of conversations.

Read first `actor.py` (the actor, and how a request waits for other actors), second `server.py` (routes and guards),
third `chat.py` (a request with memories), `reading.py` and `delivery.py` (its answer) and `passing.py` (untouched
requests and answers). `access.py` decides about rights, `errors.py` words refusals, `metrics.py` counts. The only
writer of a file is `own_key.py`; `server.py` owns the socket, `passing.py` the connections to the model's server.
Pure: `packing.py` and `reading.py`.
"""

from __future__ import annotations
