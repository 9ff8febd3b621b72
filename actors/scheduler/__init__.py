"""Scheduler: keeps people's reminders in a markdown file and posts each reminder when due.

Read first `actor.py` (the minute, and its consequences), second `due_scan.py` and `announcer.py` (look, then post until
people have seen the reminder), third `requests.py` with `sight.py` (access of windows) and `confirmations.py`. The
reminders' file is opened and edited through `actors/edited_file/`; only `watermark.py` touches the marks of
looks. `status.py` reports trouble with the disk, once. `state.py` outlives the actor, `config.py` holds the operator's
decisions. Pure here is `listing.py`; the meaning of lines is decided in `domain/reminder/`.
"""
