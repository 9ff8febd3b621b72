"""Acts of people from plain values: functions of the hub, to be called on the server's loop.

Read `people.py` first (say, edit, start a thread), then `interactions.py` (commands, buttons, modals) and `answers.py`
(the bot's answers to interactions), then `observation.py` (queries, and waits that are woken by the event itself), then
`trouble.py` (faults) and `past.py` (what was said before the bot was there). `driver.py` makes a method for other
threads of each act, `control.py` an HTTP endpoint; so a new act, or a new parameter of an act, is written once.
Only `answers.py` writes answers; the rest goes through the hub. `interaction_payload.py` and `past_year.py` are pure.
"""

from __future__ import annotations
