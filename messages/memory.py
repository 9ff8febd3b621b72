"""Protocol of MemoryActor, the owner of the index over all conversations.

MemoryActor also contributes to turns and hears of them, in the terms of `messages.turn`. A request's `window` names the
window on whose behalf the request is made: the answer is limited to its readers. The command line's window is the
operator's, who may see all.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from messages.base import Address, LogPath, Message, RequestId, Value, Window, Word, make_ready
from messages.discord import ReadersChanged, ReadersListed
from messages.embedder import EmbeddingFailed, TextsEmbedded
from messages.socket import Refused
from messages.status import DescribeYourself
from messages.turn import EventsLogged, ExpandReference, PrepareTurn, TurnEnded

MEMORY = Address("memory")


class FoundMemory(Value, frozen=True, kw_only=True, gc=False):
    """One turn of the past, and the reason of the match."""

    path: str
    """POSIX path below the data root, beginning with `logs/`."""
    line: int
    """1-based line of the event's heading."""
    at: datetime
    role: str
    """`user` or `agent`."""
    author: str
    window: str
    """Key of the turn's window, `<surface>/<id>`."""
    pinned: bool
    excerpt: str
    truncated: bool
    """True if the excerpt is less than the whole turn."""
    score: float
    """Value used for ranking: the formula's value, or for pins and the first pick the similarity."""
    similarity: float
    """Similarity to the question, in [0, 1]; 0 if unknown."""
    recency: float
    """1 for now, falling towards 0 with age."""
    repetition: float
    """Greatest similarity to earlier picks, in [0, 1]."""
    meaning: float = 0.0
    """Half of the similarity by the turn's own cosine; both halves are 0 for a search by cosine alone."""
    words: float = 0.0
    """Half of the similarity by the turn's own words."""
    link: str = ""
    """Address of the message in Discord, in a list about a person; empty for an answer, or if it is unknown."""


class SearchMemory(Message, frozen=True, kw_only=True, gc=False):
    """Find memories relevant to `query`, best first; answered by `MemoriesFound` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    query: Annotated[str, Meta(max_length=4_000)]
    limit: Annotated[int, Meta(ge=1, le=200)] = 10
    """Most memories wanted, 1 to 200."""
    about: Annotated[str, Meta(max_length=100)] = ""
    """Name of a person: only turns of the person, and turns with a word of the name; empty for all turns."""


class ExplainMemory(Message, frozen=True, kw_only=True, gc=False):
    """List the memories given to the last turn, and the closest rejects; answered by `MemoryExplained` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    about: Word = ""
    """Key of the window to explain, for the operator; empty for one's own, or the operator's for the latest turn."""


class DescribeMemory(Message, frozen=True, kw_only=True, gc=False):
    """Count the index; answered by `MemoryDescribed`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class RebuildMemory(Message, frozen=True, kw_only=True, gc=False):
    """Make the index anew from the logs; only for the operator. Answered by `MemoryRebuilt` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class IndexLog(Message, frozen=True, kw_only=True, gc=False):
    """Take in a complete log, with its vectors behind those of new messages.

    Answered by `LogIndexed`, or by `Refused` if a later comparison with the logs does the work.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    path: LogPath


class LogIndexed(Message, frozen=True, kw_only=True, gc=False):
    """Turns of the log are found by their words."""

    request_id: RequestId
    added: int
    """New turns."""


class MemoriesFound(Message, frozen=True, kw_only=True, gc=False):
    """Results of a search, best first."""

    request_id: RequestId
    memories: tuple[FoundMemory, ...]
    note: str = ""
    """Parts unavailable to the search; empty for none."""


class MemoryExplained(Message, frozen=True, kw_only=True, gc=False):
    """One turn's injection, item by item."""

    request_id: RequestId
    window: str
    turn_id: str
    at: datetime
    search: str
    """Search that found the candidates."""
    note: str
    """Parts unavailable to the search; empty for none."""
    candidates: int
    """Number of turns ranked by the formula."""
    budget_tokens: int
    block_tokens: int
    """Of the injected block, by the 4-characters rule."""
    took_ms: float
    """Search, ranking and rendering; the wait for the question's vector apart."""
    injected: tuple[FoundMemory, ...]
    """In the block's order."""
    rejected: tuple[FoundMemory, ...]
    """The best turns without a place, in the ranking's order."""


class MemoryDescribed(Message, frozen=True, kw_only=True, gc=False):
    """The state of the index."""

    request_id: RequestId
    rows: int
    ok: int
    pending: int
    failed: int
    pins: int
    windows: int
    vectors: int
    """Stored vectors, of all spaces."""
    space: str
    """Names the embedding model."""
    dimensions: int
    index_bytes: int
    reconciled_at: datetime | None
    """Time of the index's last comparison with the logs; None before the first."""
    damaged_logs: int
    """Logs in which the comparison met text not written by the agent."""
    state: str
    """`ready`, or the reason for another state."""
    set_aside: int = 0
    """Failed turns with which the embedding model takes no call; tried again at the agent's next start."""
    pins_here: int = 0
    """Pins visible in the asking window; to the operator, in the window with the most visible pins."""
    pins_given: int = 0
    """Number of these pins with room in a turn's memory, of which a quarter stays for search results."""


class MemoryRebuilt(Message, frozen=True, kw_only=True, gc=False):
    """The index equals the logs again."""

    request_id: RequestId
    rows: int
    pending: int
    seconds: float


class ReconcileSlice(Message, frozen=True, kw_only=True, gc=False):
    """Go on comparing the index with the logs (the actor's own)."""

    run: int


class ReconcileDue(Message, frozen=True, kw_only=True, gc=False):
    """Time to compare the index with the logs once more (the actor's own timer)."""


class ServeLookup(Message, frozen=True, kw_only=True, gc=False):
    """The actor's own message: serve the next search or expansion, behind the turns that came before."""

    request_id: RequestId


class ForgetSlice(Message, frozen=True, kw_only=True, gc=False):
    """Go on taking forgotten turns out of the index (the actor's own)."""


class LookAfterIndex(Message, frozen=True, kw_only=True, gc=False):
    """The actor's own timer: check whether the index's file is still the file in use."""


class EmbedMore(Message, frozen=True, kw_only=True, gc=False):
    """The actor's own timer: embed waiting texts."""


MemoryCommand = SearchMemory | ExplainMemory | DescribeMemory | RebuildMemory | IndexLog
MemoryReply = MemoriesFound | MemoryExplained | MemoryDescribed | MemoryRebuilt | LogIndexed | Refused
MemoryMessage = (
    MemoryCommand
    | PrepareTurn
    | ExpandReference
    | TurnEnded
    | EventsLogged
    | ReadersListed
    | ReadersChanged
    | TextsEmbedded
    | EmbeddingFailed
    | DescribeYourself
    | ReconcileSlice
    | ReconcileDue
    | ServeLookup
    | LookAfterIndex
    | EmbedMore
    | ForgetSlice
)
make_ready(__name__)
