"""Durable turns: one turn of an agent, killed at every step and beside two runtimes of durable workflows.

Read `instants.py` first (when a process is killed, and the accounts), then `outside.py` (the model, Discord and the
commands' folder: who kills, and what is counted), then `systems.py` (how each system is started) and `run.py`.
`dbos_peer.py` and `durabl_peer.py` run in the peers' own environment, with `peer_steps.py`, and import nothing else of
the project. `outside.py` alone kills. Pure: `instants.py`.
"""

from __future__ import annotations
