"""Protocol of a ContextActor, the owner of one window's log and history."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, MessageId, RequestId, TurnId, UserId, Value, Window, Word, make_ready
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused
from messages.forget import ForgetWindowRequest
from messages.model import DayUsage, ModelAnswer
from messages.past import KeepPast
from messages.shell import CommandReply
from messages.socket import Refused
from messages.turn import CompactionReady, ContributorReply, RequestWorded, WindowRequest


class FileKind(StrEnum):
    """Fate of a file attached to a message."""

    UNREAD = "unread"
    """An unread file; only its address is known."""
    TEXT = "text"
    IMAGE = "image"
    """An image for models."""
    DOCUMENT = "document"
    FILE = "file"
    """Any other file, or an unreadable file."""


class Attachment(Value, frozen=True, kw_only=True, gc=False):
    """A file attached to a message."""

    filename: str
    """Name given by the sender: any characters."""
    url: str
    size_bytes: int
    media_type: str = ""
    """As found in the file, else as declared; empty if undeclared."""
    kind: FileKind = FileKind.UNREAD
    path: str = ""
    """Path of the stored file, below the window's working directory; empty for an unstored file."""
    text_path: str = ""
    shown_chars: int = 0
    """Number of characters of the file in the message's text."""
    note: str = ""
    """Remark for a reader: why the file could not be read or is not shown."""
    title: str = ""
    """Title given by the sender; it may hold characters forbidden in Discord's file names."""
    description: str = ""
    """Description of the file for people who do not see it."""


class Quote(Value, frozen=True, kw_only=True, gc=False):
    """An earlier message, answered by a new message."""

    message_id: MessageId
    author_name: str
    text: str
    author_id: UserId = UserId("")
    """Account of the author; empty if unknown."""


class UserMessage(Message, frozen=True, kw_only=True, gc=False):
    """Log a person's message and answer it; the same `message_id` again changes nothing."""

    window: Window
    message_id: MessageId
    author_id: UserId
    author_name: str
    text: str
    """Typed text, then lines about other parts, then the contents of text files, each in a marked section."""
    sent_at: datetime
    reply_to: Address
    """The surface that shows the answer: gets `ShowTyping` and `PostMessage`."""
    reply_to_message_id: MessageId = MessageId("")
    """Message answered by this message; empty for none."""
    attachments: tuple[Attachment, ...] = ()
    typed_chars: int | None = None
    """Number of characters at the beginning of `text` typed by the person; None for all. The rest is the runtime's."""
    told_chars: int = 0
    """Number of characters behind the typed ones about other parts: forwarded messages, polls, stickers."""
    audience: str = ""
    """Current readers of the window, as a label of `domain.policy.audience`; empty when unknown."""
    tables: tuple[str, ...] = ()
    """Ids of the settings' channel tables in force at the place of the answer, the nearest first."""
    may_run: bool = True
    """True if the model may run commands to answer the message."""
    is_off_record: bool = False
    """True if memory is off at the message's place: no log gets the words of the message or the answer."""
    wants_answer: bool = True
    """True if the message is to be answered; otherwise the message is only logged for later turns."""
    refusal: str = ""
    """Reason for the missing answer, for the person; empty to post no reason."""
    quote: Quote | None = None
    """Quotation of the answered message, if given by Discord."""


class RetractMessages(Message, frozen=True, kw_only=True, gc=False):
    """Recall messages no more, with all results of messages that opened a turn; unknown ids change nothing."""

    window: Window
    message_ids: tuple[MessageId, ...]


class ReviseMessage(Message, frozen=True, kw_only=True, gc=False):
    """Note the text and the number of files of an edited message: recall the old words no more, and these instead."""

    window: Window
    message_id: MessageId
    text: str
    files: int
    told: str = ""
    """Lines about the message's other parts after the edit."""
    whole: str = ""
    """Whole text after the edit, as in quotations and pins; empty for `text` alone."""
    wants_answer: bool = False
    """True if the message is addressed to the bot now: a message overheard before is then answered."""
    is_off_record: bool = False
    """True if memory is off there now: the old words are recalled no more, and no log gets the new ones."""


MOST_KEPT = 1_000
"""Most messages of one window compared with Discord's at once."""


class TellKeptMessages(Message, frozen=True, kw_only=True, gc=False):
    """List the messages whose words are in the window's logs; answered by `KeptMessagesTold` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class KeptMessage(Value, frozen=True, kw_only=True, gc=False):
    """A message of Discord with its words in a log."""

    message_id: Word
    words: Annotated[str, Meta(max_length=16)] = ""
    """Digest of the typed text, made by `domain.log.kept`; empty without a person's own words."""
    files: Annotated[int, Meta(ge=0, le=10**6)] = 0
    logged_at_ms: Annotated[int, Meta(ge=0, le=10**15)] = 0
    """Time of logging, in milliseconds since 1970."""


class KeptMessagesTold(Message, frozen=True, kw_only=True, gc=False):
    """Messages with words in the window's logs."""

    request_id: RequestId
    messages: Annotated[tuple[KeptMessage, ...], Meta(max_length=MOST_KEPT)]
    """The newest message first."""
    unfinished_turns: tuple[TurnId, ...] = ()
    """Turns that may still bring a text, or whose text may be unshown yet."""


class RestoreRedactions(Message, frozen=True, kw_only=True, gc=False):
    """Make sure of a redacted copy of every log of the window with withdrawn words."""

    window: Window


class StartNewWindow(Message, frozen=True, kw_only=True, gc=False):
    """Close this window and open the next: empty history, a new log; answered by `NewWindowStarted` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    asked_by: UserId


class NewWindowStarted(Message, frozen=True, kw_only=True, gc=False):
    """The new window's log exists."""

    request_id: RequestId
    path: str


class ResumeWindow(Message, frozen=True, kw_only=True, gc=False):
    """Open the log and finish work cut short by a crash; a finished window does nothing."""

    window: Window
    reply_to: Address


class StopTurn(Message, frozen=True, kw_only=True, gc=False):
    """Stop the running turn and leave waiting messages unanswered; answered by `TurnStopped` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    asked_by: str
    turn_id: str = ""
    """Only if this turn runs; empty for any turn."""


class TurnStopped(Message, frozen=True, kw_only=True, gc=False):
    """The turn runs no more; its command is dead or dying."""

    request_id: RequestId
    turn_id: str


class ChooseModel(Message, frozen=True, kw_only=True, gc=False):
    """Have another model answer in this window; answered by `ModelChosen` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    asked_by: UserId
    model: str = ""
    """A model allowed by the operator; empty for no change."""


class ModelChosen(Message, frozen=True, kw_only=True, gc=False):
    """Choice of the model that answers in the window."""

    request_id: RequestId
    model: str
    choices: tuple[str, ...]
    """All models allowed by the operator, the usual one first."""
    is_new: bool = False
    """True if the command named a model."""


class TellUsage(Message, frozen=True, kw_only=True, gc=False):
    """Give the usage of this window's conversation; answered by `UsageTold`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class UsageTold(Message, frozen=True, kw_only=True, gc=False):
    """Usage of the window's conversation as reported by providers; LedgerActor adds the day's (UTC), of all calls."""

    request_id: RequestId
    model: str
    turns: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    today: DayUsage | None = None
    cached_tokens: int = 0
    """Number of read tokens from providers' caches."""


class CheckAddress(Message, frozen=True, kw_only=True, gc=False):
    """Say whether a web address stood in a person's message of this window; answered by `AddressChecked`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    url: str


class AddressChecked(Message, frozen=True, kw_only=True, gc=False):
    """Finding about a web address."""

    request_id: RequestId
    is_written: bool
    """True if a person wrote the address since the window's present log began."""


class RuntimePosted(Message, frozen=True, kw_only=True, gc=False):
    """Posting of the kind `by` outside any turn: late if perhaps logged before, off the record where memory was off."""

    window: Window
    by: str
    text: str
    message_ids: tuple[MessageId, ...]
    file: str = ""
    is_late: bool = False
    is_off_record: bool = False
    answers_message_id: MessageId = MessageId("")
    """Message on whose account the text was posted; the words of a forgotten message are not logged again."""


class PinMemory(Message, frozen=True, kw_only=True, gc=False):
    """Keep a text in mind for ever; answered by `MemoryPinned`, `PinUnknown` or `Refused`.

    The same request again changes nothing. `window` is the place of the text. With `message_id`: the message, or
    without a log of the message, `text` as its words. Without: `text` itself. With neither: the newest words.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    asked_by: UserId
    asked_by_name: str
    message_id: MessageId = MessageId("")
    text: str = ""
    author_id: UserId = UserId("")
    """Author of `text`; empty for the requester."""
    author_name: str = ""
    audience: str = ""
    """Current readers of the window, as a label of `domain.policy.audience`; empty when unknown."""


class UnpinMemory(Message, frozen=True, kw_only=True, gc=False):
    """Take back a pin of one's own; answered by `MemoryUnpinned` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    asked_by: UserId
    message_id: MessageId = MessageId("")
    """The pinned message; empty for the person's last pin in this window."""


class MemoryPinned(Message, frozen=True, kw_only=True, gc=False):
    """The pin is in the log."""

    request_id: RequestId
    path: str
    line: int
    text: str


class PinUnknown(Message, frozen=True, kw_only=True, gc=False):
    """No log of the window has the message that was to be pinned: the caller may ask again with the message's words."""

    request_id: RequestId
    message_id: MessageId


class MemoryUnpinned(Message, frozen=True, kw_only=True, gc=False):
    """The message is no pin any more."""

    request_id: RequestId
    path: str
    line: int
    text: str


class StatusDue(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the actor: the current work has lasted long enough to be shown."""

    turn_id: TurnId
    step: int


class TypingDue(Message, frozen=True, kw_only=True, gc=False):
    """Typing would end soon although the turn still runs (the actor's own timer)."""

    turn_id: TurnId


class LookDue(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the actor: search the logs again for words to withdraw."""


ContextCommand = (
    UserMessage
    | RetractMessages
    | ReviseMessage
    | TellKeptMessages
    | RestoreRedactions
    | StartNewWindow
    | ResumeWindow
    | StopTurn
    | ChooseModel
    | TellUsage
    | CheckAddress
    | RuntimePosted
    | PinMemory
    | UnpinMemory
)
ContextReply = (
    NewWindowStarted
    | MemoryPinned
    | PinUnknown
    | MemoryUnpinned
    | TurnStopped
    | ModelChosen
    | UsageTold
    | AddressChecked
    | KeptMessagesTold
)
ContextMessage = (
    ContextCommand
    | ContributorReply
    | StatusDue
    | TypingDue
    | LookDue
    | ModelAnswer
    | CommandReply
    | Delivered
    | DeliveryFailed
    | DeliveryRefused
    | RequestWorded
    | CompactionReady
    | WindowRequest
    | ForgetWindowRequest
    | KeepPast
    | Refused
)
make_ready(__name__)
