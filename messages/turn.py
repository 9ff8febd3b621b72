"""Protocol of a turn, for whoever takes part: contribute before it, hear of it afterwards.

Owner: whoever is named a contributor or a subscriber; ContextActor asks and tells.
"""

from __future__ import annotations

from datetime import datetime

from messages.base import Address, EventId, LineNumber, LogPath, Message, RequestId, TurnId, Value, Window
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
    """Its metadata, as the log spells them."""


class Reference(Value, frozen=True, kw_only=True, gc=False):
    """A place in a log."""

    path: str
    """POSIX path below the data root, so it starts `logs/`."""
    line: int
    """1-based."""


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
    """Who reads the window, as a label of `domain.policy.audience`; empty when that is not known."""


class TurnContribution(Message, frozen=True, kw_only=True, gc=False):
    """One contributor's block for one turn; it is sent once and never stored."""

    request_id: RequestId
    contributor: str
    block: str
    """Two lines to stand immediately before the prompt, `INJECTED_CONTEXT_<NAME>` and JSON; empty for nothing.

    A block of another shape is left out: people's words in it could pass for a prompt."""
    instructions: str = ""
    """Text to stand at the end of the system prompt, where a block is explained to the model; the same in every turn
    unless its cause changed, for the sake of prompt caches. Empty for nothing."""
    references: tuple[Reference, ...] = ()
    """Places in logs that the block names: the model may ask this turn to see the records around them."""
    folders: tuple[SharedFolder, ...] = ()
    """Folders of the contributor's own that this turn's commands are to see."""


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
    """Who reads the window, as a label of `domain.policy.audience`; empty when that is not known."""


class EventsLogged(Message, frozen=True, kw_only=True, gc=False):
    """Events that belong to no turn, such as pins, are in the log."""

    window: Window
    events: tuple[LoggedEvent, ...]
    audience: str = ""


ContributorMessage = PrepareTurn | ExpandReference
ContributorReply = TurnContribution | ReferenceExpanded
SubscriberMessage = TurnEnded | EventsLogged
