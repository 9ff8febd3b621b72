"""Policies: permissions, limits, and the steps after a failure.

Read first `access.py` and `audience.py` (who is heard, and what may be shown where), second `fair_queue.py`,
`rate_limit.py` and `spending.py` (limits, and the entries of paid calls), third `restarts.py` and `retrying.py`
(crashes of actors, failures of calls);
`narrowing.py` finds the text that spoils a call; `refusal.py`, `mending.py` and `mend_memory.py` mend a request that
its server refuses; `pacing.py` says how soon workers are asked again.
All pure: time and chance are arguments; `fair_queue.py`, `rate_limit.py`, `spending.py`, `pacing.py`, `narrowing.py`
and `mend_memory.py` keep state in memory for the one actor that holds them.
"""

from __future__ import annotations
