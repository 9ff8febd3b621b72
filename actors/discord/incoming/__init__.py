"""Intake of events: authorized, put in order, given their files, and told to the windows' actors.

Read first `arrival.py` (what an event is to us), then `intake.py` (order, and where `UserMessage` is sent), then
`authorization.py` (for us or not) and `admission.py` (answered, noted, or held back by the rate limit). `catch_up.py`
reads what was missed, `comparison.py` finds what was deleted or edited meanwhile. Files: `unpacking.py`, which asks
`fair_limiter.py` (whose turn it is), `fetching.py` (download) and `attachment_store.py`, the only writer of a window's
`attachments/`. `readership.py` answers who reads what.
Asking nobody: `arrival`, `audience`, `window_map`.
"""
