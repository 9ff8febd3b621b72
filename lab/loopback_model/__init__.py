"""Loopback model: a scripted, OpenAI-compatible server on 127.0.0.1.

Read `answers.py` first (what it can answer, well-formed or not, as timed pieces of bytes), then `server.py` (the
script, the connections, the counts).
`server.py` is the only one that touches sockets and its thread; `answers.py` is pure.
"""

from __future__ import annotations
