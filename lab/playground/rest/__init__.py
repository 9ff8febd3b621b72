"""REST routes under `/api/v10`, as discord.py calls them.

Read `endpoints.py` first (steps of every call: token, fault, rate limit, body, handler, log), then
`route.py`, then a table of routes: `messages.py`, `threads.py`, `channels.py`, `interactions.py`.
`endpoints.py` is the only writer of the request log, and admits the bot and holders of an interaction's token;
handlers announce every change through the hub. `drafts.py` turns the bot's posts into checked drafts.
"""

from __future__ import annotations
