"""Protocol of a turn, for its participants: contribute before the turn, word its results, receive its end.

Owner: contributors, subscribers, the part that words a window's results, and the part that is asked before the history
is cut; ContextActor asks and tells. Roles, pairs of calls and results, their order, the memory block and the prompts
stay ContextActor's: of what is worded only texts are replaced.
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
    """A pointer to one event of the log with what it says."""

    id: EventId
    kind: str
    """`user`, `agent`, `pin` …: `docs/formats.md` has them all."""
    path: str
    """POSIX path below the data root, so it starts `logs/`."""
    line: int
    """1-based line of the event's heading."""
    at: datetime
    author: str
    text: str
    meta_json: str = "{}"
    """Metadata of the event, as the log spells it."""


class Reference(Value, frozen=True, kw_only=True, gc=False):
    """A place in a log."""

    path: LogPath
    line: LineNumber


class PrepareTurn(Message, frozen=True, kw_only=True, gc=False):
    """Say what this turn's request should carry besides the history; of a late answer, only the instructions count."""

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
    """POSIX path of the window's log below the data root; empty where nothing is kept. Another one is a new session."""
    may_run: bool = True
    """True if commands may be run in this turn."""
    tables: tuple[str, ...] = ()
    """Ids of the settings' channel tables that hold for the turn, the nearest first."""


class SkillCommands(Value, frozen=True, kw_only=True, gc=False):
    """A skill that the instructions offer, and the commands by which it is used."""

    name: str
    commands: tuple[str, ...] = ()
    """Literal examples, each on one line."""


class Store(Value, frozen=True, kw_only=True, gc=False):
    """A place of a contributor's in which something is kept for later, as the system prompt names the place."""

    holds: str
    """Content that belongs there, without a full stop."""
    name: str = ""
    """Name of the store, where its file's says too little; required without a path."""
    path: str = ""
    """Absolute; empty if the instructions name the place."""
    keeper: str = "people"
    """Writer of the store: `agent`, `runtime` or `people`."""


class TurnContribution(Message, frozen=True, kw_only=True, gc=False):
    """One contributor's block for one turn; it is sent once and never stored."""

    request_id: RequestId
    contributor: str
    block: str
    """Two lines to stand immediately before the prompt, `INJECTED_CONTEXT_<NAME>` and JSON; empty for nothing.

    A block of another shape is left out: people's words in it could pass for a prompt."""
    instructions: str = ""
    """Text to stand at the end of the system prompt; the same in every turn unless its cause changed, for the sake of
    prompt caches. Empty for nothing."""
    without_commands: str | None = None
    """Text in place of `instructions` in turns without commands; None for the same text."""
    stores: tuple[Store, ...] = ()
    """Places in which the contributor, or the model by commands, keeps something for later."""
    references: tuple[Reference, ...] = ()
    """Places in logs that the block names: the model may ask this turn to see the records around them."""
    folders: tuple[SharedFolder, ...] = ()
    """Folders of the contributor's own that this turn's commands are to see."""
    skills: tuple[SkillCommands, ...] = ()
    """Skills that the instructions offer, so that a model that calls one like a tool can be told its commands."""


class ExpandReference(Message, frozen=True, kw_only=True, gc=False):
    """Give the log around a place that one's block named; answered by `ReferenceExpanded` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    path: LogPath
    line: LineNumber


class ReferenceExpanded(Message, frozen=True, kw_only=True, gc=False):
    """Lines of a log, as they stand in it."""

    request_id: RequestId
    path: str
    line: int
    first_line: int
    last_line: int
    text: str


class TurnEnded(Message, frozen=True, kw_only=True, gc=False):
    """A turn is over and everything about it is in the log; told at least once, so ids say what is known already."""

    window: Window
    turn_id: TurnId
    outcome: str
    """`answered`, `failed` or `aborted`."""
    events: tuple[LoggedEvent, ...]
    """The person's words, then the answer, where there is one."""
    audience: str = ""
    """Readers of the window, as a label of `domain.policy.audience`; empty when unknown."""


class EventsLogged(Message, frozen=True, kw_only=True, gc=False):
    """Events that belong to no turn, such as pins, are in the log."""

    window: Window
    events: tuple[LoggedEvent, ...]
    audience: str = ""


class CallShown(Value, frozen=True, kw_only=True, gc=False):
    """One call of a tool with its result, as the log has them."""

    event: EventId
    """Of the result; what names it here, for providers give ids of calls more than once."""
    call_id: str
    """The provider's."""
    command: str
    """Command that was run; empty for a call that could not be understood."""
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
    """Readers of the window, as a label of `domain.policy.audience`; empty when unknown."""
    withdrawals: int = 0
    """Number of withdrawals of words in this log; a number unlike the previous request's means that turns left for that
    reason.
    """
    breaks_from: TurnId = TurnId("")
    """The oldest turn whose messages are not those of the request before, whatever is worded: from there on no cache of
    a provider's has the conversation. Empty where all of it stands as it did."""


class RequestWorded(Message, frozen=True, kw_only=True, gc=False):
    """Wording of the results of one request; results that are not named are shown unchanged."""

    request_id: RequestId
    results: tuple[tuple[EventId, str], ...]
    """Result -> its text."""
    notes: tuple[tuple[TurnId, str], ...] = ()
    """Turn -> block that stands before its first message: the line `INJECTED_CONTEXT_<NAME>` and one line of JSON."""


class SpokenTurn(Value, frozen=True, kw_only=True, gc=False):
    """Words of one turn, without those that were taken back; several people's where some joined it."""

    turn_id: TurnId
    path: str
    """POSIX path of the log below the data root; empty where nothing is kept."""
    line: int
    """1-based line in it at which the turn begins; 0 where nothing is kept."""
    at: datetime
    author: str
    text: str
    answer: str = ""
    """Last text of the agent; empty for none."""
    results: tuple[str, ...] = ()
    """Of each command's output the end."""


class PrepareCompaction(Message, frozen=True, kw_only=True, gc=False):
    """Say what stands at the head of what is left of a history; answered by `CompactionReady` or `Refused`.

    Asked before turns are cut off, at the first turn of a life, and after words were taken back.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    log: str
    """POSIX path of the window's log below the data root; empty where nothing is kept."""
    kept_from: TurnId
    """The first turn that was left by the last cut; empty where there was none."""
    first_kept: TurnId = TurnId("")
    """The first turn that is to be left now; empty where nothing is to be cut."""
    spoken: tuple[SpokenTurn, ...] = ()
    """Turns to be cut off, oldest first."""
    words: str = ""
    """Points to be kept in mind, as given by the requester of the cut; empty for none."""
    audience: str = ""
    """Readers of the window, as a label of `domain.policy.audience`; empty when unknown."""
    may_run: bool = True
    """True if commands may be run now."""


class CompactionReady(Message, frozen=True, kw_only=True, gc=False):
    """Text at the head of the history, the same until the next cut; and the permission to cut."""

    request_id: RequestId
    handover: str = ""
    """Block for the head: the line `INJECTED_CONTEXT_<NAME>` and one line of JSON; empty for nothing."""
    cut: bool = True
    """True if the turns may be cut; else they are left out of this request only, and the question is asked again."""
    trouble: str = ""
    """Why not, or what is still to be written down, for a person; empty where all is well."""


class WindowBegun(Message, frozen=True, kw_only=True, gc=False):
    """A window goes on in a new log, with an empty history."""

    window: Window
    log: str
    previous_log: str
    """Empty for none."""
    audience: str = ""


class CompactWindow(Message, frozen=True, kw_only=True, gc=False):
    """Cut a window's history now, as far as it may be; answered by `WindowCompacted` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    asked_by: UserId
    words: str = ""
    """Points to be kept in mind; empty for none."""


class WindowCompacted(Message, frozen=True, kw_only=True, gc=False):
    """The history is cut."""

    request_id: RequestId
    cut_turns: int
    kept_turns: int
    head: tuple[str, ...] = ()
    """Names of the handover's parts before the kept turns; empty without a handover."""
    trouble: str = ""
    """Work that follows the cut, for a person; empty for none."""


class TellSpoken(Message, frozen=True, kw_only=True, gc=False):
    """Give the words of a stretch of one's log; answered by `SpokenTold` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    log: str
    """One of the window's; another's is refused."""
    first: TurnId = TurnId("")
    """Empty for the log's first."""
    last: TurnId = TurnId("")
    """Last turn wanted; empty for the window's newest turn that has ended."""


class SpokenTold(Message, frozen=True, kw_only=True, gc=False):
    """Words of a stretch, the oldest first; nothing where the stretch is not in that log."""

    request_id: RequestId
    turns: tuple[SpokenTurn, ...]


class TellAsker(Message, frozen=True, kw_only=True, gc=False):
    """Say whose question a window is working on; answered by `AskerTold`."""

    request_id: RequestId
    reply_to: Address
    window: Window


class AskerTold(Message, frozen=True, kw_only=True, gc=False):
    """The turn in hand and the person who opened it; all fields are empty if no turn runs."""

    request_id: RequestId
    turn_id: TurnId = TurnId("")
    asked_by: UserId = UserId("")
    message_id: MessageId = MessageId("")
    """Message that the turn answers."""
    tables: tuple[str, ...] = ()
    """Ids of the settings' channel tables that hold for the turn, the nearest first."""


class CountUsage(Message, frozen=True, kw_only=True, gc=False):
    """Count what was used on a window's behalf outside of its turns with what its next event tells."""

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
