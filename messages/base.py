"""Names and values shared by every protocol."""

from __future__ import annotations

import sys
from datetime import datetime
from enum import StrEnum
from typing import Annotated, NewType

import msgspec
from msgspec import Meta

EventId = NewType("EventId", str)
"""Id of one event of one window's log; also the nonce under which its text is sent."""

RequestId = NewType("RequestId", str)
"""Id that joins a command to its reply; chosen by the asker, unique during the wait."""

TurnId = NewType("TurnId", str)
"""The id of the user event that opened the turn."""

MessageId = NewType("MessageId", str)
"""Id of a message for people: Discord's snowflake in decimal; any word for the command line."""

UserId = NewType("UserId", str)
"""Id of a person: Discord's snowflake in decimal; any word for the command line."""

ChannelId = NewType("ChannelId", str)
"""Id of a channel, thread or direct conversation of Discord: a snowflake in decimal."""

CONTEXT_KIND = "context"

Word = Annotated[str, Meta(max_length=64)]
"""A name, an id, a date: a few characters. For fields filled by a sandbox, each of which has a maximum."""

LogPath = Annotated[str, Meta(max_length=300)]
"""POSIX path of a log below the data root."""

LineNumber = Annotated[int, Meta(ge=1, le=10**12)]
"""1-based line of a file."""


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A noun for use inside messages, never alone."""


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag=True):
    """Unit of communication between actors: immutable, serialisable (tagged with its class name), comparable."""


class Partial:
    """Mark of a progress report: a message with the id of a question that stays open."""

    __slots__ = ()


class Address(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """Name of a receiver of messages; outlives every actor behind the address."""

    kind: str
    """Sort of the actor, e.g. `context`."""
    key: str = ""
    """Name within the sort; empty for an actor without siblings."""

    def __str__(self) -> str:
        """The address for people, e.g. `context/discord-thread/123`."""
        return f"{self.kind}/{self.key}" if self.key else self.kind


class Surface(StrEnum):
    """Kind of place of a conversation."""

    DISCORD_CHANNEL = "discord-channel"
    DISCORD_THREAD = "discord-thread"
    DISCORD_DM = "discord-dm"
    CLI = "cli"


_SURFACES = {surface.value: surface for surface in Surface}
"""A start-up asks for every window there is, and an enum's own look-up takes ten times as long."""


class Window(Value, frozen=True, kw_only=True, gc=False):
    """One context window's place: a channel, a thread, or a single command-line turn."""

    surface: Surface
    id: Word
    """Discord's snowflake in decimal; any word for the command line."""

    @property
    def address(self) -> Address:
        """Address of this window's ContextActor; all holders share one string as its key."""
        return Address(CONTEXT_KIND, sys.intern(f"{self.surface.value}/{self.id}"))

    @classmethod
    def from_key(cls, key: str) -> Window:
        """The window of an address key.

        Raises:
            ValueError: `key` is not `<surface>/<id>`.
        """
        surface, slash, name = key.partition("/")
        surface_type = _SURFACES.get(surface)
        if not slash or not name or surface_type is None:
            raise ValueError(f"context key {key!r}: <surface>/<id> is required, with surface one of {list(_SURFACES)}")
        return cls(surface=surface_type, id=name)


OPERATOR = Window(surface=Surface.CLI, id="operator")
"""Window of the operator's own requests; the operator may see everything."""


def has_request_id(message: object) -> bool:
    """True if `message` is a command or a reply: no other message has the id that joins the two."""
    return isinstance(message, Message) and isinstance(getattr(message, "request_id", None), str)


def request_id_of(message: Message) -> RequestId:
    """The id that joins a reply to its command.

    Raises:
        TypeError: `message` is neither a command nor a reply.
    """
    if not has_request_id(message):
        raise TypeError(f"{type(message).__name__} has no request_id: it is neither a command nor a reply")
    request_id: RequestId = message.request_id  # type: ignore[attr-defined]
    return request_id


def make_ready(module: str, without: tuple[type, ...] = ()) -> None:
    """Build msgspec's knowledge of each struct defined by `module`; stands at the end of every protocol module.

    Otherwise msgspec builds the knowledge at a class's first use, and shows an unfinished state to other threads: two
    threads that convert, or make decoders of, one class for the first time end the process. During a module's import,
    no other thread has its classes. `without` names classes that msgspec cannot read; they are never coded.
    """
    for kind in tuple(vars(sys.modules[module]).values()):
        is_own = isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == module
        if is_own and kind not in without:
            msgspec.json.Decoder(kind)


_AS_THEY_ARE = (bytes, datetime)
"""Types left unconverted, so a field of these types cannot pass for text."""


def flaw_of(message: Message) -> str:
    """Describe the faults in the fields of `message`, measured by its class; empty without a fault.

    Python accepts any value in a field; an actor that must survive another actor's mistake asks this first.
    """
    try:
        fields = msgspec.to_builtins(message, builtin_types=_AS_THEY_ARE)
        msgspec.convert(fields, type(message), builtin_types=_AS_THEY_ARE)
    except (TypeError, ValueError, RecursionError) as error:  # msgspec's own errors are ValueErrors
        return f"{type(message).__name__}: {error}"
    return ""


make_ready(__name__)
