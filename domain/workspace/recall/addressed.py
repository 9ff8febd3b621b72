"""Address of a message: the addressee, not part of the content."""

from __future__ import annotations

import re

from domain.text.mention import ADDRESSED

_MENTION = rf"{ADDRESSED}|(?<![\w.<])@[\w.-]*\w"
_HAIL = r"(?:hey+|hi|hello|hiya|dear|yo|hallo|moin|servus|liebe[rs]?)"
_LEAD = rf"(?:{_HAIL}|ok(?:ay)?|so|danke|thanks|thank you)"
_OPENING = re.compile(
    rf"^[^\w<@]*(?:{_LEAD}\b[\s,]*)?(?:(?:{_MENTION})[\s,:;.!\u3001\u3002\u2013\u2014-]*)+"
    rf"|^\W*{_HAIL} [^\W\d]\w*\s?[,:!\u2013\u2014]",
    re.IGNORECASE,
)
_ENDING = re.compile(rf"(?:[\s,\u3001]*(?:{_MENTION}))+(?P<mark>\W*)$")


def strip_address(message: str) -> str:
    """`message` without mentions, or a greeted name, at the beginning or end."""
    bare = _ENDING.sub(lambda match: match["mark"], message)
    return _OPENING.sub("", bare, count=1).strip()
