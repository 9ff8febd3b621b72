"""Wire format between head and hosts: frames, and messages in them, in MessagePack.

A name on both sides (`shell`, `socket`, …) is written `shell@h1` or `shell@head` in a reply address, so an answer
finds the asking actor; on arrival the name is `shell` again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from typing import Any, Union

import msgspec

from messages import (
    context,
    curated,
    curated_view,
    discord,
    embedder,
    facts,
    forget,
    memory,
    model,
    objects,
    past,
    scheduler,
    shell,
    skills,
    socket,
    status,
    turn,
    web,
    workspace,
)
from messages.base import Address, Message, make_ready

PROTOCOLS = (
    context,
    curated,
    curated_view,
    discord,
    embedder,
    facts,
    forget,
    memory,
    model,
    objects,
    past,
    scheduler,
    shell,
    skills,
    socket,
    status,
    turn,
    web,
    workspace,
)
"""All modules of messages between head and hosts: every protocol there is."""

HEAD = "head"
AT = "@"


class HeadFrame(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Frame of the head in one call."""

    epoch: str
    """Epoch of the intended life of the host."""
    lease_until: float
    """On the host's clock; 0 for no lease yet."""
    ack: int
    first: int
    """Number of the first item."""
    items: list[bytes]
    topics: list[tuple[str, list[Address]]] | None = None
    """Followers of topics, if changed."""
    topics_number: int = 0
    """Number of this list of followers, from 1; a late frame has a lower number than the newest list."""


class HostFrame(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Answer of a host."""

    epoch: str
    reading: float
    """Of the host's clock."""
    ack: int
    first: int
    items: list[bytes]
    live: int = 0
    """Number of windows in the host's memory."""
    pid: int = 0
    """Of the host's process."""


class Handled(msgspec.Struct, frozen=True, tag="~handled", gc=False):
    """Report on the head's items handled by a host; stands among the host's items, behind all earlier messages."""

    numbers: list[int]
    """Numbers of items handled by their windows."""
    busy: list[str]
    """Keys of windows with work in progress since."""
    quiet: list[str]
    """Keys of windows without any more work."""
    unfinished: list[str]
    """Keys of windows without any more work in progress, but with work that waits for a later time."""


class LogLine(msgspec.Struct, frozen=True, tag="~said", gc=False):
    """A line of a host's log, for the head's."""

    level: int
    name: str
    text: str


CONTROL = Address("")
"""Address for messages about the link itself."""


def every_message() -> tuple[type[Message], ...]:
    """All messages of the protocols, by name."""
    places = {module.__name__ for module in PROTOCOLS}
    types = {each.__name__: each for each in Message.__subclasses__() if each.__module__ in places}
    return tuple(types[name] for name in sorted(types))


def schema_digest(types: Iterable[type[Message]]) -> str:
    """Digest of the agreement of both sides: names of all messages and of their fields."""
    words = ((each.__name__, *each.__struct_fields__) for each in types)
    return hashlib.sha256(repr(sorted(words)).encode()).hexdigest()


class Codec:
    """Translation of messages into bytes and back, from the view of one side."""

    def __init__(self, name: str, doubled: Collection[str], types: tuple[type[Message], ...]) -> None:
        """A codec of one side.

        Args:
            name: Of the side, `head` or a host's.
            doubled: Kinds of actors on both sides.
            types: All possible messages.
        """
        self._at = AT + name
        self._doubled = frozenset(doubled)
        self._fields: dict[type, tuple[str, ...]] = {
            each: names
            for each in types
            if (names := tuple(field.name for field in msgspec.structs.fields(each) if field.type is Address))
        }
        self._encode = msgspec.msgpack.Encoder().encode
        every = Union[(*types, Handled, LogLine)]  # type: ignore[valid-type]
        self._decode = msgspec.msgpack.Decoder(tuple[str, str, every]).decode

    def encode(self, to: Address, message: Any) -> bytes:
        """Encode a message and the receiver.

        Raises:
            TypeError, ValueError: the message holds a value that cannot be encoded.
        """
        names = self._fields.get(type(message), ())
        for name in names:
            address: Address = getattr(message, name)
            if address.kind in self._doubled:
                there = Address(address.kind + self._at, address.key)
                message = msgspec.structs.replace(message, **{name: there})
        try:
            return self._encode((to.kind, to.key, message))
        except OverflowError as error:  # an integer of more than 64 bits
            raise ValueError(str(error)) from error

    def decode(self, data: bytes) -> tuple[Address, Any]:
        """Decode a message and the receiver on the other side.

        Raises:
            msgspec.MsgspecError: the message is unknown, or does not match its class.
        """
        kind, key, message = self._decode(data)
        for name in self._fields.get(type(message), ()):
            address: Address = getattr(message, name)
            if address.kind.endswith(self._at):
                message = msgspec.structs.replace(message, **{name: self._here(address)})
        return self._here(Address(kind, key)), message

    def _here(self, address: Address) -> Address:
        return Address(address.kind.removesuffix(self._at), address.key)


def head_frame(data: bytes) -> HeadFrame:
    """Decode a frame of the head.

    Raises:
        msgspec.MsgspecError: the data is no frame of the head.
    """
    return msgspec.msgpack.decode(data, type=HeadFrame)


def host_frame(data: bytes) -> HostFrame:
    """Decode a frame of a host; raises as `head_frame`."""
    return msgspec.msgpack.decode(data, type=HostFrame)


def frame_bytes(frame: HeadFrame | HostFrame) -> bytes:
    """A frame in its encoded form."""
    return msgspec.msgpack.encode(frame)


make_ready(__name__)
