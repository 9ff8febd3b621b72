"""Offline model: fixed rules in the place of a language model, so that all around it can be run without one.

Read first `model.py` (the rules, in order of precedence), second `files.py` and third `memory.py` (what the rules make
of files and of injected memories). All pure: the same conversation always gets the same answer.
"""

from __future__ import annotations
