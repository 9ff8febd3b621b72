"""Slash commands and buttons: requests by people in Discord besides talking.

Read first `dispatcher.py` (admission of people, acknowledgement and answer of an interaction), then `offered.py` (the
commands of the parts in discord.py's form), then `tree.py` (the registration with Discord).
`pins.py` and `status.py` are Discord's own commands; questions and answers of all other commands are in the parts'
rooms. `answer.py`, `definition.py` and `offer.py` are pure.
"""

from __future__ import annotations
