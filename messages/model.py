"""Protocol of ModelActor, the only caller of language models; of local models; and of the usage of calls.

A LocalModelActor owns the server of one language model on this machine; ModelActor asks for its address.

A caller of a model publishes each finished attempt to the topic `SPENT`, with any outcome, for LedgerActor.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, Partial, RequestId, Value, Window, make_ready

MODEL = Address("model")
LEDGER = Address("ledger")
LOCAL_MODEL = "local-model"
"""Kind of the actors; the key is the model's name."""
LOCAL_PREFIX = "local/"
"""Beginning of `model.name` for a model on this machine."""
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
    """Arguments in the model's spelling; may be malformed."""


class ImageFile(Value, frozen=True, kw_only=True, gc=False):
    """An image of a message."""

    path: str
    """`attachments/…`, in the view of the window's commands."""
    media_type: str


class OwnThoughts(Value, frozen=True, kw_only=True, gc=False):
    """Thoughts before calls, for the same model within its turn only; never shown or logged."""

    model: str
    fields_json: str
    """The answer's fields with thoughts and signatures, as a JSON object."""


class ChatMessage(Value, frozen=True, kw_only=True, gc=False):
    """One entry of the conversation in a model's view."""

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Only with `assistant`."""
    tool_call_id: str = ""
    """Only with `tool`: the answered call."""
    images: tuple[ImageFile, ...] = ()
    """Only with `user`; shown to models with vision, if the files still exist."""
    thoughts: OwnThoughts | None = None
    """Only with `assistant` and calls of the turn in hand."""


class ToolSpec(Value, frozen=True, kw_only=True, gc=False):
    """A tool in the form of an offer to the model."""

    name: str
    description: str
    parameters_json: str
    """JSON Schema of the arguments."""


class Usage(Value, frozen=True, kw_only=True, gc=False):
    """Tokens and cost of one call as reported by the provider; 0 for unreported values."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    cached_tokens: int = 0
    """Of the prompt, how many the provider had kept."""
    stored_tokens: int = 0
    """Number of the prompt's tokens that the provider has begun to cache, if reported and charged extra."""

    def __add__(self, other: Usage) -> Usage:
        """The usage of both."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            stored_tokens=self.stored_tokens + other.stored_tokens,
        )


class StopReason(StrEnum):
    """Reason for which the model stopped speaking."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    """The answer is cut."""
    FILTER = "filter"
    """The provider's content filter ended or blocked the answer."""
    REFUSAL = "refusal"
    MALFORMED = "malformed"
    """The model ended with an unreadable call, or announced a call and made none."""


class Completion(Value, frozen=True, kw_only=True, gc=False):
    """One whole answer of a model, in any form and from any route."""

    text: str
    """Words for people, without thoughts and without text written in place of a tool call."""
    tool_calls: tuple[ToolCall, ...] = ()
    stop_reason: StopReason = StopReason.STOP
    refusal: str = ""
    """The model's words in place of an answer, or of the rest of an answer, if the provider separates them."""
    thoughts: str = ""
    """The model's thinking, if reported by the provider; never shown, logged or taken for an answer."""
    thoughts_json: str = ""
    """Fields with thoughts that the provider may want back with the results of calls; empty for none."""
    usage: Usage = Usage()

    @property
    def words(self) -> str:
        """Everything for people: the text, then the refusal."""
        return "\n\n".join(part for part in (self.text, self.refusal) if part.strip()) or self.text

    @property
    def is_void(self) -> bool:
        """True if another attempt is worthwhile: an answer without a word or a call, or with a lost call."""
        if self.tool_calls or self.stop_reason in (StopReason.LENGTH, StopReason.FILTER, StopReason.REFUSAL):
            return False
        return self.stop_reason is StopReason.MALFORMED or not self.words.strip()


class ModelRequest(Message, frozen=True, kw_only=True, gc=False):
    """Ask the model for the next assistant message."""

    request_id: RequestId
    reply_to: Address
    window: Window
    system_prompt: str
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]
    model: str = ""
    """litellm's name of the model; empty for the configured model."""
    attachments: str = ""
    """Folder of the window's images, owned by the agent; empty without images."""
    purpose: str = ""
    """Purpose of a request outside a window's turns; requests with one purpose are served one after the other."""
    api_base: str = ""
    """Address of a server in OpenAI's form, called directly, without litellm; empty for the configured way."""
    key_name: str = ""
    """Name of the server's secret; empty for none."""
    run_id: str = ""
    """Turn of the request; empty outside a turn."""
    turn_messages: int = 0
    """Number of messages at the end that belong to the turn in hand; the window's next requests repeat the messages
    before. 0 outside a turn."""
    recent_messages: int = 0
    """Number of messages at the end from the turn in hand and the turn before."""
    asks_cache: bool = True
    """False if the server refuses to be asked to keep the beginning of the request."""
    fills_thoughts: bool = False
    """True if the server wants a field of thoughts beside each call, even an empty field."""
    is_background: bool = False
    """True if no user waits for the answer: few background requests are served at a time, to leave places for turns."""


class CancelModel(Message, frozen=True, kw_only=True, gc=False):
    """Stop a call without further messages."""

    request_id: RequestId


class ModelDelta(Message, Partial, frozen=True, kw_only=True, gc=False):
    """The answer so far, coalesced; later deltas hold all of earlier ones, until a retry starts them over."""

    request_id: RequestId
    text: str


class ModelReply(Completion, Message, frozen=True, kw_only=True, gc=False):
    """The whole assistant message: the fields of a `Completion`, and the fate of its request."""

    request_id: RequestId
    model: str
    left_out: str = ""
    """Parts of the request refused by its server, in words for a person; empty for none."""
    stands_in: str = ""
    """Words for a person about a model that answers in place of another; empty if the wanted model answers."""


class ModelFailed(Message, frozen=True, kw_only=True, gc=False):
    """No answer after all retries."""

    request_id: RequestId
    reason: str
    """For a person; holds no key and no request text."""
    attempts: int
    is_permanent: bool = False
    """True if the server refuses the request, its model or its key: another attempt fails until a setting changes."""


class CallKind(StrEnum):
    """Kind of a called model."""

    MODEL = "model"
    EMBEDDING = "embedding"
    RERANKING = "reranking"
    TRANSCRIPTION = "transcription"
    TOOL = "tool"  # of an MCP server


class CallOutcome(StrEnum):
    """Outcome of an attempt."""

    ANSWERED = "answered"
    FAILED = "failed"
    CANCELLED = "cancelled"
    KILLED = "killed"
    """Only in ledgers of earlier versions; counts as failed."""


class CallSpent(Message, frozen=True, kw_only=True, gc=False):
    """Usage of one finished attempt at a call."""

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
    stored_tokens: Tokens = 0
    """Number of the prompt's tokens charged for caching."""
    completion_tokens: Tokens = 0
    cost_usd: Dollars = 0.0
    outcome: CallOutcome
    is_estimated: bool = False
    """True for counts estimated from the texts, without counts from the provider."""
    took_s: float = 0.0


class DayUsage(Value, frozen=True, kw_only=True, gc=False):
    """Usage of all calls for one window since midnight (UTC), for any purpose."""

    calls: int
    """Attempts: each counts."""
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    estimated_tokens: int
    """Number of tokens of both kinds not counted by any provider."""
    cached_tokens: int = 0
    """Number of the prompts' tokens from providers' caches."""


class ConfirmEntries(Message, frozen=True, kw_only=True, gc=False):
    """Confirm the entry of all calls published before; answered by `EntriesConfirmed`."""

    request_id: RequestId
    reply_to: Address


class EntriesConfirmed(Message, frozen=True, kw_only=True, gc=False):
    """All calls published before the question survive a kill, or wait for a full disk."""

    request_id: RequestId


class ReadUsage(Message, frozen=True, kw_only=True, gc=False):
    """Give the usage of recent calls, summed by day and by window; answered by `UsageRead` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    days: Annotated[int, Meta(ge=1, le=366)] = 30
    """Number of days, including today."""


class UsageSum(Value, frozen=True, kw_only=True, gc=False):
    """Sum of the calls of one day, or for one window."""

    key: str
    """Day (UTC), key of the window, or address of a caller without a window."""
    calls: int
    prompt_tokens: int
    completion_tokens: int
    estimated_tokens: int
    cost_usd: float
    cached_tokens: int = 0
    """Number of the prompts' tokens from providers' caches."""


class UsageRead(Message, frozen=True, kw_only=True, gc=False):
    """Recent usage of calls."""

    request_id: RequestId
    by_day: tuple[UsageSum, ...]
    """Oldest first; days without a call are left out."""
    by_window: tuple[UsageSum, ...]
    """The dearest first, and at equal cost the sums with more tokens first; 20 at most."""


def is_local(model: str) -> bool:
    """True if `model`, as in settings, is a model on this machine."""
    return model.startswith(LOCAL_PREFIX)


def local_model_address(model: str) -> Address:
    """Address of the actor of a model, e.g. of `local/qwen3-1.7b`."""
    return Address(LOCAL_MODEL, model.removeprefix(LOCAL_PREFIX))


class OpenLocalModel(Message, frozen=True, kw_only=True, gc=False):
    """Start the model's server unless it runs.

    Answered by `LocalModelReady`, `LocalModelFailed` or `LocalModelRefused`.
    """

    request_id: RequestId
    reply_to: Address


class LocalModelReady(Message, frozen=True, kw_only=True, gc=False):
    """The server runs and takes requests in OpenAI's form."""

    request_id: RequestId
    address: str
    """Base address on loopback, e.g. `http://127.0.0.1:41234/v1`."""
    key: str
    """Key of this server's life; worthless elsewhere and afterwards."""


class LocalModelFailed(Message, frozen=True, kw_only=True, gc=False):
    """The server did not start, or ended; another try may succeed."""

    request_id: RequestId
    reason: str


class LocalModelRefused(Message, frozen=True, kw_only=True, gc=False):
    """The model cannot be started until an operator acts."""

    request_id: RequestId
    reason: str


class EngineStarted(Message, frozen=True, kw_only=True, gc=False):
    """Report of the actor's own loop: the server takes requests."""

    address: str


class EngineNotStarted(Message, frozen=True, kw_only=True, gc=False):
    """Report of the actor's own loop: there is no server."""

    reason: str
    may_pass: bool


ModelCommand = ModelRequest | CancelModel
ModelMessage = ModelCommand
ModelAnswer = ModelDelta | ModelReply | ModelFailed
LedgerEvent = CallSpent

LocalModelCommand = OpenLocalModel
LocalModelReply = LocalModelReady | LocalModelFailed | LocalModelRefused
LocalModelMessage = OpenLocalModel | EngineStarted | EngineNotStarted

LedgerMessage = ConfirmEntries | ReadUsage
LedgerReply = EntriesConfirmed | UsageRead
make_ready(__name__)
