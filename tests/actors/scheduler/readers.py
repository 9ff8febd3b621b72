"""Readers of windows, as the surface describes them to the scheduler in tests."""

from __future__ import annotations

from messages.discord import Grant, Readers

_ALL = Grant(is_default=True)
_SOME = Grant(is_default=False, allowed_roles=frozenset({"5"}))
OPEN = Readers(guild_id="1", channel_id="11", sees=_ALL, reads=(_ALL,))
"""A channel of a server that everybody in it may read."""
CLOSED = Readers(guild_id="1", channel_id="12", sees=_SOME, reads=(_SOME,))
"""A channel of the same server for some."""
PRIVATE = Readers(guild_id="1", channel_id="11", sees=_ALL, reads=(_ALL,), is_private=True)
"""A private thread in the open channel."""
