"""Protocol of a window's workspace: its files of working state, and the runs of its sub-agents.

Owner: WorkspaceActor, one per window, which also takes part in turns in the terms of `messages.turn`; SubagentActor,
one per run. A request's `window` says whose workspace is meant.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, TurnId, Value, Window, Word, make_ready
from messages.model import ModelAnswer, Usage
from messages.shell import CommandReply, SharedFolder
from messages.socket import Refused
from messages.turn import CompactionMessage, ContributorMessage, SpokenTold, SubscriberMessage

WORKSPACE_KIND = "workspace"
SUBAGENT_KIND = "subagent"

TASK_CHARS = 12_000
"""Longest task of a sub-agent."""
WAIT_S = 55
"""Longest wait of one request for a run's end; to wait longer, the caller asks again."""


def workspace_of(window: Window) -> Address:
    """Address of a window's workspace."""
    return Address(WORKSPACE_KIND, window.address.key)


def subagent_of(window: Window, run: str) -> Address:
    """Address of a run of a window."""
    return Address(SUBAGENT_KIND, f"{window.address.key}/{run}")


# the working state


class DescribeSession(Message, frozen=True, kw_only=True, gc=False):
    """Give the working state of a window; answered by `SessionDescribed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class SessionDescribed(Message, frozen=True, kw_only=True, gc=False):
    """Working state, as the file has it."""

    request_id: RequestId
    text: str
    """Of SESSION.md, without what is empty; at most 8,000 characters."""
    folder: str
    """Folder of the window's files."""
    facts: tuple[tuple[str, str], ...] = ()
    """Further facts: name -> value."""


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
    """A run with its outcome."""

    run: str
    name: str
    state: str
    """`running`, `done`, `failed` (by an error) or `stopped` (on request, or by a limit)."""
    began_at: datetime
    turns: int = 0
    """Model calls that were answered."""
    calls: int = 0
    """Number of commands that the run asked for."""
    seconds: float = 0.0
    note: str = ""
    """Why it was stopped or failed; empty for nothing."""


class SubagentTold(Message, frozen=True, kw_only=True, gc=False):
    """State of a run; with its text, once it has ended."""

    request_id: RequestId
    run: SubagentRun
    text: str = ""
    """Result of the run: its last words; empty where the run said nothing, or still runs."""


class SubagentOffered(Value, frozen=True, kw_only=True, gc=False):
    """A sub-agent that may be run."""

    name: str
    description: str
    mode: str


class SubagentsListed(Message, frozen=True, kw_only=True, gc=False):
    """Subagents on offer, and past runs, newest first."""

    request_id: RequestId
    offered: tuple[SubagentOffered, ...]
    runs: tuple[SubagentRun, ...]
    faults: tuple[str, ...] = ()
    """Of definitions that cannot be used: each names the file and the rule."""


# sub-agents: what the two actors say to each other


class ChildRole(Value, frozen=True, kw_only=True, gc=False):
    """Identity and bounds of a run."""

    name: str
    body: str
    """Text of the definition, for the system prompt."""
    can_run: bool = True
    """True if the run has bash."""
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
    """The task, with the text that precedes it."""
    turn_id: TurnId = TurnId("")
    """Turn that asked for the run."""
    audience: str = ""
    """Audience of the turn that asked for the run."""
    folders: tuple[SharedFolder, ...] = ()
    """Folders that the run's commands see."""


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


WorkspaceRequest = DescribeSession | RunSubagent | WaitSubagent | StopSubagent | ListSubagents
WorkspaceReply = SessionDescribed | SubagentTold | SubagentsListed
SubagentReport = RunAwoke | ChildEnded
SubagentCommand = BeginRun | EndRun
WorkspaceMessage = (
    WorkspaceRequest
    | SubagentReport
    | ContributorMessage
    | SubscriberMessage
    | CompactionMessage
    | SpokenTold
    | ModelAnswer
    | CommandReply
    | Refused
)
make_ready(__name__)
