from __future__ import annotations

from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from domain.log.parser import parse
from domain.turn.conversation import Conversation
from domain.turn.forgetting.fold import FORGOTTEN, fold_log
from domain.turn.forgetting.rewriting import forget_words
from domain.turn.turn import TurnState
from messages.base import EventId, TurnId
from tests.domain.log.logs import START, log_of

EVENTS = [
    event("q1", START, Kind.USER, "secret one", {"author": "Bob", "message_id": "1"}),
    event("q2", START, Kind.USER, "question two", {"author": "Alice", "message_id": "2"}),
    event("s1", START, Kind.SYSTEM, "stopped by Bob", {"what": "stopped", "stops": ["q1"]}),
    event("x1", START, Kind.SYSTEM, "stopped by Bob", {"turn": "q1", "what": "aborted"}),
    event("a2", START, Kind.AGENT, "secret two", {"turn": "q2", "final": True}),
]


def fold(*gone: str, events: list[Event] = EVENTS) -> Conversation:
    data = forget_words(log_of(events), {EventId(each) for each in gone}, (), "f1")
    return fold_log(Conversation(1000), parse(data))


def test_without_forgotten_records_it_is_the_fold_of_the_events() -> None:
    whole, plain = fold(), Conversation(1000)
    for each in EVENTS:
        plain.add(each)

    assert [(turn.id, turn.state, turn.prompt) for turn in whole.turns] == [
        (turn.id, turn.state, turn.prompt) for turn in plain.turns
    ]


def test_a_forgotten_message_stays_seen_and_opens_no_turn() -> None:
    conversation = fold("q1", "x1")

    assert [turn.id for turn in conversation.turns] == ["q2"]
    assert "1" in conversation.seen


def test_a_forgotten_answer_stays_given_and_is_owed_no_more() -> None:
    conversation = fold("a2")

    turn = conversation.turn(TurnId("q2"))
    assert (turn.state, [step.text for step in turn.steps]) == (TurnState.ANSWERED, [FORGOTTEN])
    assert conversation.debts() == []


def test_a_forgotten_stop_stays_a_stop() -> None:
    stopped, ended = fold("s1", events=EVENTS[:3]), fold("s1", "x1")

    assert stopped.turn(TurnId("q1")).state is TurnState.ABORTED
    assert [turn.id for turn in stopped.stopped_turns()] == ["q1"]
    assert ended.stopped_turns() == []
    assert "Bob" not in ended.turn(TurnId("q1")).steps[-1].text


def test_a_message_whose_quotation_is_forgotten_is_told_as_it_is_now() -> None:
    quote: dict[str, MetaValue] = {"message_id": "9", "author": "Bob", "text": "secret", "shown": False}
    question = event("q3", START, Kind.USER, "what?", {"author": "Alice", "message_id": "3", "quote": quote})
    data = forget_words(log_of([question]), (), {EventId("q3")}, "f1")

    conversation = fold_log(Conversation(1000), parse(data))

    assert len(conversation.turns) == 1
    assert "secret" not in conversation.turns[0].prompt
