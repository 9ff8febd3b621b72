"""Entries of a window's objects: what happened, in order. The same entries make the same state."""

from __future__ import annotations

import msgspec

from domain.objects.looked import Signature
from messages.base import EventId, TurnId, make_ready
from messages.objects import FileVersion


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag=True, omit_defaults=True):
    """One thing that happened."""


class SessionBegan(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """Another log: nothing is present, active or pinned; what files are called stays."""

    log: str


class TurnsLeft(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """Turns that requests show no longer, because they were trimmed or taken back."""

    turns: tuple[TurnId, ...]
    withdrawals: int = 0
    """Number of withdrawals of words by then."""


class TurnBegan(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A turn that requests show from now on."""

    turn: TurnId
    before: TurnId = TurnId("")
    """The following turn; empty for none: a turn that was left out for a while comes back to its place."""


class VersionSeen(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A file is known from now on, or is not what it was."""

    version: FileVersion
    chars: int
    """Length of the text in its shown form; 0 for no text."""
    signature: Signature | None
    """None for a missing file."""
    looked_ns: int
    """Time of the look, by the wall clock."""
    place: str
    """Source of the observation: a result's event, or the turn with the observation at its head."""


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
    """End of the command, in words: `exit 0`, `timeout` …"""
    manages: bool = False
    """True if the command only managed objects."""
    alias: str = ""
    """The file object with the same text."""
    found: tuple[str, ...] = ()
    """File objects that this command made known."""
    uncounted: int = 0
    """Number of further files that the command named and that are not indexed."""
    command: str = ""
    """Beginning of the command, in one line."""


class Switched(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """The model has decided what an object is to be."""

    object: str
    to: str
    """`active`, `inactive`, `pinned` or `unpinned`."""


class RoundEnded(Entry, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A request is made: what is shown in it is decided now."""

    place: str
    """Place of new texts that belong to no result: the newest result, or the turn with the texts at its head."""
    cut: TurnId = TurnId("")
    """The oldest turn whose messages differ from the last request's anyway; empty for none."""


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
