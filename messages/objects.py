"""Protocol of objects: the files and outputs shown to a window's model, and their store.

Owners: ObjectStoreActor, the only actor that opens `objects/objects.sqlite`; and ObjectsActor, one per window, which
also words requests, in the terms of `messages.turn`. All data is kept by window; no request for one window is answered
from another's.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from messages.base import Address, EventId, Message, RequestId, TurnId, Value, Window, Word, make_ready
from messages.socket import Refused
from messages.status import DescribeYourself
from messages.turn import WordRequest

OBJECT_STORE = Address("object-store")

Number = Annotated[int, Meta(ge=1, le=10**9)]
AnyNumber = Annotated[int, Meta(ge=0, le=10**9)]
"""0 stands for no number."""
Size = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Moment = Annotated[datetime, Meta(tz=True)]


class FileVersion(Value, frozen=True, kw_only=True, gc=False):
    """One version of a file object, without its text."""

    object: Word
    """`f1`, `f2` …: unique in its window, and never another file's."""
    no: Number
    """From 1, without gaps; the order of versions."""
    valid_from: Moment
    """Aware UTC; greater than the previous version's."""
    path: str
    """POSIX path below the window's folder; of a missing file the last path."""
    status: Word
    """`text`, `binary`, `large` (only its beginning is kept), `unread` (its text was not read yet) or `missing`."""
    size: Size
    """Bytes of the file."""
    content_hash: str
    """SHA-256 of the file's bytes, hexadecimal; empty for unread bytes."""
    metadata_hash: str
    object_hash: str


class NewVersion(Value, frozen=True, kw_only=True, gc=False):
    """A new version with its text, to be kept."""

    version: FileVersion
    text: str | None = None
    """None for a file without text (binary, unread or missing), and for content equal to the previous version's, whose
    text this version shares."""


class OutputRow(Value, frozen=True, kw_only=True, gc=False):
    """One output: the place of its text in the log; the text is not kept a second time."""

    object: Word
    """`t1`, `t2` …: unique in its window."""
    event: EventId
    """The record of the result in the log."""
    log: str
    """POSIX path of the log below the data root; empty without a log."""
    turn_id: TurnId
    call_id: str
    at: Moment
    """End of the command, aware UTC."""
    size: Size
    """Characters."""
    outcome: str
    exit_code: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | None
    alias: Word = ""
    """File object with the same text; empty if the output has a text of its own."""
    alias_no: AnyNumber = 0
    """Number of the version."""


class Showing(Value, frozen=True, kw_only=True, gc=False):
    """A static reference: the shown version of an object, and the place."""

    object: Word
    no: Number
    """Version of a file; 1 for an output."""
    place: str
    """Id of the result's event, or of the turn with the object at its head."""
    at: Moment


class LoadObjects(Message, frozen=True, kw_only=True, gc=False):
    """Give the known state of a window; answered by `ObjectsLoaded` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class ObjectsLoaded(Message, frozen=True, kw_only=True, gc=False):
    """State of a window: a snapshot, and the rounds after the snapshot."""

    request_id: RequestId
    last_round: int
    """0 for an unknown window."""
    snapshot: bytes
    """Empty without a snapshot."""
    rounds: tuple[bytes, ...]
    """Entries of each round since, in order."""
    last_file: int = 0
    """Highest number of a file, whatever the entries say; 0 for none."""
    last_output: int = 0
    """Highest number of an output."""


class StoreRound(Message, frozen=True, kw_only=True, gc=False):
    """Keep one round whole or not at all; answered by `RoundStored` or `Refused`.

    A known round gets the same answer, unless a snapshot and a later round stand for it. A round with another content
    for the same number, or with a gap before its number, is refused.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    round: Number
    """The window's last round plus 1."""
    entries: bytes
    versions: tuple[NewVersion, ...] = ()
    outputs: tuple[OutputRow, ...] = ()
    showings: tuple[Showing, ...] = ()
    snapshot: bytes = b""
    """State after this round; earlier rounds need not be kept. Empty for none."""


class RoundStored(Message, frozen=True, kw_only=True, gc=False):
    """The round is in the file."""

    request_id: RequestId
    round: int


class FetchText(Message, frozen=True, kw_only=True, gc=False):
    """Give a version of a file object with its text; answered by `TextFetched` or `Refused`.

    The version is chosen by `no`, else by `content_hash` (the newest match), else by `at` (valid at the moment), else
    the newest.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    object: Word
    no: AnyNumber = 0
    content_hash: Word = ""
    """At least the first 8 characters of the hash. `object` may be empty only with a hash: for all objects of the
    window."""
    at: Moment | None = None


class TextFetched(Message, frozen=True, kw_only=True, gc=False):
    """A version, and its text."""

    request_id: RequestId
    version: FileVersion
    text: str | None
    """None for an object without text, or a text no longer kept."""


class ListVersions(Message, frozen=True, kw_only=True, gc=False):
    """Give the versions of a file object, the oldest first; answered by `VersionsListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    object: Word
    after: AnyNumber = 0
    """Only versions with a greater number."""


class VersionsListed(Message, frozen=True, kw_only=True, gc=False):
    """Versions of one object, 200 at most."""

    request_id: RequestId
    versions: tuple[FileVersion, ...]
    kept: tuple[int, ...]
    """Numbers of versions with kept text."""
    shown: tuple[tuple[int, int], ...]
    """Version -> number of places where it was shown."""
    is_all: bool = True


class ListOutputs(Message, frozen=True, kw_only=True, gc=False):
    """Give outputs of a window, the oldest first; answered by `OutputsListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    after: AnyNumber = 0
    """Only versions with a greater number."""
    only: AnyNumber = 0
    """Only the version of this number; 0 for all."""


class OutputsListed(Message, frozen=True, kw_only=True, gc=False):
    """Outputs, 200 at most."""

    request_id: RequestId
    outputs: tuple[OutputRow, ...]
    is_all: bool = True


class CollectObjects(Message, frozen=True, kw_only=True, gc=False):
    """Throw away texts of versions replaced long ago; answered by `ObjectsCollected` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    keep_days: Annotated[int, Meta(ge=0, le=36_500)] = 30
    """Texts of versions replaced longer ago are removed; numbers, times and hashes stay."""


class ObjectsCollected(Message, frozen=True, kw_only=True, gc=False):
    """Removed texts, and remaining sizes."""

    request_id: RequestId
    texts: int
    bytes_freed: int
    """Number of stored bytes of texts."""
    file_bytes: int
    """Of the database."""


StoreCommand = LoadObjects | StoreRound | FetchText | ListVersions | ListOutputs | CollectObjects | DescribeYourself
StoreMessage = StoreCommand
StoreReply = ObjectsLoaded | RoundStored | TextFetched | VersionsListed | OutputsListed | ObjectsCollected


# of a window

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
    """Set the state of a known object; answered by `ObjectDone` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word
    to: Word
    """`active`, `inactive`, `pinned` or `unpinned`."""


class ObjectDone(Message, frozen=True, kw_only=True, gc=False):
    """The change is done and kept."""

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
    """Path and version of a file, or the outcome of an output."""
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
    """Number of places where the version was shown to the model."""


class HistoryTold(Message, frozen=True, kw_only=True, gc=False):
    """Versions of one object, the oldest first, 100 at most."""

    request_id: RequestId
    id: str
    versions: tuple[VersionShown, ...]
    is_all: bool
    note: str = ""
    """Remark on an object without versions."""


class ShowObject(Message, frozen=True, kw_only=True, gc=False):
    """Give an object's text, without a change of the shown objects; answered by `ObjectShown` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word
    """Id of a file or an output, or `chat`; empty for a search by hash."""
    at: Word = ""
    """The version valid at this moment, in ISO 8601; empty for the newest."""
    version: Annotated[int, Meta(ge=0, le=10**9)] = 0
    """0 for the newest."""
    hash: Word = ""
    """The newest version with this SHA-256, of which 8 characters suffice."""


class ObjectShown(Message, frozen=True, kw_only=True, gc=False):
    """A text, and its source."""

    request_id: RequestId
    id: str
    head: str
    """Heading in one line."""
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
    """Timer of the actor: offer the store again its refused requests."""


ObjectsRequest = ReadObject | SwitchObject | ListObjects | TellHistory | ShowObject | DiffObject
ObjectsReply = ObjectDone | ObjectsListed | HistoryTold | ObjectShown
ObjectsMessage = WordRequest | ObjectsRequest | StoreReply | Refused | KeepDue
make_ready(__name__)
