"""What a window asks others for before each model call, and goes on without when they are late.

`contributions.py` has the blocks and instructions of a turn, `wordings.py` how the results of commands are shown, and
`expansion.py` the records that the model wants to see more of. Nothing here ends a turn.
"""

from __future__ import annotations
