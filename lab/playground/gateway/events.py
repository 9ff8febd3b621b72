"""Event of the gateway or the page, encoded at most once per shape, for any number of sockets."""

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
    """JSON as sent by Discord; half of a surrogate pair has no form in UTF-8 and becomes an escape."""
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
        """Begin without encoded shapes.

        Args:
            name: Discord's event name; names of the playground's own begin with `PLAYGROUND_`.
            payload: The `d` of the frame; not changed afterwards.
            channel_id: Channel of the event; None for the guild as a whole.
            intent: Bits, at least one required of a session; 0 sends the event to every session.
            to_bot: True if the gateway sends the event.
            hide_content: True to blank the content for sessions without the message content intent.
        """
        self.name = name
        self.payload = payload
        self.channel_id = channel_id
        self.guild_id = int(payload["guild_id"]) if payload.get("guild_id") else None
        """Guild id from the payload; None for a DM."""
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
        """Payload as JSON, in the form visible to a session with these intents."""
        if not self.hide_content or intents & INTENT_CONTENT:
            return self.to_json()
        if self._blank is None:
            self._blank = encode(blank_content(self.payload))
        return self._blank
