"""Entries of a window's objects: what happened, in order. The same entries make the same state."""

from __future__ import annotations

import msgspec

from domain.objects.looked import Signature
from messages.base import EventId, TurnId, make_ready
from messages.object_store import FileVersion


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag=True, omit_defaults=True):
    """One thing that happened."""


class SessionBegan(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """Another log: nothing is present, active or pinned; what files are called stays."""

    log: str


class TurnsLeft(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """Turns that requests show no longer, because they were trimmed or taken back."""

    turns: tuple[TurnId, ...]
    withdrawals: int = 0
    """How often words had been taken back by then."""


class TurnBegan(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A turn that requests show from now on."""

    turn: TurnId
    before: TurnId = TurnId("")
    """The turn that stands behind it; empty for none: one that was left out for a while comes back to its place."""


class VersionSeen(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A file is known from now on, or is not what it was."""

    version: FileVersion
    chars: int
    """Of its text as it would be shown; 0 for none."""
    signature: Signature | None
    """None for a missing file."""
    looked_ns: int
    """When it was looked at, by the wall clock."""
    place: str
    """Where that became known: a result's event, or the turn at whose head it stands."""


class FileLookedAt(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A file was touched and is what it was."""

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
    """How it ended, in words: `exit 0`, `timeout` …"""
    manages: bool = False
    """Whether the command only managed objects."""
    alias: str = ""
    """The file object whose text it is."""
    found: tuple[str, ...] = ()
    """File objects that this command made known."""
    uncounted: int = 0
    """Further files that it named and that are not indexed."""


class Switched(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The model has decided what an object is to be."""

    object: str
    to: str
    """`active`, `inactive`, `pinned` or `unpinned`."""


class RoundEnded(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A request is made: what is shown in it is decided now."""

    place: str
    """Where new texts go that belong to no result: the newest result, or the turn at whose head they stand."""
    cut: TurnId = TurnId("")
    """The oldest turn whose messages differ from the last request's anyway; empty for none."""


AnyEntry = SessionBegan | TurnsLeft | TurnBegan | VersionSeen | FileLookedAt | OutputSeen | Switched | RoundEnded


def encoded(entries: tuple[AnyEntry, ...]) -> bytes:
    """Entries as bytes."""
    return msgspec.msgpack.encode(entries)


def decoded(data: bytes) -> tuple[AnyEntry, ...]:
    """Entries from bytes.

    Raises:
        msgspec.DecodeError: they are none, or of another version.
    """
    return msgspec.msgpack.decode(data, type=tuple[AnyEntry, ...])


make_ready(__name__)
