"""Durable turns: one turn of an agent, killed at every step and compared with two runtimes of durable workflows.

Read `instants.py` first (the instants of a kill, and the accounts), then `outside.py` (the model, Discord and the
commands' folder: the killer and the counts), then `systems.py` (the start of each system) and `run.py`. `dbos_peer.py`
and `durabl_peer.py` run in the peers' own environment, with `peer_steps.py`, and import no other module of the project.
`outside.py` alone kills. Pure: `instants.py`.
"""

from __future__ import annotations
