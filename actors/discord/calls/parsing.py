"""Parsing of Discord's data: parts that discord.py cannot read are left out, and counted."""

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
"""Fields of a message read by discord.py: author, place, addressees, and the answered message."""


class WireMessage(discord.Message):
    """Message with all of Discord's data; discord.py reads the author, the place and the addressees.

    The other parts are read from `wire`: discord.py would lose the whole message for a poll without an end, or an
    embed or a forward without a required field.
    """

    __slots__ = ("wire",)

    def __init__(self, *, state: Any, channel: Any, data: Any) -> None:
        mentions = data.get("mentions")
        # discord.py takes the nicknames out of what it reads.
        copies = [dict(each) for each in mentions if isinstance(each, dict)] if isinstance(mentions, list) else []
        self.wire: Mapping[str, Any] = {**data, "mentions": copies}
        super().__init__(state=state, channel=channel, data=_plain_part(data, state.user))


def _plain_part(data: Mapping[str, Any], bot: discord.ClientUser | None) -> Any:
    """Part of a message for discord.py to read; for the bot's own messages also the buttons, to find the turn."""
    part = {key: value for key, value in data.items() if key in _READ_BY_LIBRARY and value is not None}
    part["author"] = data["author"]
    if bot is not None and author_of(data) == bot.id:
        part["components"] = data.get("components") or []
    return {"content": "", **part}


class UnreadableAnswerError(ConnectionError):
    """Discord's answer is not a genuine answer, but a proxy's page, say; the same call may work later."""


def fault_of(error: BaseException) -> str:
    """Kind and place of an error, without its words, since they may quote people."""
    place = traceback.extract_tb(error.__traceback__)[-1:]
    return " in ".join([type(error).__name__, *(f"{frame.name}:{frame.lineno}" for frame in place)])


def number_of(raw: object) -> int | None:
    """Id of an object from Discord; None without a readable id."""
    number = raw.get("id") if isinstance(raw, dict) else None
    return int(number) if isinstance(number, str | int) and str(number).isdecimal() else None


def author_of(raw: object) -> int | None:
    """Id of the author of a raw message; None if unreadable."""
    return number_of(raw.get("author")) if isinstance(raw, dict) else None


def read_message(channel: discord.abc.MessageableChannel, raw: Any) -> WireMessage | None:
    """A message as understood by discord.py; None, and a line in the log, for an unreadable message.

    An unreadable quoted message is left out: the reference gives its id.

    Args:
        channel: Channel of the message, perhaps a partial channel.
        raw: Unchanged data from Discord.
    """
    try:
        return WireMessage(state=channel._state, channel=channel, data=raw)
    except Exception as error:  # noqa: BLE001  # whatever it is, its words may quote what people wrote
        if (alone := without_quotation(raw)) is not None:
            return read_message(channel, alone)
        log.error("message %s could not be read: %s", number_of(raw) or "without an id", fault_of(error))
        return None


WHOLE_MESSAGES = "whole_messages"
"""Key beside an interaction's plain messages for the same messages with all of Discord's data."""


def readable_interaction(raw: Any) -> Any:
    """An interaction from Discord, as far as discord.py can read it.

    The channel is added if only the channel's id was given, and the messages in the interaction are plain messages.
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
    """Copy of a raw message without the quoted message; None if the message quotes none."""
    if not isinstance(raw, dict) or not isinstance(raw.get("referenced_message"), dict):
        return None
    return {key: value for key, value in raw.items() if key != "referenced_message"}
