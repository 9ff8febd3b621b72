"""Entries of a window's objects: events in order. The same entries make the same state."""

from __future__ import annotations

import msgspec

from domain.objects.looked import Signature
from messages.base import EventId, TurnId, make_ready
from messages.objects import FileVersion


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag=True, omit_defaults=True):
    """One event."""


class SessionBegan(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """Another log: no object is present, active or pinned; files keep their names."""

    log: str


class TurnsLeft(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """Turns no longer shown by requests, because of a cut or a withdrawal."""

    turns: tuple[TurnId, ...]
    withdrawals: int = 0
    """Number of withdrawals of words by then."""


class TurnBegan(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """Turn shown by requests from now on."""

    turn: TurnId
    before: TurnId = TurnId("")
    """Following turn; empty without any: a turn left out for a while comes back to the same place."""


class VersionSeen(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A file is known from now on, or has changed."""

    version: FileVersion
    chars: int
    """Length of the text in shown form; 0 for no text."""
    signature: Signature | None
    """None for a missing file."""
    looked_ns: int
    """Time of the look, by the wall clock."""
    place: str
    """Source of the observation: a result's event, or the turn with the observation at the head."""


class FileLookedAt(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A file was touched and is unchanged."""

    object: str
    signature: Signature
    looked_ns: int


class OutputSeen(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A command has ended."""

    event: EventId
    turn: TurnId
    no: int
    """Of the output, `t<no>`."""
    chars: int
    ending: str
    """End of the command, in words: `exit 0`, `timeout` …"""
    manages: bool = False
    """True if the command only managed objects."""
    alias: str = ""
    """The file object with the same text."""
    found: tuple[str, ...] = ()
    """File objects made known by this command."""
    uncounted: int = 0
    """Number of further files named by the command and not indexed."""
    command: str = ""
    """Beginning of the command, in one line."""


class Switched(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The model has decided the state of an object."""

    object: str
    to: str
    """`active`, `inactive`, `pinned` or `unpinned`."""


class RoundEnded(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A request is made: the shown texts are decided now."""

    place: str
    """Place of new texts without a result: the newest result, or the turn with the texts at the head."""
    cut: TurnId = TurnId("")
    """Oldest turn whose messages differ from the last request's in any case; empty without any."""


AnyEntry = SessionBegan | TurnsLeft | TurnBegan | VersionSeen | FileLookedAt | OutputSeen | Switched | RoundEnded


def encode(entries: tuple[AnyEntry, ...]) -> bytes:
    """Entries as bytes."""
    return msgspec.msgpack.encode(entries)


def decode(data: bytes) -> tuple[AnyEntry, ...]:
    """Entries from bytes.

    Raises:
        msgspec.DecodeError: the bytes are no entries, or of another version.
    """
    return msgspec.msgpack.decode(data, type=tuple[AnyEntry, ...])


make_ready(__name__)
