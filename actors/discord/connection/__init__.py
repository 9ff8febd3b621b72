"""Gateway connection: clients in turn are logged in, watched, and reconnected with backoff.

Read first `session.py` (a connection's life), then `client.py` (discord.py's events, handed to the other rooms), then
`shards.py` (the connections with a session) and `pauses.py` (the waits in between). `sockets.py` and `keep_alive.py`
close resources that discord.py leaves open. The only room that opens websockets. No module here is pure.
"""
