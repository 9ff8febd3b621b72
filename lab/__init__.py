"""Laboratory: what imitates Discord and a model, and what loads, breaks and measures the agent.

Nothing of the agent imports it; only commands and tests start it. `playground/` is a Discord on loopback,
`loopback_model/` a model server; `load/` drives the whole agent between the two. `bench/` measures single parts beside
their peers, and `chaos/` breaks things on purpose and counts what that cost; `commands/` starts all of these.
`discord_json.py` has the objects that the playground and the simulation both write. A wheel has `playground/` only.

Read `playground/server.py` first, then `load/campaign.py`, then `bench/benchmark.py`.
"""

from __future__ import annotations
