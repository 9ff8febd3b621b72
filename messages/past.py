"""Protocol of the import of the past: commands to the importer, and its questions about history and logs.

Owner: the importer. The surface lists and reads history, a window keeps messages, the memory finds them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from messages.base import Address, ChannelId, Message, MessageId, RequestId, UserId, Value, Window, make_ready
from messages.memory import LogIndexed
from messages.socket import Refused

IMPORTER = Address("importer")


class PastMessage(Value, frozen=True, kw_only=True, gc=False):
    """A message of the past."""

    message_id: MessageId
    author_id: UserId
    author_name: str
    text: str
    """Typed text, then lines about the message's other parts."""
    typed_chars: int
    """Number of typed characters at the text's beginning."""
    sent_at: datetime
    reply_to_message_id: MessageId = MessageId("")
    """Message answered by this message; empty for none."""
    is_own: bool = False
    """True if the bot wrote the message: the window logs such a message itself from the first words in its log on."""


class KeepPast(Message, frozen=True, kw_only=True, gc=False):
    """Keep messages of a window's past in an imported log; answered by `PastKept` or `Refused`.

    A message that a log of the window holds is not kept again.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    messages: tuple[PastMessage, ...]
    audience: str = ""
    """Readers of the window, as a label of `domain.policy.audience`; empty when unknown."""


class PastKept(Message, frozen=True, kw_only=True, gc=False):
    """The messages are in a log of the window, and on the disk."""

    request_id: RequestId
    path: str
    """New log below the data root; empty if all messages were in logs already."""
    kept: int
    """Number of messages in the new log."""


class ListPast(Message, frozen=True, kw_only=True, gc=False):
    """List the places with readable history; answered by `PastListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address


class PastPlace(Value, frozen=True, kw_only=True, gc=False):
    """A channel or thread with history."""

    window: Window
    newest: int
    """Id of the newest known message; 0 for none."""


class PastListed(Message, frozen=True, kw_only=True, gc=False):
    """All places with history, archived threads included."""

    request_id: RequestId
    places: tuple[PastPlace, ...]
    left_out: tuple[str, ...] = ()
    """Reasons for missing channels or lists of threads, in words for people."""


class FindCategories(Message, frozen=True, kw_only=True, gc=False):
    """Look up the categories of channels, whose rules hold in threads; answered by `CategoriesFound`."""

    request_id: RequestId
    reply_to: Address
    channels: tuple[ChannelId, ...]


class CategoriesFound(Message, frozen=True, kw_only=True, gc=False):
    """Categories in the order of the channels."""

    request_id: RequestId
    categories: tuple[str, ...]
    """Ids; empty for a channel without a category, or unknown to Discord's lists."""


class ReadPast(Message, frozen=True, kw_only=True, gc=False):
    """Read the page of history below `before` and above `after`; answered by `PastRead`, `PastDelayed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    before: int
    after: int = 0


class PastRead(Message, frozen=True, kw_only=True, gc=False):
    """A page of history, oldest message first."""

    request_id: RequestId
    messages: tuple[PastMessage, ...]
    oldest: int
    """Least id of all messages of the page, empty messages included; 0 for an empty page."""
    is_last: bool
    """True for the last page."""
    audience: str = ""


class PastDelayed(Message, frozen=True, kw_only=True, gc=False):
    """History cannot be read now: missed live messages go first, or Discord does not answer. Ask again."""

    request_id: RequestId
    reason: str
    again_s: float


class SettlePast(Message, frozen=True, kw_only=True, gc=False):
    """Messages of the past are kept: withdraw messages deleted or edited since they were read."""

    window: Window
    message_ids: tuple[MessageId, ...]


class NotePast(Message, frozen=True, kw_only=True, gc=False):
    """These windows have imported logs: tell their readers, and follow their deletions."""

    windows: tuple[Window, ...]


class StartImport(Message, frozen=True, kw_only=True, gc=False):
    """Import Discord's history, or resume the import; answered by `ImportDescribed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    manages_server: bool = False
    """True if the person may manage the server; the operator's window needs no permission."""


class StopImport(Message, frozen=True, kw_only=True, gc=False):
    """Rest until the next `StartImport`; answered by `ImportDescribed`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class DescribeImport(Message, frozen=True, kw_only=True, gc=False):
    """Say how far the import is; answered by `ImportDescribed`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class ImportDescribed(Message, frozen=True, kw_only=True, gc=False):
    """Progress of the import of Discord's history."""

    request_id: RequestId
    state: str
    """`none`, `listing`, `reading`, `stopped` or `done`."""
    places: int
    places_done: int
    kept: int
    """Messages taken in by this import."""
    read: int
    """Messages read in this life."""
    estimate: int
    """Messages likely left; an estimate from the remaining time of each place."""
    per_second: float
    """Messages read a second, lately."""
    left_s: float
    """Seconds likely left; 0 if unknown."""
    note: str = ""
    """Reason of a wait, or unreadable places; empty for nothing."""


class ImportExport(Message, frozen=True, kw_only=True, gc=False):
    """Import files of DiscordChatExporter; answered by `ExportImported`, or by `Refused` without any import."""

    request_id: RequestId
    reply_to: Address
    window: Window
    files: Annotated[tuple[Annotated[str, Meta(max_length=4_096)], ...], Meta(max_length=5_000)]
    """Absolute paths."""


class ExportImported(Message, frozen=True, kw_only=True, gc=False):
    """All messages of the files are in logs."""

    request_id: RequestId
    files: int
    messages: int
    kept: int
    """Messages new to the logs."""
    windows: int


class ImportGoesOn(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the importer's own: time for the next step, or for the next page of a window."""

    window: Window | None = None


ImportCommand = StartImport | StopImport | DescribeImport | ImportExport
ImportMessage = (
    ImportCommand
    | PastListed
    | CategoriesFound
    | PastRead
    | PastDelayed
    | PastKept
    | LogIndexed
    | ImportGoesOn
    | Refused
)
PastCommand = ListPast | FindCategories | ReadPast | SettlePast | NotePast
ImportReply = ImportDescribed | ExportImported | Refused
PastRequest = KeepPast
make_ready(__name__)
