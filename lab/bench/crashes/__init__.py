"""Crashes of the whole agent: each kind of actor at each type of message it understands, and what others feel of it.

Read `run.py` first (the campaign), then `saboteur.py` (how a handler is made to fail at one type of message), then
`bystander.py` (who is measured meanwhile) and `sample.py` (messages of types that do not come by themselves).
Pure is `sample.py`.
"""

from __future__ import annotations
