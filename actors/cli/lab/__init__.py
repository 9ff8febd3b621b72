"""Commands of the lab: `agent bench`, `agent chaos`, `agent-load`.

Read `bench.py` first (the kernel's and the shell's), then `bench_memory.py`, `bench_recall.py`, `bench_curated.py` and
`bench_discord.py`; `chaos.py`, `chaos_curated.py` and `simulate.py` break things;
`agent_load.py` drives the whole agent. Each imports its part of the lab when it runs, not before, so that other
commands start fast. They print; what they measure is written by the lab.
"""

from __future__ import annotations
