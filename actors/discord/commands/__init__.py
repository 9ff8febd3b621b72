"""Slash commands and buttons: what people ask in Discord besides talking.

Read first `dispatcher.py` (who is let in, how an interaction is acknowledged and answered), then `offered.py` (the
commands of the parts as discord.py wants them), then `tree.py` (what is registered with Discord).
`pins.py` and `status.py` are Discord's own commands; what the others ask and say stands in the parts' rooms.
`answer.py`, `definition.py` and `offer.py` are pure.
"""

from __future__ import annotations
