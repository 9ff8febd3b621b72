"""Message link: a message that a person names by link or id."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ID = re.compile("[0-9]{15,20}")
_LINK = re.compile(
    r"<?https://(?:\w+\.)?discord(?:app)?\.com/channels/(?:[0-9]{15,20}|@me)/([0-9]{15,20})/([0-9]{15,20})/?>?"
)


@dataclass(frozen=True, slots=True)
class NamedMessage:
    """Message named by a person, or plain words."""

    text: str = ""
    message_id: str = ""
    channel_id: str = ""
    """Channel of the message, if a link names the channel."""


def parse_message(words: str) -> NamedMessage:
    """A message by its link or id, or else the words themselves."""
    words = words.strip()
    if (link := _LINK.fullmatch(words)) is not None:
        return NamedMessage(channel_id=link[1], message_id=link[2])
    return NamedMessage(message_id=words) if _ID.fullmatch(words) else NamedMessage(text=words)
