"""Protocol of a window's objects: files and outputs that the model is shown, and the model's requests about objects.

Owner: ObjectsActor, one per window. It also words requests, in the terms of `messages.turn`, and keeps what it knows
in the object store, in those of `messages.object_store`. A request's `window` says whose objects are meant.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, Value, Window, Word, make_ready
from messages.object_store import FileVersion, StoreReply
from messages.socket import Refused
from messages.turn import WordRequest

OBJECTS_KIND = "objects"

FilePath = Annotated[str, Meta(max_length=2_000)]
"""POSIX path, absolute or from the window's folder."""


def objects_of(window: Window) -> Address:
    """Address of a window's objects."""
    return Address(OBJECTS_KIND, window.address.key)


class ReadObject(Message, frozen=True, kw_only=True, gc=False):
    """Make a file known and active; answered by `ObjectDone` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    path: FilePath


class SwitchObject(Message, frozen=True, kw_only=True, gc=False):
    """Say what a known object is to be; answered by `ObjectDone` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word
    to: Word
    """`active`, `inactive`, `pinned` or `unpinned`."""


class ObjectDone(Message, frozen=True, kw_only=True, gc=False):
    """It is done and kept."""

    request_id: RequestId
    steps: tuple[str, ...]
    """Completed steps, one sentence each."""


class ObjectLine(Value, frozen=True, kw_only=True, gc=False):
    """One object in the form of a list."""

    id: str
    kind: str
    """`file`, `output`, `chat` or `system`."""
    state: str
    """`active` (its text is shown), `inactive`, `pinned`, `locked`, `missing` or `not present` (known from before)."""
    about: str
    """Path and version of a file, what came of an output."""
    chars: int


class ListObjects(Message, frozen=True, kw_only=True, gc=False):
    """Give the objects of a window; answered by `ObjectsListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    kind: Word = "all"
    """`all`, `files`, `outputs` or `active`."""
    after: Word = ""
    """Id after which to go on; empty for the first."""


class ObjectsListed(Message, frozen=True, kw_only=True, gc=False):
    """Objects, 200 at most."""

    request_id: RequestId
    objects: tuple[ObjectLine, ...]
    is_all: bool


class TellHistory(Message, frozen=True, kw_only=True, gc=False):
    """Give the versions of an object; answered by `HistoryTold` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word
    after: Annotated[int, Meta(ge=0, le=10**9)] = 0
    """Only versions with a greater number."""


class VersionShown(Value, frozen=True, kw_only=True, gc=False):
    """One version in the form of a history."""

    version: FileVersion
    is_kept: bool
    """True if the version's text is kept."""
    shown: int
    """In how many places it was shown to the model."""


class HistoryTold(Message, frozen=True, kw_only=True, gc=False):
    """Versions of one object, the oldest first, 100 at most."""

    request_id: RequestId
    id: str
    versions: tuple[VersionShown, ...]
    is_all: bool
    note: str = ""
    """Remark on an object without versions."""


class ShowObject(Message, frozen=True, kw_only=True, gc=False):
    """Give an object's text, without a change of what is shown; answered by `ObjectShown` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word
    """Of a file or an output, or `chat`; empty to find one by its hash."""
    at: Word = ""
    """The version that was valid at this moment, in ISO 8601; empty for the newest."""
    version: Annotated[int, Meta(ge=0, le=10**9)] = 0
    """0 for the newest."""
    hash: Word = ""
    """The newest version with that SHA-256, of which 8 characters suffice."""


class ObjectShown(Message, frozen=True, kw_only=True, gc=False):
    """A text, and its source."""

    request_id: RequestId
    id: str
    head: str
    """In one line."""
    text: str


class DiffObject(Message, frozen=True, kw_only=True, gc=False):
    """Compare two versions of a file; answered by `ObjectShown`, with a unified diff as its text, or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word
    old: Annotated[int, Meta(ge=0, le=10**9)] = 0
    """0 for the version before the other one."""
    new: Annotated[int, Meta(ge=0, le=10**9)] = 0
    """0 for the newest."""


class KeepDue(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the actor's own: offer the store again its refused requests."""


ObjectsRequest = ReadObject | SwitchObject | ListObjects | TellHistory | ShowObject | DiffObject
ObjectsReply = ObjectDone | ObjectsListed | HistoryTold | ObjectShown
ObjectsMessage = WordRequest | ObjectsRequest | StoreReply | Refused | KeepDue
make_ready(__name__)
