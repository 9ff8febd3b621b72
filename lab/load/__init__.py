"""Load test: many threads at once through the whole agent, and a verdict on what came back.

Read `campaign.py` first (one run and its report), then `drive.py` (how the phases of a profile are played), `profiles/`
(what traffic there is), `crowd.py` (the people in the threads), `wording.py` (a secret for each thread), then
`tally.py` (what was answered, and stands there in the end) and `log_audit.py` (what was logged).
The playground with its crowd and the loopback model are in processes of their own (`stage.py`, `remote.py`), so that
what the harness uses is known (`meter.py`) and is not the agent's.
`floor.py` is a bot by itself, which `comparison.py` has driven like the agent.
`agent_process.py` is the only one that starts a program: the agent, with settings and data in a folder of its own
(`settings.py`), or the floor.
`onlooker.py` watches as an open page would, and `prepared_logs.py` writes the logs of known windows as the agent would.
`wording.py`, `tally.py`, `plan.py` and `report.py` are pure; `plot.py` alone draws.
"""

from __future__ import annotations
