"""Protocol of the facts: memories of conversations through the gateway, and entries added by clients.

Owner: FactsActor, the only writer of `facts.memory_path`; FactRecallActor reads by way of the index. The second
part belongs to FactIndexActor, the only opener of `facts/index.sqlite`; the index can be made again from the files.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, Value, make_ready
from messages.status import DescribeYourself

FACTS = Address("facts")
FACT_RECALL = Address("fact-recall")
"""Takes `RecallEntries` and `SearchEntries`."""
FACT_INDEX = Address("fact-index")
GATEWAY = Address("gateway")

ConversationId = Annotated[str, Meta(max_length=500)]
"""Text called `memory_id` in a request: any characters."""
EntryId = Annotated[str, Meta(max_length=200)]
TopK = Annotated[int, Meta(ge=0, le=200)]
EntryText = Annotated[str, Meta(max_length=4_000)]


class EntryRole(StrEnum):
    """Kind of an entry, as in its front matter."""

    MEMORY = "memory"
    """A fact."""
    USER = "user"
    ASSISTANT = "assistant"
    SUMMARY = "summary"


class FactHit(Value, frozen=True, kw_only=True, gc=False):
    """An entry found by a search, and the reasons."""

    id: str
    role: EntryRole
    conversation: str
    content: str
    created_at: datetime
    """Aware UTC."""
    relevance: float
    """In [0, 1]: to the question alone."""
    recency: float
    score: float
    """Of both together."""


class RecallEntries(Message, frozen=True, kw_only=True, gc=False):
    """Give the entries for a question, without a change to any file. Answered by `EntriesRecalled` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    conversation: ConversationId
    shared: ConversationId = "global"
    """Conversation whose entries are found in all conversations of one owner."""
    question: str
    seen: tuple[str, ...] = ()
    """Texts shown to the model anyway: no equal text is returned."""
    turn_id: str = ""
    """The turn of the question, whose own entries are left out; empty for no turn."""
    top_k: TopK | None = None
    """Most entries; None for `facts.default_top_k`."""
    recency_weight: Annotated[float, Meta(ge=0, le=1)] | None = None
    score_threshold: Annotated[float, Meta(ge=0, le=1)] | None = None


class EntriesRecalled(Message, frozen=True, kw_only=True, gc=False):
    """Entries for the question."""

    request_id: RequestId
    block: str
    """Text for the model, in bounded length; empty without entries."""
    hits: tuple[FactHit, ...]
    """Hits in the block, in the block's order."""
    summary: str = ""
    """The conversation's summary, as far as included in the block."""
    note: str = ""
    """Reason for possibly missing entries, as a sentence; empty for a complete result."""


class StoreTurn(Message, frozen=True, kw_only=True, gc=False):
    """Keep a turn, or its first half; answered by `TurnStored` or `Refused`.

    Words of the same turn kept before are not kept twice. Work left for a finished turn (facts, summary,
    commit) is done behind the answer, now or after a restart.
    """

    request_id: RequestId
    reply_to: Address
    conversation: ConversationId
    turn_id: Annotated[str, Meta(max_length=300)]
    """Chosen by the asker, unique."""
    model: str = ""
    """Model of the answer; also asked for facts if the settings name no model."""
    user_text: str = ""
    """The person's own words; empty for none, or for words kept before."""
    answer_text: str = ""
    """The model's own words; empty for none."""
    answer_before: str | None = None
    """Answer before the user's words, as shown by the client, empty for none; None if the asker does not know."""
    is_over: bool = True
    """True if the turn has no further messages."""


class TurnStored(Message, frozen=True, kw_only=True, gc=False):
    """The turn's texts are on the disk."""

    request_id: RequestId


class AddEntry(Message, frozen=True, kw_only=True, gc=False):
    """Keep a fact word for word, without a model; answered by `EntryAdded` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    conversation: ConversationId
    text: EntryText


class EntryAdded(Message, frozen=True, kw_only=True, gc=False):
    """The fact is kept."""

    request_id: RequestId
    id: str
    path: str
    is_new: bool
    """True if the entry is new; False if it existed word for word."""


class SearchEntries(Message, frozen=True, kw_only=True, gc=False):
    """Search as a request's question does, without a model call and without writing; answered by `EntriesFound`."""

    request_id: RequestId
    reply_to: Address
    conversation: ConversationId
    shared: ConversationId = "global"
    question: Annotated[str, Meta(max_length=2_000)]
    top_k: TopK | None = None


class EntriesFound(Message, frozen=True, kw_only=True, gc=False):
    """Entries found, best first."""

    request_id: RequestId
    hits: tuple[FactHit, ...]
    note: str = ""


class ListEntries(Message, frozen=True, kw_only=True, gc=False):
    """List entries, or the conversations with entries; answered by `EntriesListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    conversation: Annotated[str, Meta(max_length=500)] = ""
    """Empty to list conversations."""
    roles: Annotated[tuple[EntryRole, ...], Meta(max_length=4)] = (EntryRole.MEMORY,)
    after: Annotated[int, Meta(ge=0, le=10**9)] = 0
    """Number of first entries to skip."""


class ListedEntry(Value, frozen=True, kw_only=True, gc=False):
    """One entry in the form of a list."""

    id: str
    role: EntryRole
    created_at: datetime
    path: str
    content: str
    """At most 2,000 characters of the entry."""


class ListedConversation(Value, frozen=True, kw_only=True, gc=False):
    """One conversation, and the number of its entries."""

    conversation: str
    facts: int
    turns: int
    summaries: int


class EntriesListed(Message, frozen=True, kw_only=True, gc=False):
    """Entries from the oldest on, or conversations by name; 200 at most."""

    request_id: RequestId
    entries: tuple[ListedEntry, ...] = ()
    conversations: tuple[ListedConversation, ...] = ()
    is_all: bool = True


class ForgetEntry(Message, frozen=True, kw_only=True, gc=False):
    """Forget one entry: its file moves to `deleted/`, or goes for good; answered by `EntryForgotten` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    id: EntryId
    for_good: bool = False
    """True to remove the entry entirely, tombstones and commits of the agent's own repository included."""


class EntryForgotten(Message, frozen=True, kw_only=True, gc=False):
    """The entry is found no more."""

    request_id: RequestId
    path: str
    """Path of the entry's file now, below `facts.memory_path`; empty when the file is removed for good."""
    derived: int = 0
    note: str = ""
    """Place of remaining words, and the reason; `derived` counts further entries removed along with the entry."""


class SpaceSeen(Message, frozen=True, kw_only=True, gc=False):
    """A question's vector lies in this space: entries with vectors in another space are to be embedded anew."""

    model: str


class FilesChanged(Message, frozen=True, kw_only=True, gc=False):
    """Files below `entries/` may have changed (told by the actor's own watcher)."""

    paths: tuple[str, ...]
    """POSIX paths below `facts.memory_path`; empty for anything."""


class Committed(Message, frozen=True, kw_only=True, gc=False):
    """A commit has ended (told by the actor's own git)."""

    trouble: str = ""
    """Reason for a missing commit; empty when all is well."""


class FactsTimer(StrEnum):
    """Purpose of a timer of the actor's own; a snapshot is `memory_index.json`."""

    SNAPSHOT = "snapshot"
    RETRY = "retry"
    CROSS_OUT = "cross-out"
    """Finished work is to be made durable, and its journal entries committed."""
    COMPARE = "compare"
    NEXT = "next"


class FactsDue(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the actor for one kind of work."""

    what: FactsTimer


class IndexRow(Value, frozen=True, kw_only=True, gc=False):
    """One entry in the form of the index."""

    id: str
    path: str
    """POSIX path of its file below `facts.memory_path`."""
    digest: str
    """SHA-256 of the file's bytes, hexadecimal."""
    conversation: str
    role: EntryRole
    created_at: datetime
    summary_kind: str = ""
    replaced_by: str = ""
    content: str
    vector: bytes = b""
    """As in `FindRows`; empty before the first vector."""


class KnownRow(Value, frozen=True, kw_only=True, gc=False):
    """One row without vector and content."""

    id: str
    path: str
    digest: str
    conversation: str
    role: EntryRole
    created_at: datetime
    summary_kind: str
    model: str
    """Vector space of the row's vector; empty where the row has no vector."""


class LoadRows(Message, frozen=True, kw_only=True, gc=False):
    """Give all rows; answered by `RowsLoaded` or `Refused`."""

    request_id: RequestId
    reply_to: Address


class RowsLoaded(Message, frozen=True, kw_only=True, gc=False):
    """All rows, in no order."""

    request_id: RequestId
    rows: tuple[KnownRow, ...]


class FetchRows(Message, frozen=True, kw_only=True, gc=False):
    """Give rows with their contents; answered by `RowsFetched` or `Refused`. Unknown ids are left out."""

    request_id: RequestId
    reply_to: Address
    ids: tuple[str, ...]


class RowsFetched(Message, frozen=True, kw_only=True, gc=False):
    """The rows in the order of the request, without vectors."""

    request_id: RequestId
    rows: tuple[IndexRow, ...]


class ChangeRows(Message, frozen=True, kw_only=True, gc=False):
    """Drop rows (`for_good`: leave no byte), then put rows, or neither; answered by `RowsChanged` or `Refused`.

    A new row takes the place of a row with the same id or the same path; a row without a vector keeps
    the vector of the same id if the content and the model are the same, or no model is named.
    """

    request_id: RequestId
    reply_to: Address
    model: str
    """Vector space of the rows' vectors; may be empty without vectors."""
    put: tuple[IndexRow, ...] = ()
    drop: tuple[str, ...] = ()
    for_good: bool = False


class RowsChanged(Message, frozen=True, kw_only=True, gc=False):
    """The change is in the file."""

    request_id: RequestId


class IndexBegun(Message, frozen=True, kw_only=True, gc=False):
    """The index is another file than before, and may know less: told to FactsActor."""


class FindRows(Message, frozen=True, kw_only=True, gc=False):
    """Give the nearest rows of each scope by cosine; answered by `RowsFound` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    model: str
    vector: bytes
    """Of the question, little-endian float32 of unit length."""
    scopes: tuple[str, ...]
    """Conversations, each searched separately."""
    roles: tuple[EntryRole, ...]
    per_scope: Annotated[int, Meta(ge=1, le=1_000)]
    without: tuple[str, ...] = ()
    """Ids left out before any count."""


class FoundRow(Value, frozen=True, kw_only=True, gc=False):
    """One row near the query."""

    id: str
    conversation: str
    role: EntryRole
    created_at: datetime
    content: str
    cosine: float
    vector: bytes


class RowsFound(Message, frozen=True, kw_only=True, gc=False):
    """Rows by scope in the order asked for, the nearest first in each; vectors of another size are passed over."""

    request_id: RequestId
    rows: tuple[FoundRow, ...]


class GatewayUp(Message, frozen=True, kw_only=True, gc=False):
    """The gateway listens, or cannot (told by its own loop)."""

    port: int
    """Port of the gateway; 0 without a listening gateway."""
    trouble: str = ""


class ListenAgain(Message, frozen=True, kw_only=True, gc=False):
    """Time to try again to listen (the gateway's own timer)."""


GatewayMessage = GatewayUp | ListenAgain
RecallCommand = RecallEntries | SearchEntries
RecallReply = EntriesRecalled | EntriesFound
FactsCommand = StoreTurn | AddEntry | ListEntries | ForgetEntry
FactsMessage = FactsCommand | SpaceSeen | FilesChanged | Committed | FactsDue | IndexBegun | DescribeYourself
FactsReply = TurnStored | EntryAdded | EntriesListed | EntryForgotten
IndexCommand = LoadRows | FetchRows | ChangeRows | FindRows
IndexMessage = IndexCommand | DescribeYourself
IndexReply = RowsLoaded | RowsFetched | RowsChanged | RowsFound
make_ready(__name__)
