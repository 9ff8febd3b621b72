"""Benchmark of continuity: rules stated only in conversation, after cuts, kills and `/new`, for any worker behaviour.

`rules.py` has the rules, `walk.py` has a person state the rules and checks every request, `run.py` measures each mode
in a process of its own. `upkeep.py` counts the model calls that each layer makes besides answers. The agent, its
doubles and the scripted workers come from `lab/bench/workspace/`.
"""

from __future__ import annotations
