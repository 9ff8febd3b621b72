"""Offline model: fixed rules in the place of a language model, so that all around it can be run without one.

Read first `model.py` (the rules, in order of precedence), then `files.py`, `asking.py`, `memory.py`, `reminders.py`
(what the rules make of files, of questions, of what was said before, and of wishes for reminders) and `skills.py`
(scripts of the list of skills). All pure: the same conversation always gets the same answer.
"""

from __future__ import annotations
