"""Scheduler: the actor that keeps people's reminders in one markdown file and has them said when they are due.

Read first `actor.py` (the minute, and what comes of it), second `due_scan.py` and `announcer.py` (look, then say until
people have seen it), third `requests.py` with `sight.py` (who may see what). The reminders' file is opened and
edited as `actors/edited_file/` does it, with the bounds of `edit_queue.py`; only `watermark.py` touches the mark of the
last look.
What the disk refuses is said by `status.py`, once. `state.py` outlives the actor, `config.py` is all that the operator
decides. Pure here are `listing.py` and `edit_queue.py`; what a line means and when it is due is decided in
`domain/reminder/`.
"""
