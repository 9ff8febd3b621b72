"""Protocol of a window's workspace: its files of working state, and the runs of its sub-agents.

Owner: WorkspaceActor, one per window, which also takes part in turns in the terms of `messages.turn`; SubagentActor,
one per run. A request's `window` says whose workspace is meant.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, Value, Window, Word, make_ready
from messages.model import ModelAnswer, Usage
from messages.shell import CommandReply, SharedFolder
from messages.socket import Refused
from messages.turn import ContributorMessage, SpokenTold, SubscriberMessage, TrimMessage

WORKSPACE_KIND = "workspace"
SUBAGENT_KIND = "subagent"

TASK_CHARS = 12_000
"""Longest task of a sub-agent."""
WAIT_S = 55
"""Longest wait of one request for a run's end; whoever wants to wait longer asks again."""


def workspace_of(window: Window) -> Address:
    """Where a window's workspace is."""
    return Address(WORKSPACE_KIND, window.address.key)


def subagent_of(window: Window, run: str) -> Address:
    """Where a run of a window's is."""
    return Address(SUBAGENT_KIND, f"{window.address.key}/{run}")


# the working state


class DescribeSession(Message, frozen=True, kw_only=True, gc=False):
    """Give the working state of a window; answered by `SessionDescribed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class SessionDescribed(Message, frozen=True, kw_only=True, gc=False):
    """Working state, as its file has it."""

    request_id: RequestId
    text: str
    """Of SESSION.md, without what is empty; at most 8,000 characters."""
    folder: str
    """Where the window's files are."""
    facts: tuple[tuple[str, str], ...] = ()
    """What else there is to say: name -> value."""


class FileStepDue(Message, frozen=True, kw_only=True, gc=False):
    """The edit of a file goes on, by a timer of one's own."""

    file: str
    """Its name in the folder of its channel."""
    edit: int


class UpkeepDue(Message, frozen=True, kw_only=True, gc=False):
    """What was put off may be tried again, by a timer of one's own."""


# sub-agents: what scripts ask


class RunSubagent(Message, frozen=True, kw_only=True, gc=False):
    """Begin a run of a sub-agent; answered by `SubagentTold`, whose run is `running`, or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    name: Word
    """Of its definition."""
    task: Annotated[str, Meta(max_length=TASK_CHARS)]
    mode: Word = ""
    """`isolated` or `contextual`; empty for what its definition says."""


class WaitSubagent(Message, frozen=True, kw_only=True, gc=False):
    """Wait for the end of a run, for a while; answered by `SubagentTold`, of whatever state, or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    run: Word
    seconds: Annotated[int, Meta(ge=0, le=WAIT_S)] = WAIT_S


class StopSubagent(Message, frozen=True, kw_only=True, gc=False):
    """End a run; answered by `SubagentTold` when it has ended, or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    run: Word


class ListSubagents(Message, frozen=True, kw_only=True, gc=False):
    """Give the sub-agents that may be run and the runs of a window; answered by `SubagentsListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class SubagentRun(Value, frozen=True, kw_only=True, gc=False):
    """One run, and what became of it."""

    run: str
    name: str
    state: str
    """`running`, `done`, `failed` (by an error) or `stopped` (by somebody, or by a limit)."""
    began_at: datetime
    turns: int = 0
    """Model calls that were answered."""
    calls: int = 0
    """Commands that it asked for."""
    seconds: float = 0.0
    note: str = ""
    """Why it was stopped or failed; empty for nothing."""


class SubagentTold(Message, frozen=True, kw_only=True, gc=False):
    """State of a run; with its text, once it has ended."""

    request_id: RequestId
    run: SubagentRun
    text: str = ""
    """What it found: its last words; empty where it said nothing, or still runs."""


class SubagentOffered(Value, frozen=True, kw_only=True, gc=False):
    """A sub-agent that may be run."""

    name: str
    description: str
    mode: str


class SubagentsListed(Message, frozen=True, kw_only=True, gc=False):
    """What may be run, and what was, the newest first."""

    request_id: RequestId
    offered: tuple[SubagentOffered, ...]
    runs: tuple[SubagentRun, ...]
    faults: tuple[str, ...] = ()
    """Of definitions that cannot be used: each names the file and the rule."""


# sub-agents: what the two actors say to each other


class ChildRole(Value, frozen=True, kw_only=True, gc=False):
    """What a run may do, and as whom."""

    name: str
    body: str
    """What its definition says it is, for the system prompt."""
    can_run: bool = True
    """Whether it has bash."""
    model: str = ""
    """litellm's name of the model; empty for the configured one."""
    max_turns: int = 24
    max_calls: int = 48
    max_wall_s: float = 300.0
    bash_timeout_s: float = 120.0


class BeginRun(Message, frozen=True, kw_only=True, gc=False):
    """Do a task, then say so by `ChildEnded`."""

    run: str
    reply_to: Address
    window: Window
    """The parent's, whose folder and permissions its commands have."""
    role: ChildRole
    prompt: str
    """The task, with what goes before it."""
    audience: str = ""
    """Of the turn that asked for it."""
    folders: tuple[SharedFolder, ...] = ()
    """That its commands are to see."""


class EndRun(Message, frozen=True, kw_only=True, gc=False):
    """Stop what runs and say by `ChildEnded` what there is."""

    run: str
    reason: str


class RunAwoke(Message, frozen=True, kw_only=True, gc=False):
    """The actor of a run is there; a second time, it has lost the run."""

    run: str


class ChildEnded(Message, frozen=True, kw_only=True, gc=False):
    """A run is over."""

    run: str
    state: str
    """As of `SubagentRun`."""
    text: str
    note: str = ""
    turns: int = 0
    calls: int = 0
    usage: Usage = Usage()


class RunOverdue(Message, frozen=True, kw_only=True, gc=False):
    """A run, or somebody's wait for one, has had its time, by a timer of one's own."""

    run: str
    request_id: RequestId = RequestId("")
    """Of the wait; empty for the run itself."""


WorkspaceRequest = DescribeSession | RunSubagent | WaitSubagent | StopSubagent | ListSubagents
WorkspaceReply = SessionDescribed | SubagentTold | SubagentsListed
WorkspaceDue = FileStepDue | UpkeepDue
SubagentReport = RunAwoke | ChildEnded | RunOverdue
SubagentCommand = BeginRun | EndRun
WorkspaceMessage = (
    WorkspaceRequest
    | WorkspaceDue
    | SubagentReport
    | ContributorMessage
    | SubscriberMessage
    | TrimMessage
    | SpokenTold
    | ModelAnswer
    | CommandReply
    | Refused
)
make_ready(__name__)
