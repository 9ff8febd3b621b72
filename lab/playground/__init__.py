"""Loopback Discord: REST, gateway, a page, and people who can be driven, for `agent try`, tests and the lab.

Read `server.py` first (the one port, thread and loop), then `hub.py` (every change with the events it causes), then
`world/state.py` (what exists). `acts/` has the acts of people, each once: `driver.py` makes a method for tests of each,
`control.py` an endpoint for the page, whose files lie in `page/` and are served by `page_routes.py`. `rest/` and
`gateway/` face the bot. `guard.py` admits callers with a key of `keys.py`.
Everything but `driver.py` runs on the server's loop. `hub.py` is the only one that changes messages and channels and
tells the feed of it in one go; nothing is written to the disk. `world/` touches neither file nor socket nor clock.
"""

from __future__ import annotations
