"""Protocol of wording: how the results of a window's commands are shown to the model.

Owner: the part that words a window's results, where there is one; ContextActor asks before each model call. Roles,
pairs of calls and results, their order, the memory block and the prompts stay ContextActor's: only texts are replaced.
"""

from __future__ import annotations

from datetime import datetime

from messages.base import Address, EventId, Message, RequestId, TurnId, Value, Window


class CallShown(Value, frozen=True, kw_only=True, gc=False):
    """One call of a tool with its result, as the log has them."""

    event: EventId
    """Of the result; what names it here, for providers give ids of calls more than once."""
    call_id: str
    """The provider's."""
    command: str
    """What was run; empty for a call that could not be understood."""
    text: str
    """The result, as it would be shown without this protocol."""
    outcome: str
    """As the log has it: `exited`, `timeout`, `refused`, `not-run` …; empty where it says nothing."""
    exit_code: int | None
    asked_at: datetime
    ended_at: datetime
    full_output: str = ""
    """File that holds all of the output, where the text is its end; empty for none."""


class TurnShown(Value, frozen=True, kw_only=True, gc=False):
    """One turn of a request, and its calls in their order."""

    turn_id: TurnId
    calls: tuple[CallShown, ...] = ()


class WordRequest(Message, frozen=True, kw_only=True, gc=False):
    """Say how each result of this request is worded; answered by `RequestWorded` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    log: str
    """POSIX path of the window's log below the data root; empty where nothing is kept. Another one is a new session."""
    turn_id: TurnId
    """The turn that is being answered, the last of `turns`."""
    turns: tuple[TurnShown, ...]
    """All that the request shows, the oldest first."""
    audience: str = ""
    """Who reads the window, as a label of `domain.policy.audience`; empty when that is not known."""
    withdrawals: int = 0
    """How often words were taken back in this log; where it is another number than before, turns left for that."""
    breaks_from: TurnId = TurnId("")
    """The oldest turn whose messages are not those of the request before, whatever is worded: from there on no cache of
    a provider's has the conversation. Empty where all of it stands as it did."""


class RequestWorded(Message, frozen=True, kw_only=True, gc=False):
    """How the results of one request are worded; those that are not named are shown as they are."""

    request_id: RequestId
    results: tuple[tuple[EventId, str], ...]
    """Result -> its text."""
    notes: tuple[tuple[TurnId, str], ...] = ()
    """Turn -> block that stands before its first message: the line `INJECTED_CONTEXT_<NAME>` and one line of JSON."""


WordingMessage = WordRequest
WordingReply = RequestWorded
