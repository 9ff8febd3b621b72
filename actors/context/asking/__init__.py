"""Questions of a window to other parts before each model call; the call goes on without late answers.

`contributions.py` has the blocks and instructions of a turn, `wordings.py` how the results of commands are shown, and
`expansion.py` the records that the model wants to see more of. Nothing here ends a turn.
"""

from __future__ import annotations
