"""Protocol of a turn, for its participants: contribute before the turn, word its results, receive its end.

Owner: ContextActor asks and tells contributors, subscribers, the part that words a window's results, and the part that
is asked before a cut of the history. Roles, pairs of calls and results, the order, the memory block and the prompts
stay ContextActor's: the wording part replaces texts only.
"""

from __future__ import annotations

from datetime import datetime

from messages.base import (
    Address,
    EventId,
    LineNumber,
    LogPath,
    Message,
    MessageId,
    RequestId,
    TurnId,
    UserId,
    Value,
    Window,
    make_ready,
)
from messages.model import Usage
from messages.shell import SharedFolder


class LoggedEvent(Value, frozen=True, kw_only=True, gc=False):
    """A pointer to one event of the log, with the event's words."""

    id: EventId
    kind: str
    """`user`, `agent`, `pin` …: `docs/formats.md` lists all kinds."""
    path: str
    """POSIX path below the data root, beginning with `logs/`."""
    line: int
    """1-based line of the event's heading."""
    at: datetime
    author: str
    text: str
    meta_json: str = "{}"
    """Metadata of the event, in the log's spelling."""


class Reference(Value, frozen=True, kw_only=True, gc=False):
    """A place in a log."""

    path: LogPath
    line: LineNumber


class PrepareTurn(Message, frozen=True, kw_only=True, gc=False):
    """Contribute text to this turn's request besides the history; of a late answer, only the instructions count."""

    request_id: RequestId
    reply_to: Address
    window: Window
    turn_id: TurnId
    author_id: str
    author_name: str
    text: str
    visible: tuple[EventId, ...]
    """Events that the request shows word for word anyway."""
    audience: str = ""
    """Readers of the window, as a label of `domain.policy.audience`; empty when unknown."""
    log: str = ""
    """POSIX path of the window's log below the data root; empty without a log. Another path is a new session."""
    may_run: bool = True
    """True if commands may be run in this turn."""
    tables: tuple[str, ...] = ()
    """Ids of the settings' channel tables in force for the turn, the nearest first."""


class SkillCommands(Value, frozen=True, kw_only=True, gc=False):
    """A skill in the instructions, and the commands of the skill."""

    name: str
    commands: tuple[str, ...] = ()
    """Literal examples, each on one line."""


class Store(Value, frozen=True, kw_only=True, gc=False):
    """A contributor's store for later use, as named in the system prompt."""

    holds: str
    """Content of the store, without a full stop."""
    name: str = ""
    """Name of the store, for a file name that says too little; required without a path."""
    path: str = ""
    """Absolute; empty if the instructions name the place."""
    keeper: str = "people"
    """Writer of the store: `agent`, `runtime` or `people`."""


class TurnContribution(Message, frozen=True, kw_only=True, gc=False):
    """One contributor's block for one turn, sent once and never stored."""

    request_id: RequestId
    contributor: str
    block: str
    """Two lines to stand immediately before the prompt, `INJECTED_CONTEXT_<NAME>` and JSON; empty for nothing.

    A block of another shape is left out: people's words inside could pass for a prompt."""
    instructions: str = ""
    """Text for the end of the system prompt; empty for no text.
    Equal in every turn unless its cause changed, for the sake of prompt caches."""
    without_commands: str | None = None
    """Text in place of `instructions` in turns without commands; None for the same text."""
    stores: tuple[Store, ...] = ()
    """Places in which the contributor, or the model by commands, keeps data for later."""
    references: tuple[Reference, ...] = ()
    """Places in logs that the block names: the model may ask this turn to see the records around them."""
    folders: tuple[SharedFolder, ...] = ()
    """Folders of the contributor, visible to this turn's commands."""
    skills: tuple[SkillCommands, ...] = ()
    """Skills in the instructions, so a model that calls a skill like a tool can be told the commands."""


class ExpandReference(Message, frozen=True, kw_only=True, gc=False):
    """Give the log around a place named by one's block; answered by `ReferenceExpanded` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    path: LogPath
    line: LineNumber


class ReferenceExpanded(Message, frozen=True, kw_only=True, gc=False):
    """Lines of a log, unchanged."""

    request_id: RequestId
    path: str
    line: int
    first_line: int
    last_line: int
    text: str


class TurnEnded(Message, frozen=True, kw_only=True, gc=False):
    """A turn is over and entirely in the log; told at least once, so receivers recognise known ids."""

    window: Window
    turn_id: TurnId
    outcome: str
    """`answered`, `failed` or `aborted`."""
    events: tuple[LoggedEvent, ...]
    """The person's words, then the answer, if any."""
    audience: str = ""
    """Readers of the window, as a label of `domain.policy.audience`; empty when unknown."""


class EventsLogged(Message, frozen=True, kw_only=True, gc=False):
    """Events without a turn, such as pins, are in the log; newest retractions come again at each opening of the log."""

    window: Window
    events: tuple[LoggedEvent, ...]
    audience: str = ""


class CallShown(Value, frozen=True, kw_only=True, gc=False):
    """One call of a tool with its result, as in the log."""

    event: EventId
    """Id of the result; names the call here, for providers repeat ids of calls."""
    call_id: str
    """The provider's."""
    command: str
    """Command that was run; empty for an unreadable call."""
    text: str
    """The result, as shown without this protocol."""
    outcome: str
    """Outcome as in the log: `exited`, `timeout`, `refused`, `not-run` …; empty without an outcome in the log."""
    exit_code: int | None
    asked_at: datetime
    ended_at: datetime
    full_output: str = ""
    """File with the whole output if the text is only the end of the output; otherwise empty."""


class TurnShown(Value, frozen=True, kw_only=True, gc=False):
    """One turn of a request, and its calls in order."""

    turn_id: TurnId
    calls: tuple[CallShown, ...] = ()


class WordRequest(Message, frozen=True, kw_only=True, gc=False):
    """Say how each result of this request is worded; answered by `RequestWorded` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    log: str
    """POSIX path of the window's log below the data root; empty without a log. Another path is a new session."""
    turn_id: TurnId
    """The turn in hand, the last of `turns`."""
    turns: tuple[TurnShown, ...]
    """All turns of the request, the oldest first."""
    audience: str = ""
    """Readers of the window, as a label of `domain.policy.audience`; empty when unknown."""
    withdrawals: int = 0
    """Number of withdrawals of words in this log; a change since the previous request means that turns left because of
    a withdrawal.
    """
    breaks_from: TurnId = TurnId("")
    """The oldest turn whose messages differ from the previous request's, whatever is worded: from this turn on no
    provider's cache has the conversation. Empty if all messages are the same."""


class RequestWorded(Message, frozen=True, kw_only=True, gc=False):
    """Wording of the results of one request; results without a wording are shown unchanged."""

    request_id: RequestId
    results: tuple[tuple[EventId, str], ...]
    """Result -> its text."""
    notes: tuple[tuple[TurnId, str], ...] = ()
    """Turn -> block before the turn's first message: the line `INJECTED_CONTEXT_<NAME>` and one line of JSON."""


class SpokenTurn(Value, frozen=True, kw_only=True, gc=False):
    """Words of one turn, without withdrawn words; the words of several people if some joined the turn."""

    turn_id: TurnId
    path: str
    """POSIX path of the log below the data root; empty without a log."""
    line: int
    """1-based line of the log at which the turn begins; 0 without a log."""
    at: datetime
    author: str
    text: str
    answer: str = ""
    """Last text of the agent; empty for no text."""
    results: tuple[str, ...] = ()
    """Of each command's output the end."""


class PrepareCompaction(Message, frozen=True, kw_only=True, gc=False):
    """Give the head of the history after a cut; answered by `CompactionReady` or `Refused`.

    Asked before turns are cut off, at the first turn of a life, and after words were withdrawn.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    log: str
    """POSIX path of the window's log below the data root; empty without a log."""
    kept_from: TurnId
    """The first turn after the last cut; empty without an earlier cut."""
    first_kept: TurnId = TurnId("")
    """The first turn after this cut; empty for no cut."""
    spoken: tuple[SpokenTurn, ...] = ()
    """Turns to be cut off, oldest first."""
    words: str = ""
    """Points to keep in mind, as given by the requester of the cut; empty for none."""
    audience: str = ""
    """Readers of the window, as a label of `domain.policy.audience`; empty when unknown."""
    may_run: bool = True
    """True if commands may be run now."""


class CompactionReady(Message, frozen=True, kw_only=True, gc=False):
    """Text at the head of the history, the same until the next cut; and the permission to cut."""

    request_id: RequestId
    handover: str = ""
    """Block for the head: the line `INJECTED_CONTEXT_<NAME>` and one line of JSON; empty for no block."""
    cut: bool = True
    """True if the turns may be cut; else they are left out of this request only, and the question is asked again."""
    trouble: str = ""
    """Reason of a refusal, or unwritten work, for a person; empty if all is well."""


class WindowBegun(Message, frozen=True, kw_only=True, gc=False):
    """A window goes on in a new log, with an empty history."""

    window: Window
    log: str
    previous_log: str
    """Empty without an earlier log."""
    audience: str = ""


class CompactWindow(Message, frozen=True, kw_only=True, gc=False):
    """Cut a window's history now, as far as permitted; answered by `WindowCompacted` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    asked_by: UserId
    words: str = ""
    """Points to keep in mind; empty for no points."""


class WindowCompacted(Message, frozen=True, kw_only=True, gc=False):
    """The history is cut."""

    request_id: RequestId
    cut_turns: int
    kept_turns: int
    head: tuple[str, ...] = ()
    """Names of the handover's parts before the kept turns; empty without a handover."""
    trouble: str = ""
    """Work that follows the cut, for a person; empty for no work."""


class TellSpoken(Message, frozen=True, kw_only=True, gc=False):
    """Give the words of a stretch of one's log; answered by `SpokenTold` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    log: str
    """A log of the window; another window's log is refused."""
    first: TurnId = TurnId("")
    """Empty for the log's first."""
    last: TurnId = TurnId("")
    """Last turn wanted; empty for the window's newest ended turn."""


class SpokenTold(Message, frozen=True, kw_only=True, gc=False):
    """Words of a stretch, the oldest first; empty for a stretch of another log."""

    request_id: RequestId
    turns: tuple[SpokenTurn, ...]


class TellAsker(Message, frozen=True, kw_only=True, gc=False):
    """Name the person whose question a window is working on; answered by `AskerTold`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class AskerTold(Message, frozen=True, kw_only=True, gc=False):
    """The turn in hand and the person who opened the turn; all fields are empty if no turn runs."""

    request_id: RequestId
    turn_id: TurnId = TurnId("")
    asked_by: UserId = UserId("")
    message_id: MessageId = MessageId("")
    """Message answered by the turn."""
    tables: tuple[str, ...] = ()
    """Ids of the settings' channel tables in force for the turn, the nearest first."""


class CountUsage(Message, frozen=True, kw_only=True, gc=False):
    """Count usage on a window's behalf outside of turns, together with the window's next event."""

    window: Window
    usage: Usage


ContributorMessage = PrepareTurn | ExpandReference
ContributorReply = TurnContribution | ReferenceExpanded
SubscriberMessage = TurnEnded | EventsLogged
WordingMessage = WordRequest
WordingReply = RequestWorded
CompactionMessage = PrepareCompaction | WindowBegun
CompactionReply = CompactionReady | SpokenTold | WindowCompacted
AskerReply = AskerTold
WindowRequest = CompactWindow | TellSpoken | CountUsage | TellAsker
"""Requests that a part may send to a window."""
make_ready(__name__)
