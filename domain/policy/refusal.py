"""Refusals of model servers: the part of a request that the words of a 4xx name, and the limit of tokens in them.

`tests/domain/policy/test_refusal.py` has the words that are read, with a source where a public report shows them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Mend(StrEnum):
    """Change of a request after which its server may accept the request."""

    PICTURES = "pictures"
    """Leave pictures out."""
    ROLES = "roles"
    """Merge neighbouring messages of one role."""
    HISTORY = "history"
    """Cut the oldest messages."""
    SYSTEM = "system"
    """Put the system prompt into the first user message."""
    EMPTY = "empty"
    """Give messages without text a word."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Content of one refusal."""

    mends: frozenset[Mend]
    """Empty: the words are not recognised."""
    limit_tokens: int | None = None
    """The most that the server accepts, if the words name a number."""
    counted_tokens: int | None = None
    """Size of the refused request, if the words name a number above the limit."""
    is_final: bool = False
    """True if the server refuses what was said, or tools, which no mend changes."""


_LENGTH = re.compile(
    r"context.?(length|window|size|limit)|maximum (context|prompt|input|model|sequence) length|max_(seq|model)_len"
    r"|(prompt|input|request|messages?|conversation)s? (is |are )?too (long|large)"
    r"|too many (input |prompt |total )?tokens|input (token|length)|tokens? (limit|count)|n_ctx"
    r"|exceeds? (the )?(maximum number of tokens|max(imum)? length)|max message tokens"
    r"|tokens.{0,60}(must be <=|cannot exceed)|reduce the (length|size|number) of|request_too_large"
    r"|(超过|超出|超长).{0,20}(长度|上下文|限制|token)|(长度|上下文|tokens?).{0,20}(超过|超出|超限|过长)|输入过长",
    re.IGNORECASE,
)
_PICTURES = re.compile(
    r"image_url|image (input|content|data|url)|support.{0,40}(image|vision|multi-?modal)"
    r"|(image|picture|vision|multi-?modal).{0,80}(not|un|in|cannot|exceed|fail)[ -]?(support|valid|process|read|max|\b)"
    r"|(process|decode|load|read|download).{0,20}image|invalid.{0,20}image|mmproj|图片|图像",
    re.IGNORECASE,
)
_ANY_PICTURE = re.compile(r"\bimages?\b|\bimage\.|\bpictures?\b|\bvision\b|multi-?modal|media.?type", re.IGNORECASE)
_ROLES = re.compile(
    r"alternat|consecutive.{0,40}(role|message|user)|(same|identical) role|roles? must|角色.{0,10}交替", re.IGNORECASE
)
_SYSTEM = re.compile(
    r"system.{0,20}(role|message|prompt|instruction)s?.{0,20}not (be )?(supported|allowed|enabled)"
    r"|not support.{0,20}system|roles are supported, got.{0,3}system|unexpected role.{0,3}system"
    r"|developer instruction is not enabled",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content.?(filter|polic|management|moderation)|responsible.?ai|safety (system|polic|filter|setting)|\bmoderation"
    r"|\bflagged\b|inappropriate|prohibited.?content|usage polic|data.?inspection|敏感|违规|审核",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"not support.{0,20}(tools?|functions?)\b|support tool use"
    r"|(tools?|function.?calling|tool use).{0,20}not (supported|enabled)"
    r"|enable-auto-tool-choice|--jinja",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"non-?whitespace|non-?empty content|(content|text)[^.]{0,30}(is|be|was) (empty|blank)"
    r"|empty (content|text|message)",
    re.IGNORECASE,
)
_COMMA = re.compile(r"(?<=\d),(?=\d{3}\b)")
_LIMIT = re.compile(
    r"range of input length should be \[\d+, ?(\d+)\]"
    r"|(\d+) (?:token )?maximum"
    r"|(?:maximum|max_seq_len|max_model_len|max.length|\blimit|context.?(?:length|size|window)|n_ctx|cannot exceed|<="
    r"|最大|不能超过|超过|限制)(?:(?!\bby\b)[^\d>]){0,60}?(\d+)",
    re.IGNORECASE,
)
_BEFORE_A_CODE = "limit ("
"""Behind it MiniMax names its code for invalid parameters."""
_ABOVE = re.compile(r"(?:tokens?|\d) ?> ?(\d+)")
_NUMBER = re.compile(r"\d+")
LEAST_LIMIT = 256
"""No server that holds a conversation takes fewer tokens."""
_MOST_LIMIT = 100_000_000


def is_about_length(words: str) -> bool:
    """True if a refusal says that the request is too long."""
    return _LENGTH.search(words) is not None


def is_about_content(words: str) -> bool:
    """True if an error of any status, a 500 too, names a part of the request that a mend can change."""
    return any(rule.search(words) for rule in (_PICTURES, _ROLES, _SYSTEM, _NO_TOOLS))


def read_refusal(words: str, *, is_too_long: bool = False) -> Refusal:
    """Read the words of a refusal.

    Args:
        words: The body of the response, or the text of the error.
        is_too_long: True if the status alone says so.
    """
    if _FILTERED.search(words) or _NO_TOOLS.search(words):
        return Refusal(frozenset(), is_final=True)
    rules = {Mend.ROLES: _ROLES, Mend.SYSTEM: _SYSTEM, Mend.EMPTY: _EMPTY}
    mends = {mend for mend, rule in rules.items() if rule.search(words)}
    if _PICTURES.search(words) or _ANY_PICTURE.search(words):
        mends.add(Mend.PICTURES)
    is_long = is_about_length(words)
    if is_long and (Mend.PICTURES not in mends or "token" in words.lower()):
        mends.add(Mend.HISTORY)
    if is_too_long and not mends:
        mends |= {Mend.HISTORY, Mend.PICTURES}
    limit = _limit_in(words) if Mend.HISTORY in mends else None
    return Refusal(frozenset(mends), limit, _counted_in(words, limit))


def _limit_in(words: str) -> int | None:
    plain = _COMMA.sub("", words)
    for match in (*_ABOVE.finditer(plain), *_LIMIT.finditer(plain)):
        if plain.endswith(_BEFORE_A_CODE, 0, match.start(match.lastindex or 0)):
            continue
        number = int(next(group for group in match.groups() if group)[:12])
        if LEAST_LIMIT <= number <= _MOST_LIMIT:
            return number
    return None


def _counted_in(words: str, limit: int | None) -> int | None:
    """The smallest number that is above the limit, and not so far above that it is an id."""
    if limit is None:
        return None
    numbers = (int(number[:12]) for number in _NUMBER.findall(_COMMA.sub("", words)))
    return min((number for number in numbers if limit < number <= 20 * limit), default=None)
