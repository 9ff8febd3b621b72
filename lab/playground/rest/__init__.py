"""REST routes under `/api/v10`, as discord.py calls them.

Read `endpoints.py` first (token, fault, rate limit, body, handler, log: what every call goes through), then
`route.py`, then a table of routes: `messages.py`, `threads.py`, `channels.py`, `interactions.py`.
`endpoints.py` is the only writer of the request log, and lets in the bot and who was told an interaction's token;
handlers announce every change through the hub. `drafts.py` turns what the bot posts into a checked draft.
"""

from __future__ import annotations
