"""Loopback model: a scripted, OpenAI-compatible server on 127.0.0.1.

Read `answers.py` first (possible answers, well-formed or not, as timed pieces of bytes), then `server.py` (the script,
the connections, the counts). Only `server.py` touches sockets and its thread; `answers.py` is pure.
"""

from __future__ import annotations
