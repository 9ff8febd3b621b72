"""Gateway: sessions over websockets, numbered events, RESUME, and their faults.

Read `protocol.py` first (HELLO, IDENTIFY, RESUME, heartbeats), then `session.py` (replay buffer, connection), then
`feed.py` (the order of events, and who waits for one).
`session.py` is the only writer of the bot's websockets, `feed.py` of the event numbers; `transport.py` resets
connections. `events.py`, `members.py` and `faults.py` are pure.
"""

from __future__ import annotations
