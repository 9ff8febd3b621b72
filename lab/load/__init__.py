"""Load test: many threads at once through the whole agent, and a verdict on the answers.

Read `campaign.py` first (one run and its report), then `drive.py` (the player of a profile's phases), `profiles/`
(kinds of traffic), `crowd.py` (the people in the threads), `wording.py` (a secret for each thread), then `tally.py`
(answers seen, and answers present in the end) and `log_audit.py` (the logs). The playground with its crowd and the
loopback model are in processes of their own (`stage.py`, `remote.py`), to measure the harness's use (`meter.py`) apart
from the agent's. `floor.py` is a bot by itself, driven by `comparison.py` like the agent. Only `agent_process.py`
starts a program: the agent, with settings and data in a folder of its own (`settings.py`), or the floor. `onlooker.py`
watches like an open page, and `prepared_logs.py` writes the logs of known windows like the agent. `wording.py`,
`tally.py`, `plan.py` and `report.py` are pure; `plot.py` alone draws.
"""

from __future__ import annotations
