"""State and rules of the imitated Discord: people, channels, messages, commands, interactions.

Read `records.py` first (what exists), then `state.py` (how it changes), then `payloads.py` and `objects.py` (its JSON).
`state.py` is the only writer of the tables of channels and messages, `commands.py` of the commands, `interactions.py`
of open interactions, `files.py` of attachments' bytes; all in memory.
No file, socket or clock is touched: time comes as a function. Pure: `rules.py`, `mentions.py`, `errors.py`,
`objects.py`, `defaults.py`.
"""

from __future__ import annotations
