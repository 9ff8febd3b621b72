"""Servers of the Model Context Protocol: their cost in prompts and time, and the harm of hostile servers.

Read `run.py` (the figures), then `stage.py` (an agent with servers) and `peer.py` (the same calls by the protocol's own
package). `hostile/` has a table of servers that mean harm; each is a few lines behind `raw_server.py`, or a handler of
`hostile/web.py`.
"""
