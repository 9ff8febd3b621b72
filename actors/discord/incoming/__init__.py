"""Intake of events: authorized, put in order, given their files, and told to the windows' actors.

Read first `arrival.py` (events as values), then `intake.py` (order, and where `UserMessage` is sent), then
`authorization.py` (for the bot or not) and `admission.py` (answered, noted, or held back by the rate limit).
`preparation.py` reads all that a message says, with `reading/`. `catch_up.py` reads missed messages, `comparison.py`
finds messages that were deleted or edited meanwhile. Files: `unpacking.py`, which asks `fair_limiter.py` (whose turn it
is), `fetching.py` (download) and `attachment_store.py`, the only writer of a window's `attachments/`. `auto_threads.py`
is the only writer of threads. `readership.py` answers queries about readers of windows, `places/` says which channels
are windows. Without a call to Discord: `arrival`, `places/`.
"""
