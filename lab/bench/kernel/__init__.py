"""Benchmark of the actor kernel beside plain pykka, asyncio and Erlang/OTP.

Read `run.py` first (the rows: sizes, systems, rounds), then `ours.py`, then a peer: `pykka_peer.py`, `asyncio_peer.py`,
`kernel_peer.erl`. Each measurement runs alone in a process of its own and writes nothing. `faults.py` crashes actors;
`churn.py` has windows come and go. `message.py` is pure.
"""

from __future__ import annotations
