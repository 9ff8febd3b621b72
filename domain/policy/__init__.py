"""Policies: permissions, limits, and the steps after a failure.

Read first `access.py` and `audience.py` (users with access, and texts to show in a place), second `fair_queue.py`,
`rate_limit.py` and `spending.py` (limits, and the entries of paid calls), third `restarts.py` and `retrying.py`
(crashes of actors, failures of calls); `narrowing.py` finds the text that spoils a call; `refusal.py`, `mending.py` and
`mend_memory.py` mend a request refused by a server; `pacing.py` decides the time of the next call to workers. All pure:
time and chance are arguments; `fair_queue.py`, `rate_limit.py`, `spending.py`, `pacing.py`, `narrowing.py` and
`mend_memory.py` keep state in memory for a single owning actor.
"""

from __future__ import annotations
