"""Benchmark of workspaces: constraints of a piece of work still in sight after three cuts and a restart.

Read `constraints.py` and `talk.py` first (the messages), then `agent.py` (the whole agent with doubles for its
surroundings), `workers.py` (the scripted model of the files' workers) and `course.py` (a work from its first turn to
the last question; `reach.py` judges requests). `run.py` measures each condition in a process of its own.
"""

from __future__ import annotations
