"""Campaigns of kills on parts of the agent: lives in their own processes, each ended by SIGKILL, then judged.

Read `campaign.py` first (kills and the report), then `account.py` (answers to a life, and the resulting obligations).
`curated.py`, `objects.py`, `workspace.py` and `gateway.py` have one subject each: a life and a judge. Lives write only
the temporary folders given by the campaign. The whole agent is killed by `kills/`.
"""

from __future__ import annotations
