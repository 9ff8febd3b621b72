"""Protocol of observation: the state of each actor, and the progress of each answer, step by step.

Owners: any actor with figures answers a request for its description. ContextActor publishes runs to subscribers of the
topic `RUNS`, and only while there are any. A run is the work on one turn; a round within the run is one reply of the
model with the commands in the reply. Each type is tagged with pi's name for the type: in pi a run is an `agent` and a
round is a `turn`. FeedActor keeps recent events for clients that poll. The kernel's event for the operator belongs
here, too: an actor cannot be kept running.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, TurnId, Value, Window, make_ready

OBSERVER = Address("observer")
TRACES = Address("traces")
"""Actor that shows the other actors' descriptions to people."""


class DescribeYourself(Message, frozen=True, kw_only=True, gc=False):
    """Say how you are, at once and without looking anything up elsewhere."""

    request_id: RequestId
    reply_to: Address


Figures = tuple[tuple[str, str | int | float], ...]
"""Names (snake_case, with their unit) and values, in display order."""


class SelfDescription(Message, frozen=True, kw_only=True, gc=False):
    """Figures of one actor."""

    request_id: RequestId
    about: str
    """The actor's kind."""
    figures: Figures
    """Figures for every user who may ask the agent."""
    operator_figures: Figures = ()
    """Figures about other windows or this machine: shown to the operator only, after `figures`."""


StatusMessage = DescribeYourself
StatusReply = SelfDescription


class ActorGaveUp(Message, frozen=True, kw_only=True, gc=False):
    """A core actor crashed too often and is started no more: the process should end."""

    address: Address
    crashes: int
    within_s: float


KernelEvent = ActorGaveUp


# runs

RUNS = "runs"
"""Topic of these messages."""
FEED = Address("feed")
LONGEST_WAIT_S = 50


class Moment(Value, frozen=True, kw_only=True, gc=False):
    """Place of an event: the run, and the position within the run."""

    window: Window
    run_id: TurnId
    """Id of the turn in hand; a later life that resumes the turn reports a run of the same id."""
    number: int
    """1-based place within the run."""
    at: datetime


class RunBegan(Message, frozen=True, kw_only=True, gc=False, tag="agent_start"):
    """A message is being worked on from now on."""

    moment: Moment
    message_id: str
    resumed: bool
    """True if an earlier life of the process had begun the run."""


class RunEnded(Message, frozen=True, kw_only=True, gc=False, tag="agent_end"):
    """The work is over."""

    moment: Moment
    outcome: str
    """`answered`, `failed` or `aborted`; `lost` when the log can take no more, and the run begins anew later."""
    notice: str = ""
    """Text shown in place of an answer."""


class RoundBegan(Message, frozen=True, kw_only=True, gc=False, tag="turn_start"):
    """The model is to be asked."""

    moment: Moment
    round: int
    """1-based."""


class RoundEnded(Message, frozen=True, kw_only=True, gc=False, tag="turn_end"):
    """Everything requested by the reply is done."""

    moment: Moment
    round: int


class MessageBegan(Message, frozen=True, kw_only=True, gc=False, tag="message_start"):
    """A message of the conversation begins; earlier messages stay unchanged."""

    moment: Moment
    role: str
    """`user`, `assistant`, or `runtime` for text that the runtime looks up at the model's request."""


class MessageGrew(Message, frozen=True, kw_only=True, gc=False, tag="message_update"):
    """The model goes on writing."""

    moment: Moment
    offset: int
    """Number of characters of the message before `text`; later characters are replaced."""
    text: str


class MessageEnded(Message, frozen=True, kw_only=True, gc=False, tag="message_end"):
    """A message is whole."""

    moment: Moment
    role: str
    text: str
    author: str = ""
    """Author, if the message is a person's."""
    model: str = ""
    stop_reason: str = ""
    """`stop`, `tool_calls` or `length`; `aborted` for an abandoned reply."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0


class ToolBegan(Message, frozen=True, kw_only=True, gc=False, tag="tool_execution_start"):
    """A tool call begins; calls run one after the other."""

    moment: Moment
    call_id: str
    tool: str
    arguments_json: str
    """Arguments in the model's spelling; may be malformed."""


class ToolEnded(Message, frozen=True, kw_only=True, gc=False, tag="tool_execution_end"):
    """A tool call has its result; of a command's output, the end as shown to the model."""

    moment: Moment
    call_id: str
    tool: str
    text: str
    is_error: bool
    outcome: str
    """`exited`, `timeout` …, `refused` or `not-run`: as in the log."""


RunEvent = (
    RunBegan | RunEnded | RoundBegan | RoundEnded | MessageBegan | MessageGrew | MessageEnded | ToolBegan | ToolEnded
)


class ReadEvents(Message, frozen=True, kw_only=True, gc=False):
    """Give the events after a place in the stream, or wait for an event; answered by `EventsRead`."""

    request_id: RequestId
    reply_to: Address
    after: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """Place of the last known event; None for the newest event, to begin."""
    wait_s: Annotated[int, Meta(ge=0, le=LONGEST_WAIT_S)] = 0
    """Longest wait for the first event, in seconds."""


class EventsRead(Message, frozen=True, kw_only=True, gc=False):
    """Events; empty if no event came in time."""

    request_id: RequestId
    events: tuple[str, ...]
    """Each a JSON object, oldest first."""
    last: int
    """Place of the last event here, for the next request."""
    missed: int
    """Number of events since the client's last request that are no longer kept; at least one after a long pause."""


class FeedTick(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the FeedActor's own: answer clients at the end of their wait; drop events no client asks for."""


FeedMessage = ReadEvents | FeedTick
FeedReply = EventsRead
make_ready(__name__)
