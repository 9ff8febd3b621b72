"""Kill campaign: the whole agent killed at random instants, and a verdict on everything that was said to it.

Read `campaign.py` first (batches side by side), then `batch.py` (one data root through many lives), then `rows.py`
(what breaks, and when a life ends). `stage.py` acts on the playground and keeps what is true, `audit.py` reads what
the agent has on the disk, `ledger.py` compares the two, `report.py` counts; `fifteen.py` is the one scene that is not
left to chance.
`nursery.py` with `program.py` is the only one that starts processes, `stage.py` and the batch the only ones that spoil
files. Pure: `texts.py`, `ledger.py`, `rows.py`, `report.py`.
"""

from __future__ import annotations
