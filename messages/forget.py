"""Protocol of forgetting: ForgetActor takes words out of the logs and out of all data derived from the logs.

Owner: ForgetActor. A window lists and takes out events of its own logs; each part with `forgets` in the table takes out
its data derived from these events. Every command may come again with the same `forget_id`: the command is then carried
out again and counts the remaining work.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from messages.base import (
    Address,
    EventId,
    Message,
    MessageId,
    RequestId,
    TurnId,
    UserId,
    Value,
    Window,
    Word,
    make_ready,
)
from messages.memory import MemoriesFound
from messages.socket import Refused
from messages.status import DescribeYourself
from messages.turn import Reference

FORGET = Address("forget")
WINDOW_FILES = Address("window-files")
LEAST_REPEATED_CHARS = 12
"""Length of the shortest forgotten text whose verbatim repetitions are forgotten, too."""


class ScopeKind(StrEnum):
    """Kind of target of a forget request."""

    MESSAGE = "message"
    """One message, with all its revisions and quotations, and the turn opened by the message."""
    PERSON = "person"
    """Everything by a person in a window, and everything there that quotes or names the person."""
    TOPIC = "topic"
    """Results of a search; a window gets the `places` of its own logs."""
    WINDOW = "window"
    """All words of a window."""
    EXPIRED = "expired"
    """Everything in a window that is older than `before`."""
    REPEATED = "repeated"
    """Events that repeat one of `texts` verbatim; asked by ForgetActor about windows beside the target's."""


class Scope(Value, frozen=True, kw_only=True, gc=False):
    """Target of a forget request."""

    kind: ScopeKind
    window: Window
    """Window of the target; for a topic the window on whose behalf the memory is searched."""
    message_id: Word = ""
    """Of the message, for a message."""
    person_id: Word = ""
    """Account of the person, for a person."""
    person_name: Annotated[str, Meta(max_length=100)] = ""
    """Name of the person, for a person, beside the names in the account's own messages; empty for these alone.

    For a topic: the whole content of a list about this person, whatever the topic's words; empty for a search.
    """
    words: Annotated[str, Meta(max_length=1_000)] = ""
    """Words to search for, for a topic."""
    before: datetime | None = None
    """Time before which events are expired; None for the channel's setting."""
    only_by: Word = ""
    """Account whose own words alone may go, with their quotations and with the turns opened by the account; empty for
    everyone's.
    """
    places: Annotated[tuple[Reference, ...], Meta(max_length=100_000)] = ()
    """Places of the events, for a topic; filled by ForgetActor, or given to forget these records alone."""
    texts: Annotated[tuple[Annotated[str, Meta(max_length=10**7)], ...], Meta(max_length=10**6)] = ()
    """Forgotten texts, for repetitions; filled by ForgetActor."""
    since: datetime | None = None
    """Time before which a text of the agent is no repetition for the account `only_by`; None for no such time."""


class ForgettableEvent(Value, frozen=True, kw_only=True, gc=False):
    """Event in the scope of a request."""

    event_id: EventId
    path: str
    """POSIX path of the log below the data root."""
    line: int
    """1-based line of the event's heading."""
    at: datetime
    message_id: MessageId = MessageId("")
    """Discord's message; empty for none."""
    turn_id: TurnId = TurnId("")
    """Turn of the event; empty for none."""
    author_id: UserId = UserId("")
    """Account of the author; empty for the agent."""
    author_name: str = ""
    text: str = ""
    """Words of the event; they stay in memory and are never written."""
    typed: str = ""
    """Typed words at the beginning of the text; empty for a text of typed words only."""


class ForgottenEvent(Value, frozen=True, kw_only=True, gc=False):
    """One event whose words were taken out of a log; without any words."""

    window: Window
    path: str
    """POSIX path of the log below the data root."""
    line: int
    """1-based line of the event's heading; the same as before."""
    event_id: EventId
    message_id: MessageId = MessageId("")
    """Discord's message; empty for none."""
    turn_id: TurnId = TurnId("")
    """Turn of the event; empty for none."""
    files: tuple[str, ...] = ()
    """Paths of files attached to the event, below the window's attachments or working directory."""
    outputs: tuple[str, ...] = ()
    """Paths of kept outputs of the event's command."""


class WindowCount(Value, frozen=True, kw_only=True, gc=False):
    """Number of events in a window."""

    window: Window
    events: int


class RoomCount(Value, frozen=True, kw_only=True, gc=False):
    """Number of things taken out by a room."""

    room: str
    """Kind of the part; `logs` for the windows together."""
    count: int
    note: str = ""
    """Remark for a person, such as things beyond the room's reach; empty for none."""


class ForgetState(StrEnum):
    """Progress of a forget request."""

    RESOLVED = "resolved"
    """The events are in the journal, and no words are taken out yet."""
    LOGS_DONE = "logs-done"
    """The words are out of the logs; rooms are still at work."""
    DONE = "done"


class ForgetRecord(Value, frozen=True, kw_only=True, gc=False):
    """Record of a forget request in the journal; without any words."""

    forget_id: str
    kind: ScopeKind
    window: str
    """Key of the target's window, `<surface>/<id>`."""
    state: ForgetState
    by: str
    """Account of the asker; `operator`, or `retention` for the agent's own rule."""
    why: str
    asked_at: datetime
    done_at: datetime | None
    """Time of the end; None for an unfinished request."""
    rooms: tuple[RoomCount, ...]
    waiting_for: tuple[str, ...] = ()
    """Windows and rooms without an answer yet; they are asked again."""


# to ForgetActor


class PreviewForget(Message, frozen=True, kw_only=True, gc=False):
    """Count the events of a request, and keep them for a confirmation; answered by `ForgetPreviewed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    """Window of the request; the command line's window is the operator's."""
    scope: Scope
    asked_by: Annotated[UserId, Meta(max_length=64)] = UserId("")
    """Account of the asker; empty for the operator, and for the agent's own rules."""
    manages_messages: bool = False
    """True if the person may manage messages in the window of the scope."""


class ForgetPreviewed(Message, frozen=True, kw_only=True, gc=False):
    """Size of a forget request that waits for its confirmation."""

    request_id: RequestId
    preview_id: str
    """Id of the request for `CarryOutForget`; empty if nothing would be forgotten."""
    kind: ScopeKind
    events: int
    windows: tuple[WindowCount, ...]
    people: int
    """Number of accounts whose words would go."""
    excerpts: tuple[str, ...]
    """Some of the words, for the asker only."""
    repeated: int = 0
    """Number of the events that only repeat a text of others."""
    withheld: int = 0
    """Number of events in the scope with other people's words, which stay; not of repetitions in other windows."""
    is_partial: bool = False
    """True if a search reached its limit of results, so the topic may have more."""


class CarryOutForget(Message, frozen=True, kw_only=True, gc=False):
    """Forget; answered by `ForgetCarriedOut` or `Refused`.

    With a preview's id: the counted events. With a scope and no account: the whole scope, at once; for the
    agent's own rules.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    preview_id: Word = ""
    scope: Scope | None = None
    asked_by: Annotated[UserId, Meta(max_length=64)] = UserId("")
    """The account of the preview; empty for the operator, and for the agent's own rules."""
    manages_messages: bool = False
    """True if the person may manage messages in `window` still."""
    by: Word = "operator"
    """Name for the record where no account asks: `operator` or `retention`."""
    why: Annotated[str, Meta(max_length=200)] = ""
    """Reason, for the record; must hold no words to be forgotten."""


class ForgetCarriedOut(Message, frozen=True, kw_only=True, gc=False):
    """Result of a forget request, or of its first part where a window or a room has not answered yet."""

    request_id: RequestId
    forget_id: str
    events: int
    rooms: tuple[RoomCount, ...]
    elsewhere: tuple[str, ...]
    """Places beyond the agent's reach that still hold the words, for a person."""
    waiting_for: tuple[str, ...] = ()
    """Windows and rooms without an answer; they are asked until they answer. Empty if all is done."""


class ForgetExpired(Message, frozen=True, kw_only=True, gc=False):
    """Forget everything older than the settings allow; only for the operator.

    Answered by `ExpiredForgotten` or `Refused`.
    """

    request_id: RequestId
    reply_to: Address
    window: Window


class ExpiredForgotten(Message, frozen=True, kw_only=True, gc=False):
    """Result of a run over all windows."""

    request_id: RequestId
    windows: int
    """Number of windows with expired words."""
    events: int
    failed: tuple[str, ...] = ()
    """Keys of windows without an answer, or with an incomplete answer."""


class ListForgets(Message, frozen=True, kw_only=True, gc=False):
    """Give the records of forget requests; only for the operator. Answered by `ForgetsListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class ForgetsListed(Message, frozen=True, kw_only=True, gc=False):
    """Records of forget requests, the newest first."""

    request_id: RequestId
    forgets: tuple[ForgetRecord, ...]


# to one window


class ListForgettable(Message, frozen=True, kw_only=True, gc=False):
    """Give the events of all the window's logs in a scope; answered by `ForgettableListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    scope: Scope


class ForgettableListed(Message, frozen=True, kw_only=True, gc=False):
    """Events of a scope with words left, the oldest first."""

    request_id: RequestId
    events: tuple[ForgettableEvent, ...]
    withheld: int = 0
    """Number of events in the scope that `only_by` keeps."""


class ForgetEvents(Message, frozen=True, kw_only=True, gc=False):
    """Take events out of the window's logs, with all derived data; answered by `EventsForgotten` or `Refused`.

    Ids unknown to the logs change nothing. Events taken out before by this `forget_id` are reported again.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    forget_id: str
    event_ids: tuple[EventId, ...]
    """Ids from `ForgettableListed`."""
    by: str
    """Requester for the record: an account, `operator` or `retention`."""
    why: str
    whole_window: bool = False
    """True to take out every event, whatever the ids."""


class EventsForgotten(Message, frozen=True, kw_only=True, gc=False):
    """Every event that this `forget_id` has taken out of the window's logs."""

    request_id: RequestId
    forget_id: str
    window: Window
    events: tuple[ForgottenEvent, ...]
    texts: tuple[str, ...] = ()
    """People's words taken out just now; they stay in memory and are never written."""


class EndShown(Message, frozen=True, kw_only=True, gc=False):
    """End a turn in hand whose request shows forgotten words, perhaps in another window; not answered."""

    window: Window
    turn_id: TurnId


# to every part with `forgets`


class ForgetDerived(Message, frozen=True, kw_only=True, gc=False):
    """Take out data derived from these events; answered by `DerivedForgotten` or `Refused`, which is asked again."""

    request_id: RequestId
    reply_to: Address
    forget_id: str
    window: Window
    """Window of the events."""
    events: tuple[ForgottenEvent, ...]
    whole_window: bool = False
    """True if all data of the window goes, even without an event."""
    person_id: UserId = UserId("")
    """Person forgotten in the window; empty for another scope."""


class DerivedForgotten(Message, frozen=True, kw_only=True, gc=False):
    """A room no longer holds data derived from the events."""

    request_id: RequestId
    forget_id: str
    room: str
    """Kind of the answering part."""
    count: int
    """Number of things taken out."""
    note: str = ""
    """Remark for a person, such as things beyond the room's reach; empty for none."""


def answer_derived(request: ForgetDerived, room: str, count: int, note: str = "") -> DerivedForgotten:
    """Answer of a room that has taken out `count` things."""
    return DerivedForgotten(
        request_id=request.request_id, forget_id=request.forget_id, room=room, count=count, note=note
    )


ForgetCommand = PreviewForget | CarryOutForget | ForgetExpired | ListForgets
ForgetReply = ForgetPreviewed | ForgetCarriedOut | ExpiredForgotten | ForgetsListed
ForgetWindowRequest = ListForgettable | ForgetEvents | EndShown
"""Requests to one window."""
ForgetWindowReply = ForgettableListed | EventsForgotten
ForgetRoomRequest = ForgetDerived
"""Request to each part with `forgets`."""
ForgetRoomReply = DerivedForgotten
ForgetMessage = ForgetCommand | ForgetWindowReply | ForgetRoomReply | MemoriesFound | Refused | DescribeYourself
make_ready(__name__)
