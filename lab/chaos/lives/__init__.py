"""Campaigns of kills on parts of the agent: lives in processes of their own, each ended by SIGKILL, then judged.

Read `campaign.py` first (who kills, and the report), then `account.py` (what a life was answered, and what must be kept
for it). `curated.py`, `objects.py`, `workspace.py` and `gateway.py` are one subject each: its life, and its judge.
Lives write the folders that the campaign gives them, which are temporary. The whole agent is killed by `kills/`.
"""

from __future__ import annotations
