"""Protocol of views of curated memory: contents, faults and decisions.

Owner: CuratedActor, as of `messages.curated`, which has the requests that change memory. A request's `window` names the
window on whose behalf the request is made; the command line's is the operator's, with another named in `about`.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, Value, Window, Word, make_ready

Line = Annotated[str, Meta(max_length=1_600)]
"""Words of a person; the rules limit their number."""


class FileSize(Value, frozen=True, kw_only=True, gc=False):
    """One file of a memory folder."""

    name: str
    """POSIX path from the folder on."""
    bytes: int


class ScopeStatus(Value, frozen=True, kw_only=True, gc=False):
    """Present state of one scope."""

    scope: str
    folder: str
    """Absolute."""
    trust: str
    """`own` for the global one, else `trusted`."""
    exists: bool
    writable: str
    """Reason for a refusal to write; empty if this window may write."""
    files: tuple[FileSize, ...]
    index_bytes: int
    injected_bytes: int
    """Of the index, after the caps and the choice of pages."""
    is_capped: bool
    table: str
    """State of the page table: `ok`, `stale`, `invalid`, `missing`."""
    waiting: int
    """Number of staged, uncommitted operations."""
    proposed: int
    """Number of operations proposed by the capture."""
    notes: tuple[str, ...] = ()
    """Faults of the scope's files."""
    waiting_facts: tuple[str, ...] = ()
    """The first waiting facts, with `staged: ` or `proposed: ` before each."""


class PageShown(Value, frozen=True, kw_only=True, gc=False):
    """One page of an index or topic file."""

    id: str
    kind: str
    file: str
    line: int
    section: str
    text: str
    target: str = ""
    """The topic file named by a pointer."""


class ScopePages(Value, frozen=True, kw_only=True, gc=False):
    """Pages of one scope."""

    scope: str
    table: str
    pages: tuple[PageShown, ...]


class FaultShown(Value, frozen=True, kw_only=True, gc=False):
    """One fault."""

    kind: str
    scope: str
    detail: str


class TraceShown(Value, frozen=True, kw_only=True, gc=False):
    """One decision."""

    id: str
    at: str
    context: str
    decision: str
    reasons: tuple[str, ...]
    tokens: tuple[tuple[str, int], ...]


class DescribeCurated(Message, frozen=True, kw_only=True, gc=False):
    """Describe both scopes; answered by `CuratedDescribed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    about: Word = ""
    """Key of the window whose scopes are meant, for the operator; empty for one's own."""


class CuratedDescribed(Message, frozen=True, kw_only=True, gc=False):
    """Both scopes at present."""

    request_id: RequestId
    injection: str
    """`on`, or the reason for no injection here."""
    scopes: tuple[ScopeStatus, ...]
    note: str = ""
    """Additional remark, such as a project that is not trusted."""


class ListPages(Message, frozen=True, kw_only=True, gc=False):
    """List the pages of both scopes; answered by `PagesListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    about: Word = ""


class PagesListed(Message, frozen=True, kw_only=True, gc=False):
    """Pages of the indexes and topic files."""

    request_id: RequestId
    scopes: tuple[ScopePages, ...]


class ListFaults(Message, frozen=True, kw_only=True, gc=False):
    """List the faults; answered by `FaultsListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    about: Word = ""


class FaultsListed(Message, frozen=True, kw_only=True, gc=False):
    """Faults of both scopes, then of writing, the newest last."""

    request_id: RequestId
    faults: tuple[FaultShown, ...]


class ListTraces(Message, frozen=True, kw_only=True, gc=False):
    """List the last decisions about the window, or about all for the operator; answered by `TracesListed`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    limit: Annotated[int, Meta(ge=1, le=200)] = 20
    about: Word = ""


class ShowTrace(Message, frozen=True, kw_only=True, gc=False):
    """Show one decision; answered by `TracesListed` with the decision, or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word
    about: Word = ""


class TracesListed(Message, frozen=True, kw_only=True, gc=False):
    """Decisions, the newest last."""

    request_id: RequestId
    traces: tuple[TraceShown, ...]


class RecallFacts(Message, frozen=True, kw_only=True, gc=False):
    """Find facts by their words; always answered by `FactsRecalled`, whose code gives the outcome."""

    request_id: RequestId
    reply_to: Address
    window: Window
    query: Line
    scope: Word = ""
    """Empty for both."""
    about: Word = ""


class FactsRecalled(Message, frozen=True, kw_only=True, gc=False):
    """Outcome of a recall."""

    request_id: RequestId
    code: str
    """`ok`, `no_match`, `denied`, `malformed`, `unavailable`, `backend_error`."""
    reason: str
    facts: tuple[tuple[str, PageShown], ...] = ()
    """Scope and page, the best first."""


class ListStale(Message, frozen=True, kw_only=True, gc=False):
    """Suggest facts to look at again; answered by `StaleListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    about: Word = ""


class StaleListed(Message, frozen=True, kw_only=True, gc=False):
    """Facts confirmed long ago, the oldest first."""

    request_id: RequestId
    after_days: int
    facts: tuple[tuple[str, int, PageShown], ...]
    """Scope, age in days, page."""
    undated: int
    """Number of facts without a date."""


CuratedQuestion = DescribeCurated | ListPages | ListFaults | ListTraces | ShowTrace | RecallFacts | ListStale
CuratedAnswer = CuratedDescribed | PagesListed | FaultsListed | TracesListed | FactsRecalled | StaleListed
make_ready(__name__)
