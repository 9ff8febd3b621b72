"""Offline model: fixed rules in place of a language model, so everything around can run without a model.

Read first `model.py` (the rules, in order of precedence), then `files.py`, `asking.py`, `memory.py`, `reminders.py`
(rules for files, for questions, for earlier words, and for wishes for reminders) and `skills.py`
(scripts of the list of skills). All pure: the same conversation always gets the same answer.
"""

from __future__ import annotations
