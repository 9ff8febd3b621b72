"""Intake of events: authorized, put in order, given their files, and told to the windows' actors.

Read first `arrival.py` (events as values), then `intake.py` (order, and where `UserMessage` is sent), then
`authorization.py` (for the bot or not) and `admission.py` (answered, noted, or held back by the rate limit).
`preparation.py` reads the whole content of a message, with `reading/`. `catch_up.py` reads missed messages,
`comparison.py` finds messages deleted or edited meanwhile. Files: `unpacking.py`, with `fair_limiter.py` (turns of
the windows), `fetching.py` (download) and `attachment_store.py`, the only writer of a window's `attachments/`.
`auto_threads.py` is the only writer of threads. `readership.py` answers queries about readers of windows, `places/`
maps channels to windows. Without a call to Discord: `arrival`, `places/`.
"""
