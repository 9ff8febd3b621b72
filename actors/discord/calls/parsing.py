"""Parsing of what Discord says: where discord.py cannot read something, that alone is left out, and counted."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from typing import Any

import discord

log = logging.getLogger(__name__)


_READ_BY_LIBRARY = frozenset(
    {
        *("application_id", "author", "channel_id", "content", "edited_timestamp", "flags", "guild_id", "id", "member"),
        *("mention_everyone", "mention_roles", "mentions", "message_reference", "nonce", "referenced_message", "type"),
        *("webhook_id",),
    }
)
"""Fields of a message that are read by discord.py: author, place, addressees, and the answered message."""


class WireMessage(discord.Message):
    """Message with all that Discord sent of it; discord.py reads the author, the place and the addressees.

    The other parts are read from `wire`: discord.py would lose the whole message for a poll without an end, or an
    embed or a forward without one of its fields.
    """

    __slots__ = ("wire",)

    def __init__(self, *, state: Any, channel: Any, data: Any) -> None:
        mentions = data.get("mentions")
        # discord.py takes the nicknames out of what it reads.
        copies = [dict(each) for each in mentions if isinstance(each, dict)] if isinstance(mentions, list) else []
        self.wire: Mapping[str, Any] = {**data, "mentions": copies}
        super().__init__(state=state, channel=channel, data=_plain_part(data, state.user))


def _plain_part(data: Mapping[str, Any], bot: discord.ClientUser | None) -> Any:
    """Part of a message that discord.py reads; of the bot's own also the buttons, which tell its turn."""
    part = {key: value for key, value in data.items() if key in _READ_BY_LIBRARY and value is not None}
    part["author"] = data["author"]
    if bot is not None and author_of(data) == bot.id:
        part["components"] = data.get("components") or []
    return {"content": "", **part}


class UnreadableAnswerError(ConnectionError):
    """Discord's answer is none that it would give, say a proxy's page; the same call may work later."""


def fault_of(error: BaseException) -> str:
    """Kind and place of an error, without its words, which may quote what people wrote."""
    place = traceback.extract_tb(error.__traceback__)[-1:]
    return " in ".join([type(error).__name__, *(f"{frame.name}:{frame.lineno}" for frame in place)])


def number_of(raw: object) -> int | None:
    """Id of an object as Discord sent it; None without a readable id."""
    number = raw.get("id") if isinstance(raw, dict) else None
    return int(number) if isinstance(number, str | int) and str(number).isdecimal() else None


def author_of(raw: object) -> int | None:
    """Id of a message's author as it came from Discord; None where that cannot be read."""
    return number_of(raw.get("author")) if isinstance(raw, dict) else None


def read_message(channel: discord.abc.MessageableChannel, raw: Any) -> WireMessage | None:
    """A message as discord.py understands it; None, and a line in the log, where it doesn't.

    An unreadable quoted message is left out: its id is known from the reference.

    Args:
        channel: Channel of the message, perhaps a partial one.
        raw: As it came from Discord.
    """
    try:
        return WireMessage(state=channel._state, channel=channel, data=raw)
    except Exception as error:  # noqa: BLE001  # whatever it is, its words may quote what people wrote
        if (alone := without_quotation(raw)) is not None:
            return read_message(channel, alone)
        log.error("message %s could not be read: %s", number_of(raw) or "without an id", fault_of(error))
        return None


WHOLE_MESSAGES = "whole_messages"
"""Beside the plain messages that came with an interaction: the same messages with all that Discord sent of them."""


def readable_interaction(raw: Any) -> Any:
    """An interaction from Discord, as far as discord.py can read it.

    Its channel is named where only the channel's id was, and the messages that came with it are plain ones.
    """
    if not isinstance(raw, dict):
        return raw
    if not raw.get("channel") and raw.get("channel_id"):
        kind = {} if raw.get("guild_id") else {"type": discord.ChannelType.private.value}
        raw = {**raw, "channel": {"id": raw["channel_id"], **kind}}
    data = raw.get("data")
    resolved = data.get("resolved") if isinstance(data, dict) else None
    messages = resolved.get("messages") if isinstance(resolved, dict) else None
    if not isinstance(data, dict) or not isinstance(resolved, dict) or not isinstance(messages, dict):
        return raw
    plain = {key: _plain_part(each, None) for key, each in messages.items() if isinstance(each, dict)}
    return {**raw, "data": {**data, "resolved": {**resolved, "messages": plain, WHOLE_MESSAGES: messages}}}


def without_quotation(raw: object) -> dict[str, Any] | None:
    """Copy of a message as Discord sent it, without the quoted message; None if the message quotes none."""
    if not isinstance(raw, dict) or not isinstance(raw.get("referenced_message"), dict):
        return None
    return {key: value for key, value in raw.items() if key != "referenced_message"}
