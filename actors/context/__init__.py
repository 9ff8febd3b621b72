"""Context: an actor for each window, owner of the window's log, history and turns.

Read first `actor.py` (what it is told, and the queue of turns), second `turn_driver.py` with `turn_run.py` (one turn:
prepare, think, act, think again) and `endings.py` (turns that end otherwise), third `log/` and `deliveries.py` (nothing
is shown that was not logged first, and all in its order).
Only `log/` reads and writes log files; only `news.py` tells subscribers. Parts reach the actor through `host.py`,
settings arrive as `config.py`; `part.py`, `commands.py` and `checks.py` are its row in the table of parts.
Pure is `user_event.py`; what a log's bytes and events mean is decided in `domain/log/` and `domain/turn/`.
"""
