"""Campaign on curated memory: the race of the real actor and a person's editor; kills are in `lab/chaos/lives/`.

Read `race.py` first, then `memory.py` (the actor with its workers, and a client); both write the caller's folder only.
"""

from __future__ import annotations
