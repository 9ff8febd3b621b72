"""Benchmark of workspaces: the constraints of a piece of work that are still in sight after three cuts and a restart.

Read `constraints.py` and `talk.py` first (what is said), then `agent.py` (the whole agent with doubles for what is
outside of it), `workers.py` (the model that keeps the files, scripted) and `course.py` (a work from its first turn to
the last question; `reach.py` judges requests). `run.py` measures each condition in a process of its own.
"""

from __future__ import annotations
