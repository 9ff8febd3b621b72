"""Gateway connection: one client after another is logged in, watched, and opened anew with backoff.

Read first `session.py` (a connection's life), then `client.py` (discord.py's events, handed to the other rooms), then
`shards.py` (which of several connections have a session) and `pauses.py` (how long it waits in between). `sockets.py`
and `keep_alive.py` close what discord.py leaves open. The only room that opens websockets. Nothing here is pure.
"""
