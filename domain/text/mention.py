"""Mentions in Discord's markdown: ids in angle brackets, and the names that the runtime sets beside the ids."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import StrEnum

LONGEST_NAME = 80
_ONE_NAME = rf"[^()\n]{{1,{LONGEST_NAME}}}"
NAME = rf" \(({_ONE_NAME})\)"
"""Pattern of a name beside an id; its group is the name."""
YOU = ", you"
"""Suffix of the bot's name in a mention, for a model knows neither the bot's name there nor the bot's id."""
_NAME = rf" \({_ONE_NAME}\)"
ADDRESSED = rf"<@[!&]?[0-9]+>(?:{_NAME})?"
"""Pattern of a mention of a person or role, with the optional name beside the id."""
NAMED = rf"<[@#][!&]?[0-9]+>(?:{_NAME})?"
"""Pattern of a mention of a person, role or channel, likewise."""

_MENTION = re.compile(r"(?<!\\)<(?:(?P<kind>@[!&]?|#)(?P<id>[0-9]{1,20})|t:(?P<unix_s>-?[0-9]{1,12})(?::[a-zA-Z])?)>")
_CODE = re.compile(r"(`{3,}.*?(?:`{3,}|\Z)|``.+?``|`[^`\n]+`)", re.DOTALL)
_WITH_NAME = re.compile(rf"(<(?:@[!&]?[0-9]+|#[0-9]+|t:-?[0-9]+(?::[a-zA-Z])?)>){_NAME}")
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Mentioned(StrEnum):
    """Kind of a mentioned thing."""

    PERSON = "person"
    CHANNEL = "channel"
    ROLE = "role"


NameOf = Callable[[Mentioned, str], str]
"""Gives the name for a kind and an id; empty for an unknown name."""

_KINDS = {"@": Mentioned.PERSON, "@!": Mentioned.PERSON, "@&": Mentioned.ROLE, "#": Mentioned.CHANNEL}


def with_names(text: str, name_of: NameOf) -> str:
    """`text` with a name beside each mention, and the time in UTC beside each time stamp; code is unchanged.

    Args:
        text: Text in Discord's markdown.
        name_of: Function that returns names of one line without parentheses.
    """
    if "<" not in text:
        return text

    def add_name(mention: re.Match[str]) -> str:
        if mention["unix_s"] is not None:
            name = _time(int(mention["unix_s"]))
        else:
            name = name_of(_KINDS[mention["kind"]], mention["id"])
        return f"{mention[0]} ({name})" if name else mention[0]

    pieces = _CODE.split(text)
    return "".join(piece if at % 2 else _MENTION.sub(add_name, piece) for at, piece in enumerate(pieces))


def without_names(text: str) -> str:
    """`text` without the names added by `with_names`: equal for a text before and after a change of names."""
    return _WITH_NAME.sub(r"\1", text) if "> (" in text else text


def _time(unix_s: int) -> str:
    """A time in UTC; empty beyond the calendar."""
    try:
        return f"{_BEGINNING + timedelta(seconds=unix_s):%Y-%m-%d %H:%M} UTC"
    except OverflowError:
        return ""
