"""Protocol of ShellActor, the only starter of processes, and of ApprovalActor, which asks a person first.

An asker of ApprovalActor names the whole act and waits; the person whose message is being answered, or an operator,
decides. Each further kind of act is one more value of `ApprovalKind`.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, MessageId, RequestId, TurnId, UserId, Value, Window, Word, make_ready

SHELL = Address("shell")
APPROVAL = Address("approval")
ASKERS = "askers"
"""Topic of `AskersLost`."""


class BashOutcome(StrEnum):
    """Kind of a command's end."""

    EXITED = "exited"
    TIMED_OUT = "timed-out"
    ABORTED = "aborted"


class SharedFolder(Value, frozen=True, kw_only=True, gc=False):
    """A folder of a contributor, visible to sandboxed commands at its path; without a sandbox, visible anyway.

    Commands leave the same kinds of entries as in a working directory: links, pipes, closed folders. Readers of the
    folder follow no link.
    """

    path: str
    """Absolute and real: no part of the path is a link. A missing folder is not shown."""
    may_write: bool = False
    """True if commands may change the folder, within bounds like a working directory's but smaller."""
    kept: tuple[str, ...] = ()
    """Names directly in the folder, read-only although the rest may be changed; a name missing when a command
    begins is not protected. A file put in the place of a protected name while a command runs takes the protection from
    the command: write into the file instead."""
    hidden: tuple[str, ...] = ()
    """Names directly in the folder of regular files and folders that commands see empty, and cannot change; likewise. A
    folder shared separately within a hidden folder is shown there."""


class RunBash(Message, frozen=True, kw_only=True, gc=False):
    """Run one command with bash in the window's working directory."""

    request_id: RequestId
    reply_to: Address
    window: Window
    command: str
    timeout_s: float | None = None
    """Seconds, > 0; None for the configured default; more than the maximum is refused."""
    audience: str = ""
    """Readers of the window, as a label of `domain.policy.audience`: the label decides the logs readable by the
    command."""
    folders: tuple[SharedFolder, ...] = ()
    """Further folders for the command; of two with one path the narrower permission holds."""
    lane: str = ""
    """Commands of one lane run one after the other, commands of two lanes at the same time; empty for the window's own
    turn. Lanes have separate places, so a command that waits for a lane's work takes no place from the lane. Verbs
    reserved for the turn's own commands (`Verb.in_lanes`) are refused from a lane."""
    turn_id: TurnId = TurnId("")
    """Turn on whose behalf the command runs, used to find its kept output; empty for none."""
    is_again: bool = False
    """True if an earlier life may have begun the command: it runs only if still waiting for a person's approval."""
    is_operators: bool = False
    """True for an operator's own script, run without approval."""


class EmptyFolder(Message, frozen=True, kw_only=True, gc=False):
    """Empty the window's working directory and its kept output, after its earlier commands.

    No command is run. Answered by `FolderEmptied`, or `Refused` of the socket's protocol.
    """

    request_id: RequestId
    reply_to: Address
    window: Window


class FolderEmptied(Message, frozen=True, kw_only=True, gc=False):
    """The working directory is empty, and kept output is gone; attachments and logs are unchanged."""

    request_id: RequestId


class CancelBash(Message, frozen=True, kw_only=True, gc=False):
    """Kill the command with all its processes; its result says `aborted`."""

    request_id: RequestId


class StartServer(Message, frozen=True, kw_only=True, gc=False):
    """Run a program that serves other actors, in a separate sandbox; answered by `ServerEnded` after its end.

    The program's stdin and stdout are one connection to a socket of the asker.
    """

    request_id: RequestId
    reply_to: Address
    name: Word
    command: tuple[str, ...]
    """Program and its arguments."""
    socket: str
    """Path of a listening Unix socket of the asker."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables beside the usual ones; values may be secrets."""
    has_network: bool = False
    reads: tuple[str, ...] = ()
    """Folders, absolute, readable by the program, also for programs to run."""
    writes: tuple[str, ...] = ()
    """Folders, absolute, writable by the program."""


class StopServer(Message, frozen=True, kw_only=True, gc=False):
    """Kill the program started by this request; an ended program is no error."""

    request_id: RequestId


class ServerEnded(Message, frozen=True, kw_only=True, gc=False):
    """The program runs no more, or never ran."""

    request_id: RequestId
    reason: str
    """For people: the kind of end, and the program's last lines on stderr."""


class HoldCommands(Message, frozen=True, kw_only=True, gc=False):
    """Stop the clock of the window's running commands while a command waits for a person, or restart the clock."""

    window: Window
    holds: bool


class BashResult(Message, frozen=True, kw_only=True, gc=False):
    """Output of a command and its end."""

    request_id: RequestId
    outcome: BashOutcome
    exit_code: int | None
    """None unless `exited`; negative for a signal."""
    text: str
    """For the model: the tail of the merged output with its notices."""
    truncated: bool
    full_output_path: str
    """File with the whole output; empty if `text` is complete."""
    duration_s: float

    @property
    def is_error(self) -> bool:
        """True if the model should take the result as a failure."""
        return self.outcome is not BashOutcome.EXITED or self.exit_code != 0


class BashRefused(Message, frozen=True, kw_only=True, gc=False):
    """No command was run."""

    request_id: RequestId
    reason: str


MOST_DOCUMENT_BYTES = 32 << 20
MOST_DOCUMENT_CHARS = 4 << 20


class ReadDocument(Message, frozen=True, kw_only=True, gc=False):
    """Read a document as text in a child process with bounds; answered by `DocumentRead` or `DocumentUnread`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    data: Annotated[bytes, Meta(min_length=1, max_length=MOST_DOCUMENT_BYTES)]
    """The whole file."""


class DocumentRead(Message, frozen=True, kw_only=True, gc=False):
    """Text of a document."""

    request_id: RequestId
    kind: Annotated[str, Meta(max_length=300)]
    """Kind of the document by its content, such as `PDF`."""
    about: Annotated[str, Meta(max_length=300)]
    """Extent of the document, such as `3 pages`; empty if unknown."""
    text: Annotated[str, Meta(max_length=MOST_DOCUMENT_CHARS)]
    """With marks of pages, sheets, rows and headings."""
    remark: Annotated[str, Meta(max_length=3_000)] = ""
    """Parts of the document missing from the text."""


class DocumentUnread(Message, frozen=True, kw_only=True, gc=False):
    """The document has no readable text."""

    request_id: RequestId
    reason: Annotated[str, Meta(max_length=300)]


class ApprovalKind(StrEnum):
    """Kind of the act awaiting a person's approval."""

    COMMAND = "command"
    PAGE = "page"
    SEARCH = "search"
    TOOL = "tool"


class AskApproval(Message, frozen=True, kw_only=True, gc=False):
    """Ask a person whether this may be done once; answered by `ApprovalGranted` or `ApprovalRefused` within an hour.

    Asked again with the same words in the same turn, such as after a kill, the open question is waited for.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    kind: ApprovalKind
    text: str
    """The whole act: a command, an address, a search."""
    is_again: bool = False
    """True if an earlier life may have done the act: without an open question the act is refused as `is_unknown`."""


class ApprovalGranted(Message, frozen=True, kw_only=True, gc=False):
    """The act may be done once; the grant is used up, on the disk too."""

    request_id: RequestId


class ApprovalRefused(Message, frozen=True, kw_only=True, gc=False):
    """The act is forbidden."""

    request_id: RequestId
    reason: str
    """Sentences for the model."""
    is_unknown: bool = False
    """True if no question of an earlier life is open."""


class WithdrawApproval(Message, frozen=True, kw_only=True, gc=False):
    """The asker with this request id waits no longer; the question stays open until its turn ends."""

    request_id: RequestId


class DecideApproval(Message, frozen=True, kw_only=True, gc=False):
    """Grant or refuse a request; answered by `ApprovalDecided` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    id: Word
    """Of the question."""
    grants: bool
    decided_by: UserId = UserId("")
    """Person who pressed a button; empty for the operator, at the operator's socket."""
    reason: Annotated[str, Meta(max_length=500)] = ""
    """Reason of a refusal, for the model; empty for the usual words."""


class ApprovalDecided(Message, frozen=True, kw_only=True, gc=False):
    """The question is decided."""

    request_id: RequestId
    granted: bool
    is_awaited: bool
    """True if the asker still waited; else the decision counts when the same is asked again."""


class ListApprovals(Message, frozen=True, kw_only=True, gc=False):
    """List the open questions; answered by `ApprovalsListed`."""

    request_id: RequestId
    reply_to: Address


class OpenApproval(Value, frozen=True, kw_only=True, gc=False):
    """One open question."""

    id: str
    window: Window
    asked_by: UserId
    """Person whose question is being answered; empty if unknown."""
    kind: ApprovalKind
    text: str
    asked_at: datetime


class ApprovalsListed(Message, frozen=True, kw_only=True, gc=False):
    """The open questions, oldest first."""

    request_id: RequestId
    approvals: tuple[OpenApproval, ...]


class AskersLost(Message, frozen=True, kw_only=True, gc=False):
    """A host of the cluster is lost, on the topic `ASKERS`: actors at these addresses wait for no answer any more."""

    askers: tuple[Address, ...]


class QuestionDeleted(Message, frozen=True, kw_only=True, gc=False):
    """A message with a question's buttons was deleted."""

    message_id: MessageId


ShellCommand = RunBash | CancelBash | EmptyFolder | ReadDocument | StartServer | StopServer
ShellMessage = ShellCommand | HoldCommands
CommandReply = BashResult | BashRefused
DocumentReply = DocumentRead | DocumentUnread
ShellReply = CommandReply | FolderEmptied | DocumentReply | ServerEnded
ApprovalCommand = AskApproval | WithdrawApproval | DecideApproval | ListApprovals
ApprovalReply = ApprovalGranted | ApprovalRefused
"""Answers to an asker."""
DecisionReply = ApprovalDecided | ApprovalsListed
ApprovalEvent = QuestionDeleted | AskersLost
make_ready(__name__)
