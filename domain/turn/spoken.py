"""Spoken words of a log: the words of people and the agent, turn by turn, without withdrawn words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from domain.log.event import Event, Kind
from domain.turn.compaction import CUT
from domain.turn.conversation import Conversation, fold_events
from domain.turn.turn import TAKEN_BACK, Turn
from messages.base import TurnId
from messages.model import Role
from messages.turn import SpokenTurn

RESULT_CHARS = 2_000
"""Characters kept of the end of each command's output."""
_ENDLESS = 10**12
"""Tokens: a bound without effect."""


def all_turns(events: Iterable[Event]) -> Conversation:
    """The conversation of one log's events, with no turn forgotten."""
    return fold_events(Conversation(_ENDLESS), (event for event in events if not _is_cut(event)))


def spoken_turns(
    conversation: Conversation,
    path: str,
    lines: Mapping[TurnId, int],
    first: TurnId,
    last: TurnId,
) -> tuple[SpokenTurn, ...]:
    """Words of a stretch, without unfinished turns and turns to be taken back.

    Args:
        conversation: Conversation of one log.
        path: Path of the log below the data root.
        lines: Turn -> first line of the turn, also for removed turns; empty for a turn without a log.
        first: First turn of the stretch; empty for the log's first.
        last: Last turn of the stretch; empty for the log's last.

    Returns:
        No words if `first` or `last` names an unknown turn.
    """
    places = lines or {turn.id: place for place, turn in enumerate(conversation.turns, 1)}
    if any(name and name not in places for name in (first, last)):
        return ()
    start, end = places.get(first, 0), places.get(last) if last else None
    return tuple(
        _spoken_turn(turn, path, lines.get(turn.id, 0))
        for turn in conversation.readable
        if not turn.is_unfinished and places.get(turn.id, 0) >= start and (end is None or places[turn.id] <= end)
    )


def _spoken_turn(turn: Turn, path: str, line: int) -> SpokenTurn:
    texts = [turn.text, *_joined_words(turn)]
    answers = [step.text for step in turn.steps if step.role is Role.ASSISTANT and step.text.strip()]
    answer = answers[-1] if answers and answers[-1] != TAKEN_BACK else ""
    results = tuple(step.text[-RESULT_CHARS:] for step in turn.steps if step.role is Role.TOOL)
    return SpokenTurn(
        turn_id=turn.id,
        path=path,
        line=line,
        at=turn.at,
        author=turn.author,
        text="\n\n".join(texts),
        answer=answer,
        results=results,
    )


def _joined_words(turn: Turn) -> Iterator[str]:
    """Texts that joined the turn during its run, without the header of requests."""
    for step in turn.steps:
        if step.role is Role.USER and step.text != TAKEN_BACK:
            yield step.text.partition("\n")[2]


def _is_cut(event: Event) -> bool:
    return event.kind is Kind.SYSTEM and event.meta_dict().get("what") == CUT
