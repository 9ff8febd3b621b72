"""History of channels, read page by page, each message by itself: an unreadable message costs only itself."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from actors.discord.calls.parsing import UnreadableAnswerError, WireMessage, number_of, read_message
from actors.discord.calls.rest_calls import CallRefusedError

PAGE = 100
"""Messages of a page, as many as Discord gives."""
NEWEST = (1 << 63) - 1
"""No message has a greater id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Part of a channel's history, as returned by one call."""

    messages: tuple[WireMessage, ...]
    """Readable messages, oldest first."""
    unreadable: int
    """Number of unreadable messages."""
    oldest: int
    """Least id of all, unreadable messages included; 0 for an empty page."""
    newest: int
    """Greatest id of all; 0 for an empty page."""
    is_last: bool
    """True if the history ends with this page."""
    unreadable_ids: frozenset[int] = frozenset()
    """Ids of unreadable messages; some may have no id."""


@dataclass(frozen=True, slots=True)
class GapPage:
    """Page of history that proves completeness as of a known state of the channel."""

    after: int
    """Id of the message before the page."""
    joins: int
    """The channel's joins at the time of the request."""
    reached: int
    """Newest message of the channel known at the time of the request."""
    page: Page


async def read_page(channel: discord.abc.MessageableChannel, *, after: int = 0, before: int | None = None) -> Page:
    """Up to `PAGE` messages of a channel by one call; for use with `RestCalls.persist`.

    Args:
        channel: Owner of the history; `Client.get_partial_messageable` will do.
        after: Without `before`: the oldest messages with greater ids.
        before: The newest messages with smaller ids, down to `after`; `NEWEST` for the newest of all.

    Raises:
        UnreadableAnswerError: the answer is no list of messages.
        discord.HTTPException: Discord refuses or fails.
    """
    http = channel._state.http
    bounds = {"after": after} if before is None else {"before": before} if before < NEWEST else {}
    answer: object = await http.logs_from(channel.id, PAGE, **bounds)
    if not isinstance(answer, list):
        raise UnreadableAnswerError("history came as no list")
    numbered = sorted(((number, raw) for raw in answer if (number := number_of(raw))), key=lambda pair: pair[0])
    if answer and not numbered:
        raise UnreadableAnswerError("no message of a page has an id")
    wanted = [(number, raw) for number, raw in numbered if number > after and (before is None or number < before)]
    messages = [message for _, raw in wanted if (message := read_message(channel, raw)) is not None]
    return Page(
        messages=tuple(messages),
        unreadable=len(wanted) - len(messages) + len(answer) - len(numbered),
        oldest=numbered[0][0] if numbered else 0,
        newest=numbered[-1][0] if numbered else 0,
        is_last=len(answer) < PAGE or (before is not None and numbered[0][0] <= after),
        unreadable_ids=frozenset(number for number, _ in wanted).difference(message.id for message in messages),
    )


async def read_next_page(client: discord.Client, channel: discord.abc.MessageableChannel, *, after: int) -> Page:
    """The page that follows `after`, as by `read_page`; an empty page only if the bot may read history.

    Raises:
        CallRefusedError: the page is empty, and the bot may not read the channel's history, or could not before.
        UnreadableAnswerError, discord.HTTPException: as `read_page` does.
    """
    place = client.get_channel(channel.id)
    could_read = place is None or _may_read(place)
    page = await read_page(channel, after=after)
    if not page.newest and not isinstance(channel, discord.DMChannel):
        require_history(client.get_channel(channel.id) or await client.fetch_channel(channel.id))
        if not could_read:
            raise CallRefusedError("the bot might not read its history")
    return page


def require_history(channel: object) -> None:
    """Require the permission to read history; without it Discord lists no messages, as in an empty channel.

    Raises:
        CallRefusedError: the bot may not read the history.
    """
    if not isinstance(channel, discord.DMChannel) and not _may_read(channel):
        raise CallRefusedError("the bot may not read its history")


def _may_read(channel: object) -> bool:
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return False
    me: discord.Member | None = channel.guild.me
    if me is None or (isinstance(channel, discord.Thread) and channel.parent is None):
        return False
    may = channel.permissions_for(me)
    is_voice = isinstance(channel, discord.VoiceChannel | discord.StageChannel)
    return may.view_channel and may.read_message_history and (may.connect or not is_voice)


def newest_id(place: discord.Client | discord.Guild) -> int:
    """Greatest id in Discord's list of all channels; 0 for an empty channel."""
    guilds = place.guilds if isinstance(place, discord.Client) else (place,)
    channels = (each for guild in guilds for each in (*guild.channels, *guild.threads))
    return max((max(each.id, getattr(each, "last_message_id", None) or 0) for each in channels), default=0)
