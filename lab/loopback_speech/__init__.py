"""Loopback speech: a server of transcriptions on 127.0.0.1, for `agent try` and tests.

`server.py` is all of the room, and makes recordings for itself; nothing is written to the disk.
"""
