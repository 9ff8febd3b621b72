"""Crashes of the whole agent: each kind of actor at each message type, and the effect on other actors.

Read `run.py` first (the campaign), then `saboteur.py` (makes a handler fail at one type of message), then
`bystander.py` (measures other actors meanwhile) and `sample.py` (messages of types that do not occur naturally).
Pure is `sample.py`.
"""

from __future__ import annotations
