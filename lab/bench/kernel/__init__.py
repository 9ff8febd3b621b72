"""Benchmark of the actor kernel beside plain pykka, asyncio and Erlang/OTP.

Read `workload.py` first (the rows: sizes, systems, rounds), then `throughput.py` (ours), then a peer: `pykka_peer.py`,
`asyncio_peer.py`, `kernel_peer.erl`.
Each measurement runs alone in a process of its own and writes nothing. `faults.py` crashes actors; `passivation.py`,
`footprint.py` and `fairness.py` measure what they are called. `workload.py` and `message.py` are pure.
"""

from __future__ import annotations
