"""Protocol of ModelActor, the only one that calls language models; and of what calls of any model took.

A caller of a model publishes to the topic `SPENT` each attempt that is over, with any outcome. LedgerActor enters it.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, Partial, RequestId, Value, Window, make_ready

MODEL = Address("model")
LEDGER = Address("ledger")
SPENT = "spent"
"""Topic of `CallSpent`."""
Tokens = Annotated[int, Meta(ge=0, le=10**12)]
"""Number of tokens of a call; the upper bound exceeds any real call."""
Dollars = Annotated[float, Meta(ge=0, le=10**12)]
"""Cost of a call; the upper bound exceeds any real call."""


class Role(StrEnum):
    """Speaker of a message in a request."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class ToolCall(Value, frozen=True, kw_only=True, gc=False):
    """A model's wish to have a tool run."""

    id: str
    name: str
    arguments_json: str
    """As the model wrote it; may be malformed."""


class ImageFile(Value, frozen=True, kw_only=True, gc=False):
    """An image that belongs to a message."""

    path: str
    """`attachments/…`, as the window's commands see it."""
    media_type: str


class ChatMessage(Value, frozen=True, kw_only=True, gc=False):
    """One entry of the conversation as a model sees it."""

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Only with `assistant`."""
    tool_call_id: str = ""
    """Only with `tool`: the call that this answers."""
    images: tuple[ImageFile, ...] = ()
    """Only with `user`; shown to models that see, as far as the files are still there."""


class ToolSpec(Value, frozen=True, kw_only=True, gc=False):
    """A tool as it is offered to the model."""

    name: str
    description: str
    parameters_json: str
    """JSON Schema of the arguments."""


class Usage(Value, frozen=True, kw_only=True, gc=False):
    """Tokens and cost of one call as the provider reports them; 0 where it doesn't."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    cached_tokens: int = 0
    """Of the prompt, how many the provider had kept."""


class StopReason(StrEnum):
    """Reason for which the model stopped speaking."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"


class ModelRequest(Message, frozen=True, kw_only=True, gc=False):
    """Ask the model for the next assistant message."""

    request_id: RequestId
    reply_to: Address
    window: Window
    system_prompt: str
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]
    model: str = ""
    """litellm's name of the model; empty for the configured one."""
    attachments: str = ""
    """The folder that the window's images lie in, one of the agent's own; empty when there are none."""
    purpose: str = ""
    """Purpose of a request outside a window's turns; requests with one purpose are served one after the other."""
    api_base: str = ""
    """Address of a server in OpenAI's form that is called itself, without litellm; empty for the configured way."""
    key_name: str = ""
    """Name of the secret that this server is called with; empty for none."""
    run_id: str = ""
    """Turn of the request; empty outside a turn."""
    is_background: bool = False
    """True if no user waits for the answer: so few such requests are served at a time that turns find free places."""


class CancelModel(Message, frozen=True, kw_only=True, gc=False):
    """Stop a call; nothing more is said about it."""

    request_id: RequestId


class ModelDelta(Message, Partial, frozen=True, kw_only=True, gc=False):
    """The answer so far, coalesced; later deltas hold all of earlier ones, until a retry starts them over."""

    request_id: RequestId
    text: str


class ModelReply(Message, frozen=True, kw_only=True, gc=False):
    """The whole assistant message."""

    request_id: RequestId
    text: str
    tool_calls: tuple[ToolCall, ...]
    stop_reason: StopReason
    usage: Usage
    model: str
    left_out: str = ""
    """Parts of the request that its server refused, in words for a person; empty for none."""


class ModelFailed(Message, frozen=True, kw_only=True, gc=False):
    """No answer after all retries."""

    request_id: RequestId
    reason: str
    """For a person; holds no key and no request text."""
    attempts: int


class CallKind(StrEnum):
    """Kind of a called model."""

    MODEL = "model"
    EMBEDDING = "embedding"
    RERANKING = "reranking"


class CallOutcome(StrEnum):
    """Outcome of an attempt."""

    ANSWERED = "answered"
    FAILED = "failed"
    CANCELLED = "cancelled"
    KILLED = "killed"
    """Only in ledgers of earlier versions; counts as failed."""


class CallSpent(Message, frozen=True, kw_only=True, gc=False):
    """One attempt at a call is over, and this is what it took."""

    at: Annotated[datetime, Meta(tz=True)]
    """End of the attempt; aware UTC."""
    kind: CallKind
    owner: str
    """Key of the window of the call, or the address of a caller that called for no window in particular."""
    run_id: str = ""
    """Turn of the call; empty outside a turn."""
    purpose: str = ""
    """Purpose of a call outside a window's turns."""
    call_id: str
    """The same for all attempts at one call."""
    attempt: int
    """1-based."""
    model: str
    prompt_tokens: Tokens = 0
    cached_tokens: Tokens = 0
    """Of the prompt's."""
    completion_tokens: Tokens = 0
    cost_usd: Dollars = 0.0
    outcome: CallOutcome
    is_estimated: bool = False
    """True if the provider gave no token counts, so that counts are estimated from the texts."""
    took_s: float = 0.0


class DayUsage(Value, frozen=True, kw_only=True, gc=False):
    """Usage of all calls for one window since midnight (UTC), for any purpose."""

    calls: int
    """Attempts: each counts."""
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    estimated_tokens: int
    """Of both, those that no provider has counted."""


class ReadUsage(Message, frozen=True, kw_only=True, gc=False):
    """Say what calls took lately, summed by day and by window; answered by `UsageRead` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    days: Annotated[int, Meta(ge=1, le=366)] = 30
    """So many, today among them."""


class UsageSum(Value, frozen=True, kw_only=True, gc=False):
    """Sum of the calls of one day, or for one window."""

    key: str
    """Day (UTC), key of the window, or address of a caller that called for no window."""
    calls: int
    prompt_tokens: int
    completion_tokens: int
    estimated_tokens: int
    cost_usd: float


class UsageRead(Message, frozen=True, kw_only=True, gc=False):
    """Recent usage of calls."""

    request_id: RequestId
    by_day: tuple[UsageSum, ...]
    """Oldest first; days without a call are left out."""
    by_window: tuple[UsageSum, ...]
    """The dearest first, and of those that cost the same the ones with more tokens; 20 at most."""


ModelCommand = ModelRequest | CancelModel
ModelMessage = ModelCommand
ModelAnswer = ModelDelta | ModelReply | ModelFailed
LedgerEvent = CallSpent

LedgerMessage = ReadUsage
LedgerReply = UsageRead
make_ready(__name__)
