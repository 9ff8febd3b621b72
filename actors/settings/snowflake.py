"""Ids of Discord in the settings: digits, and for anything else the reason in words."""

from __future__ import annotations

import base64
import re
from typing import Annotated

from pydantic import BeforeValidator

_SNOWFLAKE = re.compile(r"[1-9][0-9]{14,19}")
_DIGITS = r"[0-9]{15,20}"
_MENTION = re.compile(rf"\s*<(#|@[!&]?)({_DIGITS})>\s*")
_LINK = re.compile(rf"\s*(?:https?|discord)://\S*?/channels/(?:{_DIGITS}|@me)/({_DIGITS})(?:/\S*)?\s*")
_SEVERAL = re.compile(rf"\s*{_DIGITS}(?:[\s,;]+{_DIGITS})+\s*")
_TOKEN_PIECE = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9_-]{20,40}(?:\.[\w-]*)*")
_RULE = "must be a Discord id of 15 to 20 digits, with or without quotes"


def _snowflake(value: object) -> object:
    text = str(value) if isinstance(value, int) else value
    if isinstance(text, str) and _SNOWFLAKE.fullmatch(text) and int(text) < 2**64:
        return text
    raise ValueError(_RULE + _reason(value))


def _reason(value: object) -> str:
    """Likely mistake behind an invalid id, with the remedy; empty for an unknown mistake."""
    if isinstance(value, float):
        return "; a number with a point or an exponent has lost its last digits: copy the id again, in quotes"
    if not isinstance(value, str):
        return ""
    if match := _MENTION.fullmatch(value) or _LINK.fullmatch(value):
        kind = "a mention" if value.strip().startswith("<") else "a link"
        return f"; this is {kind}: write {match.groups()[-1]}"
    if _SEVERAL.fullmatch(value):
        return "; this text holds several ids: put each in quotes of its own, with commas between"
    if _SNOWFLAKE.fullmatch(value.strip()):
        return "; remove the blanks around the id"
    if _TOKEN_PIECE.fullmatch(value.strip()) or _holds_id(value.strip()):
        return "; this may be a piece of a bot token, which belongs into secrets.env alone"
    if re.search(r"[^\W\d_]", value):
        return "; names can change, so an id is required: switch on Developer Mode in Discord, right-click, Copy ID"
    return ""


def _holds_id(text: str) -> bool:
    """True if a text is an id in base64, as the first piece of a bot token is."""
    try:
        decoded = base64.b64decode(text.partition(".")[0] + "==", validate=True)
    except ValueError:
        return False
    return re.fullmatch(_DIGITS.encode(), decoded) is not None


def _snowflake_or_everyone(value: object) -> object:
    if value == "*":
        return value
    try:
        return _snowflake(value)
    except ValueError as error:
        raise ValueError(str(error).replace(_RULE, f'{_RULE}, or "*" for everyone')) from None


def _snowflake_or_nothing(value: object) -> object:
    return value if value == "" else _snowflake(value)


def _snowflake_or_cli(value: object) -> object:
    try:
        return value if value == "cli" else _snowflake(value)
    except ValueError:
        raise ValueError("must be a Discord id of 15 to 20 digits, or cli for the command line") from None


Snowflake = Annotated[str, BeforeValidator(_snowflake)]
SnowflakeOrEveryone = Annotated[str, BeforeValidator(_snowflake_or_everyone)]
SnowflakeOrNothing = Annotated[str, BeforeValidator(_snowflake_or_nothing)]
SnowflakeOrCli = Annotated[str, BeforeValidator(_snowflake_or_cli)]
