"""Campaigns of kills on parts of the agent: lives in processes of their own, each ended by SIGKILL, then judged.

Read `campaign.py` first (kills and the report), then `account.py` (answers to a life, and the resulting obligations).
`curated.py`, `objects.py`, `workspace.py` and `gateway.py` have one subject each: a life and a judge. Lives write the
folders that the campaign gives them, which are temporary. The whole agent is killed by `kills/`.
"""

from __future__ import annotations
