"""Laboratory: imitations of Discord and a model, and programs that load, break and measure the agent.

The agent never imports this package; only commands and tests start it. `playground/` is a Discord on loopback,
`loopback_model/` a model server; `load/` drives the whole agent between the two. `bench/` measures single parts beside
their peers, and `chaos/` breaks parts on purpose and counts the cost; `commands/` starts all of these.
`discord_json.py` has the objects that the playground and the simulation both write. A wheel has `playground/` only.

Read `playground/server.py` first, then `load/campaign.py`, then `bench/benchmark.py`.
"""

from __future__ import annotations
