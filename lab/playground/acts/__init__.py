"""Acts of people from plain values; the driver and the page's control surface share them.

Read `people.py` first (say, edit, start a thread), then `interactions.py` (commands, buttons, modals, and the bot's
answers to them), then `waits.py` (woken by the event itself, never by polling).
They change nothing themselves but interactions, whose answers only `interactions.py` writes; the rest goes through the
hub. `interaction_payload.py` is pure.
"""

from __future__ import annotations
