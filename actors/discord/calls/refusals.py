"""Refusals by Discord, judged by the code in the answer's body; the HTTP status counts only for codes not listed here.

Codes: Discord's table of JSON error codes, and the codes that libraries and their users report beside the table. A
locked or archived thread, for one, is refused with the status 400 or 403, by the route and the year.
"""

from __future__ import annotations

import json
from enum import Enum, auto

import discord


class Verdict(Enum):
    """Prospects of a call not carried out by Discord."""

    AGAIN = auto()
    """The same call may succeed in seconds."""
    FOR_NOW = auto()
    """People can undo the reason: the same call may succeed in hours."""
    FOR_GOOD = auto()


class Part(Enum):
    """Part of a message that Discord may refuse while accepting the rest."""

    REFERENCE = auto()
    """The answered message."""
    BUTTONS = auto()
    FILES = auto()


_SOON_OVER = {
    20028: "the channel's limit of writes",
    20029: "the server's limit of writes",
    40003: "direct messages are opened too fast",
    40062: "the service is rate limited",
    40333: "Discord's network does not let the call through",
    110001: "the application is not available yet",
    130000: "the service is overloaded",
}
_UNDONE_BY_PEOPLE = {
    10003: "the channel is not there, or the bot is not in its server",
    10004: "the bot is not in the server",
    20009: "filter of explicit content",
    20016: "slow mode",
    20022: "limit of edits of announcements",
    20031: "words that the server does not allow",
    30010: "as many kinds of reactions as a message may have",
    30033: "as many members as a thread may have",
    30046: "limit of edits of old messages",
    40002: "the account is to be verified",
    40004: "sending is switched off for now",
    40006: "the feature is switched off for now",
    40007: "the user is banned",
    50001: "the bot does not see the channel",
    50007: "the user takes no direct messages",
    50009: "the server's verification level",
    50013: "a permission is missing",
    50083: "the thread is archived",
    50095: "the server is not available in this location",
    50278: "the bot and the user share no server",
    60003: "the owner's account needs two-factor authentication",
    90001: "a member has blocked the bot",
    160002: "no permission to read the history",
    160005: "the thread is locked",
    160006: "as many active threads as a server may have",
    160007: "as many active announcement threads as a server may have",
    160009: "no permission to read the history",
    200000: "automatic moderation",
    200001: "automatic moderation",
    240000: "filter of harmful links",
}
_NEVER = {
    50003: "not in direct messages",
    50005: "a message of another author",
    50008: "no channel of messages",
    50019: "a message of another channel",
    50021: "a system message",
    50024: "not in this kind of channel",
    50027: "the interaction is over",
}
_PART_OF_CODE = {
    10008: Part.REFERENCE,
    50021: Part.REFERENCE,
    160002: Part.REFERENCE,
    160009: Part.REFERENCE,
    160010: Part.REFERENCE,
    40005: Part.FILES,
    50045: Part.FILES,
    50046: Part.FILES,
    50146: Part.FILES,
    400001: Part.FILES,
}
_PART_OF_FIELD = {
    "message_reference": Part.REFERENCE,
    "components": Part.BUTTONS,
    "attachments": Part.FILES,
    "files": Part.FILES,
}
"""Field of a request -> part of the message."""
_INVALID_FORM = 50035
_RETRIED_STATUSES = frozenset({401, 408, 429})
_TOO_LARGE = 413
"""Status of a request too large for Discord or a proxy in between."""


def judge(error: BaseException) -> Verdict:
    """Prospects of the call that raised `error`; AGAIN too if Discord itself refused nothing."""
    if not isinstance(error, discord.HTTPException) or error.status == 401:
        return Verdict.AGAIN
    if not _is_discords(error):
        return Verdict.FOR_GOOD if error.status == _TOO_LARGE else Verdict.AGAIN
    if error.code in _SOON_OVER or not 400 <= error.status < 500:
        return Verdict.AGAIN
    if error.code in _UNDONE_BY_PEOPLE:
        return Verdict.FOR_NOW
    if error.status in _RETRIED_STATUSES:
        return Verdict.AGAIN
    return Verdict.FOR_NOW if error.status == 403 and error.code not in _NEVER else Verdict.FOR_GOOD


def refused_parts(error: BaseException) -> frozenset[Part]:
    """Parts of a message given by Discord as the reason of a refusal; the rest may be accepted."""
    if not isinstance(error, discord.HTTPException):
        return frozenset()
    if error.code == _INVALID_FORM:
        body = body_of(error)
        named = body.get("errors") if isinstance(body, dict) else None
        names = named if isinstance(named, dict) else ()
        return frozenset(_PART_OF_FIELD[name] for name in names if name in _PART_OF_FIELD)
    if error.status == _TOO_LARGE:
        return frozenset({Part.FILES})
    return frozenset({_PART_OF_CODE[error.code]} if error.code in _PART_OF_CODE else ())


def refusal(error: BaseException) -> str | None:
    """Reason of a refusal, for a person; None if the call may succeed in seconds."""
    if judge(error) is Verdict.AGAIN or not isinstance(error, discord.HTTPException):
        return None
    reason = _UNDONE_BY_PEOPLE.get(error.code) or _NEVER.get(error.code)
    return f"Discord refused it: {error.status} {describe(error)}" + (f", {reason}" if reason else "")


def describe(error: BaseException) -> str:
    """Error without people's words: the kind, and Discord's own code, if any."""
    if isinstance(error, discord.HTTPException):
        return f"{type(error).__name__} (status {error.status}, code {error.code})"
    return type(error).__name__


def body_of(error: discord.HTTPException) -> object:
    """Body of an error's response, as JSON; None for other bodies. discord.py has read the bytes before."""
    data = getattr(error.response, "_body", None)
    try:
        return json.loads(data) if data else None
    except ValueError:
        return None


def _is_discords(error: discord.HTTPException) -> bool:
    """True if Discord itself answered, and not a proxy, filter or network on the way."""
    content_type: str = error.response.headers.get("Content-Type", "")
    return content_type.partition(";")[0].strip().lower() == "application/json"
