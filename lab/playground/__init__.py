"""Loopback Discord: REST, gateway, a page, and drivable people, for `agent try`, tests and the lab.

Read `server.py` first (the one port, thread and loop), then `hub.py` (every change with the resulting events), then
`world/state.py` (the objects). `acts/` has the acts of people, each once: `driver.py` makes a method for tests of each,
`control.py` an endpoint for the page, with files in `page/`, served by `page_routes.py`. `rest/` and
`gateway/` face the bot. `guard.py` admits callers with a key of `keys.py`.
Everything but `driver.py` runs on the server's loop. Only `hub.py` changes messages and channels, and publishes each
change in the feed at once; no data is written to the disk. `world/` touches neither file nor socket nor clock.
"""

from __future__ import annotations
