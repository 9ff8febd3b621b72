"""Words of a message: all words in a Discord message, and a test for messages without words.

Two kinds of words are distinguished. *Typed* words are written by a person, with names beside the ids of
mentions. *Told* words are lines of the runtime about the rest: stickers, polls, forwarded messages, embeds, components,
files. Foreign words in told lines stand behind `> `, so no foreign line can pass for a line of the runtime.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from domain.text.mention import Mentioned, NameOf, with_names
from domain.text.shortening import shorten
from domain.turn.discord.parts import PARTS, file_lines
from domain.turn.discord.wire import (
    Wire,
    bare_name,
    id_at,
    label,
    list_block,
    number_at,
    object_at,
    objects_at,
    text_at,
)

MOST_TOLD_CHARS = 8_000
"""Limit for a message's words beside the typed words."""
MOST_QUOTED_CHARS = 2_000
"""Limit for all words of a quoted message."""
_MARKS = re.compile(r"^(?:> )+")
_HOLDER = re.compile(r"\[(?:embed|components|forwarded message)\b[^\n]*\]")
_FILE = re.compile(r"\[(attachment: .*?), [0-9,]+ bytes[^\n]*\]$")
_OWN_LINE = re.compile(r"^\[([^\[\]\n]+)\]$")
_DEEPEST = 3
"""Deepest level of forwards within forwards to render."""
_SPEECH = frozenset({0, 19})
_POLL_RESULT = 46
_NOTICES = frozenset((*range(1, 13), *range(14, 19), *range(20, 46), *range(47, 56), 58, 63))
"""Discord's own notices, of joins, pins, boosts and the like, and answers to commands."""
_KNOWN = frozenset(
    {
        *("activity", "application", "attachments", "author", "call", "components", "embeds", "interaction"),
        *("interaction_metadata", "member", "mention_channels", "mention_roles", "mentions", "message_reference"),
        *("message_snapshots", "poll", "reactions", "referenced_message", "resolved", "role_subscription_data"),
        *("sticker_items", "stickers", "thread"),
    }
)
"""Known fields with objects or lists, rendered or not."""


class Manner(Enum):
    """Treatment of a message."""

    NOT_HEARD = "not heard"
    """Not a person's, or a notice: in no turn."""
    NOTED = "noted"
    """Shown to later turns, without a turn or an answer of its own."""
    SAID = "said"
    """A person's words, or a substitute for words."""


@dataclass(frozen=True, slots=True)
class Words:
    """All words of a message."""

    typed: str
    """A person's own text, with names beside ids."""
    notes: str
    """Lines of the runtime about the rest."""

    @property
    def all(self) -> str:
        """Typed words, then the rest."""
        return "\n\n".join(filter(None, (self.typed, self.notes)))


def manner_of(message: Wire) -> Manner:
    """Treatment of a message, by its author, kind and content."""
    author = object_at(message, "author")
    if author.get("bot") is True or message.get("webhook_id") is not None:
        return Manner.NOT_HEARD
    kind = number_at(message, "type")
    if kind in _NOTICES:
        return Manner.NOT_HEARD
    if _is_blank(message):
        is_named = kind not in _SPEECH or bool(_unknown_parts(message))
        return Manner.NOTED if is_named else Manner.NOT_HEARD
    return Manner.NOTED if kind == _POLL_RESULT else Manner.SAID


def says_something(message: Wire) -> bool:
    """True if anybody's message, a bot's too, has words or other parts, and is no notice of Discord's."""
    return number_at(message, "type") not in _NOTICES and not _is_blank(message)


def words_of(message: Wire, name_of: NameOf, *, with_files: bool = True) -> Words:
    """All words of a message, except the answered message: `referenced_message` holds it for a separate call.

    Args:
        message: Message as Discord sent it.
        name_of: Function that returns names missing from the message; its names go before the message's names.
        with_files: False to leave out files, if they are reported elsewhere.
    """
    named = _names_in(message, name_of)
    typed = with_names(text_at(message, "content"), named)
    lines = list(_told_lines(message, named, with_files=with_files, depth=_DEEPEST))
    return Words(typed, shorten("\n".join(lines), MOST_TOLD_CHARS))


def quotation(message: Wire, name_of: NameOf) -> str:
    """All words of a quoted message, shortened."""
    return shorten(words_of(message, name_of).all, MOST_QUOTED_CHARS)


def titles_of(message: Wire, name_of: NameOf) -> tuple[str, str]:
    """Words of a message for a title: typed words, and the rest without the heads of blocks and marks of lines."""
    words = words_of(message, name_of)
    lines = [_MARKS.sub("", line) for line in words.notes.splitlines()]
    lines = [line for line in lines if not _HOLDER.fullmatch(line)]
    files = {line: file[1] for line in lines if (file := _FILE.match(line))}
    titles = [_OWN_LINE.sub(r"\1", line) for line in lines if line not in files]
    return words.typed, "\n".join(titles or files.values())


def files_of(message: Wire) -> Iterator[Wire]:
    """Files of a message and of the forwarded messages inside."""
    yield from objects_at(message, "attachments")
    for snapshot in objects_at(message, "message_snapshots"):
        yield from objects_at(object_at(snapshot, "message"), "attachments")


def mentioned_roles(message: Wire) -> tuple[int, ...]:
    """Ids of the roles that a message mentions."""
    value = message.get("mention_roles")
    return tuple(int(each) for each in value if str(each).isdecimal()) if isinstance(value, list) else ()


def account_name(user: Wire) -> str:
    """Name of an account outside of any server."""
    return text_at(user, "global_name") or text_at(user, "username")


def _told_lines(message: Wire, name_of: NameOf, *, with_files: bool, depth: int) -> Iterator[str]:
    kind = number_at(message, "type")
    if kind not in _SPEECH and kind != _POLL_RESULT and kind not in _NOTICES:
        yield f"[message of an unknown kind: {kind}]"
    for part in PARTS:
        yield from part(message, name_of)
    yield from _forward_lines(message, name_of, with_files=with_files, depth=depth)
    if with_files:
        yield from file_lines(message, name_of)
    if _is_blank(message):
        for name in _unknown_parts(message):
            yield f"[part of an unknown kind: {label(name)}]"


def _forward_lines(message: Wire, name_of: NameOf, *, with_files: bool, depth: int) -> Iterator[str]:
    """Blocks of forwarded messages, each with its origin as far as known."""
    reference = object_at(message, "message_reference")
    snapshots = [object_at(each, "message") for each in objects_at(message, "message_snapshots")]
    if number_at(reference, "type") == 1 and not snapshots:
        yield "[forwarded message: Discord did not give its words]"
    for forwarded in snapshots:
        if depth == 0:
            yield "[forwarded message: further forwards are left out]"
            return
        named = _names_in(forwarded, name_of)
        typed = with_names(text_at(forwarded, "content"), named)
        rest = _told_lines(forwarded, named, with_files=with_files, depth=depth - 1)
        lines = [typed, *rest]
        files = any(True for _ in objects_at(forwarded, "attachments"))
        words = lines if any(lines) else ["its files came along"] if files else ["without words"]
        yield from list_block(f"forwarded message{_origin(reference, forwarded, name_of)}:", words)


def _origin(reference: Wire, forwarded: Wire, name_of: NameOf) -> str:
    channel_id = id_at(reference, "channel_id")
    name = name_of(Mentioned.CHANNEL, channel_id) if channel_id else ""
    at = _minute(text_at(forwarded, "timestamp"))
    return (f" of {at}" if at else "") + (f" from <#{channel_id}> ({name})" if name else "")


def _minute(stamp: str) -> str:
    try:
        return f"{datetime.fromisoformat(stamp):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return ""


def _names_in(message: Wire, name_of: NameOf) -> NameOf:
    """Names for the mentions of a message: known names before the names in Discord's message."""
    people: dict[str, str] = {}
    for user in objects_at(message, "mentions"):
        people[id_at(user, "id")] = text_at(object_at(user, "member"), "nick") or account_name(user)
    channels = {id_at(each, "id"): text_at(each, "name") for each in objects_at(message, "mention_channels")}
    sent = {Mentioned.PERSON: people, Mentioned.CHANNEL: channels}

    def name(kind: Mentioned, number: str) -> str:
        return bare_name(name_of(kind, number) or sent.get(kind, {}).get(number, ""))

    return name


def _is_blank(message: Wire) -> bool:
    """True if no known part of a message says anything."""
    if text_at(message, "content") or object_at(message, "poll") or object_at(message, "activity"):
        return False
    if number_at(object_at(message, "message_reference"), "type") == 1:
        return False
    keys = ("attachments", "sticker_items", "stickers", "embeds", "components", "message_snapshots")
    return not any(any(True for _ in objects_at(message, key)) for key in keys)


def _unknown_parts(message: Wire) -> list[str]:
    """Names of the unknown parts of a message."""
    return [key for key, value in message.items() if key not in _KNOWN and value and isinstance(value, dict | list)]
