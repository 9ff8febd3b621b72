"""Upkeep: what keeps the index true to the logs and the vectors coming.

Read first `upkeep.py` (opens the index, compares it with the logs, makes it anew), then `backlog.py` (turns on
their way to a vector) and `indexing.py` (imported logs on their way into the index); both go behind turns
(`giving_way.py`). All reach their actor through `Host`; none writes a file except through the open store.
"""

from __future__ import annotations
