"""Load test: many threads at once through the whole agent, and a verdict on what came back.

Read `campaign.py` first (one run), then `wording.py` (what is said, with a secret for each thread), then `tally.py`
(what was answered) and `log_audit.py` (what was logged).
`agent_process.py` is the only one that starts a program: the agent, with settings and data in a folder of its own.
`wording.py`, `tally.py` and `report.py` are pure.
"""

from __future__ import annotations
