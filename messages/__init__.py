"""Protocols: immutable values that actors send one another, one module for each protocol.

Read first `base.py` (ids, addresses, windows), second `context.py` and `discord.py` (from a person's words to an
answer), third `turn.py` (participation in a turn); then the module of the actor you talk to.
A module names its owner, then has its values, commands, replies and events, and a union of each; an actor's timer
messages are there, too. All modules are pure: they import msgspec and the standard library, and open no file.
`docs/protocol.md` is written from these sources.
"""
