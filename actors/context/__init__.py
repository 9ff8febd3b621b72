"""Context: an actor for each window, owner of the window's log, history and turns.

Read first `actor.py` (its messages, and the queue of turns), second `turn_driver.py` with `turn_run.py` (a turn:
prepare, think, act, think again) and `endings.py` (turns with another end), third `log/` and `deliveries.py` (every
shown text is logged first, and all in order).
Only `log/` reads and writes log files; only `news.py` tells subscribers. Parts reach the actor through `host.py`,
settings arrive as `config.py`; `part.py`, `commands.py` and `checks.py` are its row in the table of parts.
Pure is `user_event.py`; the meaning of a log's bytes and events is decided in `domain/log/` and `domain/turn/`.
"""
