"""MCP: McpActor, the client of servers of the Model Context Protocol; the skill `mcp` calls their tools.

Read first `actor.py` (order of requests), then `session.py` (a server's session: begins at first need, ends when idle),
then `client.py` (requests in the protocol) and `answers.py` (a server's results as values).
`connecting.py` opens sessions by the transports `stdio.py` and `web.py`; `sieve.py` bounds a server's messages.
`mcp`, the library, is imported at the first need by a thread. Only writer: `stdio.py` of its folder of sockets.
"""

from __future__ import annotations
