"""Mentions of a message, as far as permitted by `allowed_mentions`."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

_USER = re.compile(r"<@!?(\d{15,20})>")
_ROLE = re.compile(r"<@&(\d{15,20})>")
_EVERYONE = re.compile(r"@(?:everyone|here)\b")


@dataclass(frozen=True, slots=True)
class Mentions:
    """Mentions of a text, in order of appearance."""

    users: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()
    everyone: bool = False


def find_mentions(text: str, allowed: dict[str, Any] | None, users: Container[int], roles: Container[int]) -> Mentions:
    """Existing and allowed mentions in `text`.

    Args:
        text: Content as posted.
        allowed: Discord's `allowed_mentions` object; None allows everything.
        users: Existing ids.
        roles: Existing ids.
    """
    if "@" not in text:
        return Mentions()
    return Mentions(
        users=tuple(i for i in _ids(_USER, text) if i in users and _is_allowed(allowed, "users", i)),
        roles=tuple(i for i in _ids(_ROLE, text) if i in roles and _is_allowed(allowed, "roles", i)),
        everyone=bool(_EVERYONE.search(text)) and (allowed is None or "everyone" in allowed.get("parse", ())),
    )


def _ids(pattern: re.Pattern[str], text: str) -> list[int]:
    return list(dict.fromkeys(int(user_id) for user_id in pattern.findall(text)))


def _is_allowed(allowed: dict[str, Any] | None, what: str, entry_id: int) -> bool:
    if allowed is None or what in (allowed.get("parse") or ()):
        return True
    return any(int(i) == entry_id for i in allowed.get(what) or ())
