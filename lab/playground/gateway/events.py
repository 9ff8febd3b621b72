"""Event of the gateway or the page, encoded at most once per shape, however many sockets get it."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from lab.playground.world.objects import blank_content

INTENT_GUILDS = 1 << 0
INTENT_MEMBERS = 1 << 1
INTENT_PRESENCES = 1 << 8
INTENT_MESSAGES = 1 << 9
INTENT_REACTIONS = 1 << 10
INTENT_TYPING = 1 << 11
INTENT_DM_MESSAGES = 1 << 12
INTENT_DM_REACTIONS = 1 << 13
INTENT_DM_TYPING = 1 << 14
INTENT_CONTENT = 1 << 15
PRIVILEGED_INTENTS = INTENT_MEMBERS | INTENT_PRESENCES | INTENT_CONTENT

_encode = msgspec.json.Encoder().encode


def encode(payload: Any) -> bytes:
    """JSON as Discord sends it; a half of a surrogate pair, which UTF-8 has no form for, goes out as an escape."""
    try:
        return _encode(payload)
    except UnicodeEncodeError:
        return json.dumps(payload, separators=(",", ":")).encode("ascii")


class Event:
    """A dispatch of the gateway, or of the page alone."""

    __slots__ = (
        "_blank", "_full", "channel_id", "guild_id", "hide_content", "intent", "name", "payload", "seq", "to_bot"
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        payload: dict[str, Any],
        *,
        channel_id: int | None = None,
        intent: int = 0,
        to_bot: bool = True,
        hide_content: bool = False,
    ) -> None:
        """Nothing is encoded yet.

        Args:
            name: Discord's event name; names of the playground's own begin with `PLAYGROUND_`.
            payload: The `d` of the frame; not changed afterwards.
            channel_id: Where it happened; None for the guild as a whole.
            intent: Bits of which a session needs one; 0 means every session gets it.
            to_bot: Whether the gateway sends it.
            hide_content: Whether sessions without the message content intent get it blanked.
        """
        self.name = name
        self.payload = payload
        self.channel_id = channel_id
        self.guild_id = int(payload["guild_id"]) if payload.get("guild_id") else None
        """By what the payload says; None for a DM."""
        self.intent = intent
        self.to_bot = to_bot
        self.hide_content = hide_content
        self.seq = 0
        """Place in the feed, from 1; set when published."""
        self._full: bytes | None = None
        self._blank: bytes | None = None

    def to_json(self) -> bytes:
        """The payload as JSON."""
        if self._full is None:
            self._full = encode(self.payload)
        return self._full

    def encoded_for(self, intents: int) -> bytes:
        """The payload as JSON, as a session with these intents may see it."""
        if not self.hide_content or intents & INTENT_CONTENT:
            return self.to_json()
        if self._blank is None:
            self._blank = encode(blank_content(self.payload))
        return self._blank
