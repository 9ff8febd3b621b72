"""Kill campaign: the whole agent killed at random instants, and a verdict on everything that was said to the agent.

Read `campaign.py` first (batches side by side), then `batch.py` (one data root through many lives), then `rows.py`
(the faults, and the end of a life). `stage.py` acts on the playground and keeps the truth, `clients.py` talks to the
gateway, `harms.py` does harm; `word.py` asks the agent for its debts, `audit.py` reads the agent's files, `ledger.py`
compares, `report.py` counts, `saved.py` keeps finished batches; `fifteen.py` is the one scene without chance.
`nursery.py` with `program.py` is the only starter of processes, `harms.py` the only module that spoils files. Pure:
`texts.py`, `ledger.py`, `rows.py`, `report.py`.
"""

from __future__ import annotations
