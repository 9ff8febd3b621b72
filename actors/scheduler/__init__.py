"""Scheduler: the actor that keeps people's reminders in one markdown file and has them said when they are due.

Read first `actor.py` (the minute, and what comes of it), second `due_scan.py` and `announcer.py` (look, then say until
people have seen it), third `requests.py` with `sight.py` (who may see what) and `confirmations.py`. The reminders' file
is opened and edited as `actors/edited_file/` does it; only `watermark.py` touches the mark of the last look.
Trouble with the disk is said by `status.py`, once. `state.py` outlives the actor, `config.py` holds the operator's
decisions. Pure here is `listing.py`; the meaning of lines is decided in `domain/reminder/`.
"""
