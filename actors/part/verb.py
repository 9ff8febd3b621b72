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
    """Address, or a function for an actor of each window; then the message has a `window`, without a default."""
    message: type[Message]
    """Message with `request_id` and `reply_to`, perhaps `window`; all other fields are the arguments."""
    answer_s: float | None = None
    """Longest wait for an answer; None for the socket actor's usual wait."""
    words: Words[Any] | None = None
    """Wording of the reply for people; None for a verb only for programs."""
    in_lanes: bool = True
    """True if commands of a lane, as of a sub-agent, may ask too; else only commands of the window's own turns."""


def check_verb(name: str, verb: Verb) -> None:
    """Check that a verb can be asked for and answered.

    Raises:
        ValueError: a name that is not two words, a message without a way to answer, or a message without a window
            for an actor of each window.
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
