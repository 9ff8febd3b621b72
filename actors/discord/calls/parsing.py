"""Parsing of what Discord says: where discord.py cannot read something, that alone is left out, and counted."""

from __future__ import annotations

import logging
import traceback
from typing import Any

import discord

log = logging.getLogger(__name__)


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


def read_message(channel: discord.abc.MessageableChannel, raw: Any) -> discord.Message | None:
    """A message as discord.py understands it; None, and a line in the log, where it doesn't.

    An unreadable quoted message is left out: its id is known from the reference.

    Args:
        channel: Channel of the message, perhaps a partial one.
        raw: As it came from Discord.
    """
    try:
        return channel._state.create_message(channel=channel, data=raw)
    except Exception as error:  # noqa: BLE001  # whatever it is, its words may quote what people wrote
        if (alone := without_quotation(raw)) is not None:
            return read_message(channel, alone)
        log.error("message %s could not be read: %s", number_of(raw) or "without an id", fault_of(error))
        return None


def with_channel(raw: Any) -> Any:
    """An interaction as it came from Discord, its channel named where only the channel's id was."""
    if not isinstance(raw, dict) or raw.get("channel") or not raw.get("channel_id"):
        return raw
    kind = {} if raw.get("guild_id") else {"type": discord.ChannelType.private.value}
    return {**raw, "channel": {"id": raw["channel_id"], **kind}}


def without_quotation(raw: object) -> dict[str, Any] | None:
    """Copy of a message as Discord sent it, without the quoted message; None if the message quotes none."""
    if not isinstance(raw, dict) or not isinstance(raw.get("referenced_message"), dict):
        return None
    return {key: value for key, value in raw.items() if key != "referenced_message"}
