"""Benchmark of continuity: rules that were only said, after cuts, kills and `/new`, whatever the workers do.

`rules.py` has the rules, `walk.py` lets a person say them and looks at every request, `run.py` measures each mode in a
process of its own. `upkeep.py` counts the model calls that each layer makes besides answers. The agent, its doubles
and the scripted workers are those of `lab/bench/workspace/`.
"""

from __future__ import annotations
