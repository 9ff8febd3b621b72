"""Verb of the control sockets: a question with an addressee."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from actors.part.command import Words
from messages.base import Address, Message, Window

_NAME = re.compile(r"[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*")
_JOINS = ("request_id", "reply_to")


@dataclass(frozen=True, slots=True)
class Verb:
    """A question with an addressee and a message."""

    to: Address | Callable[[Window], Address]
    """A function where there is one actor per window; then the message has a `window`, without a default."""
    message: type[Message]
    """Has `request_id` and `reply_to`, perhaps `window`; its other fields are the arguments."""
    answer_s: float | None = None
    """Longest wait for its answer; None for the socket actor's usual one."""
    words: Words[Any] | None = None
    """Wording of its reply for people; None for a verb that only programs ask."""
    in_lanes: bool = True
    """True if commands of a lane, as of a sub-agent, may ask too; else only commands of the window's own turns."""


def check_verb(name: str, verb: Verb) -> None:
    """See that a verb can be asked for and answered.

    Raises:
        ValueError: a name that is not two words, a message that no answer could be sent to, or one that names no window
            where each has its own actor.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"verb {name!r}: must be two words of a-z, 0-9, _ and -, with a dot between them")
    if not isinstance(verb.to, Address) and not _needs_window(verb.message):
        raise ValueError(
            f"verb {name!r}: {verb.message.__name__} must have window, without a default, for each has its own actor"
        )
    missing = [field for field in _JOINS if field not in verb.message.__struct_fields__]
    if missing:
        raise ValueError(f"verb {name!r}: {verb.message.__name__} must have {' and '.join(missing)}")


def _needs_window(message: type[Message]) -> bool:
    return any(field.name == "window" and field.required for field in msgspec.structs.fields(message))
