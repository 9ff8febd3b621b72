"""Forgetting, measured: strings that people plant in all ways are forgotten under kills, and then searched for.

Read first `run.py` (the course of the benchmark), second `planting.py` (the ways into the agent), third `search.py` (a
search of every byte of a folder). `asking.py` has the doors by which forgetting is asked for.
"""

from __future__ import annotations
