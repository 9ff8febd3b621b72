"""Protocol of a window's workspace: its files of working state, and the runs of its sub-agents.

Owner: WorkspaceActor, one per window, also a participant of turns in the terms of `messages.turn`; SubagentActor,
one per run. A request's `window` names the workspace.
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
    """Working state, as in the file."""

    request_id: RequestId
    text: str
    """Text of SESSION.md, without empty sections; at most 8,000 characters."""
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
    """Name of the sub-agent's definition."""
    task: Annotated[str, Meta(max_length=TASK_CHARS)]
    mode: Word = ""
    """`isolated` or `contextual`; empty for the definition's choice."""


class WaitSubagent(Message, frozen=True, kw_only=True, gc=False):
    """Wait for the end of a run, for a while; answered by `SubagentTold`, of whatever state, or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    run: Word
    seconds: Annotated[int, Meta(ge=0, le=WAIT_S)] = WAIT_S


class StopSubagent(Message, frozen=True, kw_only=True, gc=False):
    """End a run; answered by `SubagentTold` after the end, or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    run: Word


class ListSubagents(Message, frozen=True, kw_only=True, gc=False):
    """Give the sub-agents open to a window, and the window's runs; answered by `SubagentsListed` or `Refused`."""

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
    """Model calls answered so far."""
    calls: int = 0
    """Number of commands requested by the run."""
    seconds: float = 0.0
    note: str = ""
    """Reason of the stop or failure; empty for none."""


class SubagentTold(Message, frozen=True, kw_only=True, gc=False):
    """State of a run; after its end, with its text."""

    request_id: RequestId
    run: SubagentRun
    text: str = ""
    """Result of the run: its last words; empty for a silent or running run."""


class SubagentOffered(Value, frozen=True, kw_only=True, gc=False):
    """A sub-agent open to the window."""

    name: str
    description: str
    mode: str


class SubagentsListed(Message, frozen=True, kw_only=True, gc=False):
    """Subagents on offer, and past runs, newest first."""

    request_id: RequestId
    offered: tuple[SubagentOffered, ...]
    runs: tuple[SubagentRun, ...]
    faults: tuple[str, ...] = ()
    """Faults of unusable definitions: each names the file and the rule."""


# sub-agents: what the two actors say to each other


class ChildRole(Value, frozen=True, kw_only=True, gc=False):
    """Identity and bounds of a run."""

    name: str
    body: str
    """Text of the definition, for the system prompt."""
    can_run: bool = True
    """True if the run has bash."""
    model: str = ""
    """litellm's name of the model; empty for the configured model."""
    max_turns: int = 24
    max_calls: int = 48
    max_wall_s: float = 300.0
    bash_timeout_s: float = 120.0


class BeginRun(Message, frozen=True, kw_only=True, gc=False):
    """Do a task, then say so by `ChildEnded`."""

    run: str
    reply_to: Address
    window: Window
    """The parent window, whose folder and permissions the commands have."""
    role: ChildRole
    prompt: str
    """The task, with its preceding text."""
    turn_id: TurnId = TurnId("")
    """Turn that asked for the run."""
    audience: str = ""
    """Audience of the turn that asked for the run."""
    folders: tuple[SharedFolder, ...] = ()
    """Folders visible to the run's commands."""


class EndRun(Message, frozen=True, kw_only=True, gc=False):
    """Stop running work and report the results by `ChildEnded`."""

    run: str
    reason: str


class RunAwoke(Message, frozen=True, kw_only=True, gc=False):
    """The actor of a run is alive; a second message means that the actor has lost the run."""

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
