"""Benchmark of workspaces: what of a piece of work is still in sight hundreds of turns later, and what that costs.

Read `constraints.py` and `talk.py` first (what is said), then `agent.py` (the whole agent with doubles for what is
outside of it), `workers.py` (the model that keeps the files, scripted) and `course.py` (a work from its first turn to
the last question; `reach.py` judges requests). `run.py` measures all, each in a process of its own: `throughput.py`,
`preparing.py`, `hanging.py`, `edits.py` (a person's, against workers) and `kills.py` (of lives such as `life.py`
describes). `report.py` is pure.
"""

from __future__ import annotations
