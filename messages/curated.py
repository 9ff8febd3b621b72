"""Protocol of CuratedActor, the only writer of the memory kept by hand by people and the agent.

CuratedActor also contributes to turns, in the terms of `messages.turn`, and answers the questions of
`messages.curated_view`. A request's `window` names the window on whose behalf the request is made, and so the scopes in
reach: the global one, and the project of its channel. The command line's window is the operator's; it may name another
in `about`.
"""

from __future__ import annotations

from messages.base import Address, Message, RequestId, Value, Window, Word, make_ready
from messages.curated_view import CuratedAnswer, CuratedQuestion, Line
from messages.discord import ReadersChanged, ReadersListed
from messages.socket import Refused
from messages.status import DescribeYourself
from messages.turn import EventsLogged, PrepareTurn, TurnEnded

CURATED = Address("curated")


class Rejection(Value, frozen=True, kw_only=True, gc=False):
    """An operation left uncommitted."""

    scope: str
    text: str
    reason: str


class VerifyPages(Message, frozen=True, kw_only=True, gc=False):
    """Make the page tables anew from the markdown; answered by `PagesVerified` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    about: Word = ""


class PagesVerified(Message, frozen=True, kw_only=True, gc=False):
    """The page tables equal the markdown again."""

    request_id: RequestId
    scopes: tuple[tuple[str, int, str], ...]
    """Scope, pages, and the state of the table before."""
    notes: tuple[str, ...] = ()


class RememberFact(Message, frozen=True, kw_only=True, gc=False):
    """Stage a fact for an index; answered by `FactStaged` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    scope: Word
    text: Line
    section: Line = ""
    about: Word = ""


class FactStaged(Message, frozen=True, kw_only=True, gc=False):
    """The fact waits in the journal, safe from a crash."""

    request_id: RequestId
    id: str
    scope: str
    text: str
    waiting: int
    """Number of waiting operations, this one included."""
    note: str = ""


class FlushFacts(Message, frozen=True, kw_only=True, gc=False):
    """Commit staged and proposed facts, and make the page tables anew; answered by `FactsFlushed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    about: Word = ""


class FactsFlushed(Message, frozen=True, kw_only=True, gc=False):
    """Outcome of a flush."""

    request_id: RequestId
    committed: tuple[tuple[str, str], ...]
    """Scope and words of each."""
    rejected: tuple[Rejection, ...] = ()
    notes: tuple[str, ...] = ()


class SwitchInjection(Message, frozen=True, kw_only=True, gc=False):
    """Show the memory in this window's turns, or no more, until the agent ends; answered by `InjectionSwitched`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    on: bool
    about: Word = ""


class InjectionSwitched(Message, frozen=True, kw_only=True, gc=False):
    """The switch holds from the next turn on."""

    request_id: RequestId
    on: bool


class AddFact(Message, frozen=True, kw_only=True, gc=False):
    """Write a fact into an index; answered by `FactWritten` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    scope: Word
    text: Line
    section: Line = ""
    about: Word = ""


class FixFact(Message, frozen=True, kw_only=True, gc=False):
    """Put other words in the place of a fact's; answered by `FactWritten` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    scope: Word
    fact: Line
    """Id of the fact, its text, or words that no other fact has."""
    text: Line
    about: Word = ""


class RemoveFact(Message, frozen=True, kw_only=True, gc=False):
    """Take a wrong fact out; answered by `FactWritten` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    scope: Word
    fact: Line
    about: Word = ""


class ArchiveFact(Message, frozen=True, kw_only=True, gc=False):
    """Move a stale fact into `archive/`; answered by `FactWritten` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    scope: Word
    fact: Line
    about: Word = ""


class MoveFact(Message, frozen=True, kw_only=True, gc=False):
    """Move a fact into a topic file and leave a pointer; answered by `FactWritten` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    scope: Word
    fact: Line
    topic: Word
    """Name of the file, such as `build.md`."""
    title: Line
    """Of the pointer."""
    gist: Line
    """Additional text of the pointer."""
    about: Word = ""


class ConfirmFact(Message, frozen=True, kw_only=True, gc=False):
    """Confirm a fact with today's date; answered by `FactWritten` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    scope: Word
    fact: Line
    about: Word = ""


class FactWritten(Message, frozen=True, kw_only=True, gc=False):
    """The file has the fact, also after a power loss."""

    request_id: RequestId
    scope: str
    done: str
    """`added`, `fixed`, `removed`, `archived`, `moved`, `confirmed`, or `unchanged`."""
    path: str
    """Of the file, absolute."""
    text: str
    """The fact's current words; of a removed fact, the former words."""
    note: str = ""


class ImportClaude(Message, frozen=True, kw_only=True, gc=False):
    """Stage Claude Code's memories of a project, and copy the topic files; only for the operator.

    Answered by `ClaudeImported` or `Refused`; no file in Claude Code's folder is changed.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    about: Word = ""


class ClaudeImported(Message, frozen=True, kw_only=True, gc=False):
    """Outcome of an import."""

    request_id: RequestId
    folder: str
    staged: int
    topics: tuple[str, ...]
    """Copied topic files."""
    skipped: tuple[str, ...]
    """Parts left out, each with its reason."""


FactCommand = AddFact | FixFact | RemoveFact | ArchiveFact | MoveFact | ConfirmFact
CuratedCommand = VerifyPages | RememberFact | FlushFacts | SwitchInjection | ImportClaude | FactCommand
CuratedReply = (
    PagesVerified
    | FactStaged
    | FactsFlushed
    | InjectionSwitched
    | FactWritten
    | ClaudeImported
    | CuratedAnswer
    | Refused
)
CuratedMessage = (
    CuratedCommand
    | CuratedQuestion
    | PrepareTurn
    | TurnEnded
    | EventsLogged
    | ReadersListed
    | ReadersChanged
    | DescribeYourself
)
make_ready(__name__)
