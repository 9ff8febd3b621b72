"""Replay of recorded exchanges: real providers' answers, byte for byte, under the model actor's backends.

Read `run.py` first (the report), then `replay.py` (one exchange), then `talk.py` (the common form of requests) and
`outcome.py` (of answers). `forms/` reads both from each API's own form, independently of the product's readers.
`archive.py` reads the files, `providers.py` says how the agent names each provider's models, `player.py` is the server,
`passing.py` the gateway before it.
Only writer: `replay.py` writes the images of a request into a folder of its own.
Pure: `talk.py`, `outcome.py`, `providers.py` and `forms/`.
"""
