"""Scheduler: the actor that keeps people's reminders in one markdown file and has them said when they are due.

Read first `actor.py` (the minute, and what comes of it), second `due_scan.py` and `announcer.py` (look, then say until
people have seen it), third `requests.py` with `sight.py` (who may see what), `edit_queue.py`
and `rewriting.py` (edits while others edit, too).
Only `reminder_file.py` opens the reminders' file, and `displaced.py` what an edit leaves beside it; only `watermark.py`
touches the mark of the last look. What the disk refuses is said by `status.py`, once. `state.py` outlives the actor,
`config.py` is all that the operator decides. Pure here is `listing.py`; what a line means and when it is due is decided
in `domain/reminder/`.
"""
