from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue, meta_dict
from domain.log.parser import parse
from domain.policy.forgetting.repeatable import first_repetition
from domain.turn.attachments import PastedText, compose_words
from domain.turn.forgetting.rewriting import forget_words
from domain.turn.forgetting.scope import QUOTATION, WindowEvents, list_forgettable
from messages.base import EventId
from messages.forget import Scope, ScopeKind
from messages.turn import Reference
from tests.domain.log.logs import START, WINDOW, log_of

ALICE, BOB = "910000000000000021", "910000000000000022"
MESSAGE = "1577324231262208000"
"""Sent nine days after the start."""
PATH = "logs/discord-thread/123456789012345678/20261122T140322Z_0001.md"


def user(id: str, who: str, text: str, message_id: str, **meta: Any) -> Event:
    name = "Alice" if who == ALICE else "Bob"
    fields = {"author": name, "author_id": who, "message_id": message_id, **meta}
    return event(id, START + timedelta(seconds=int(message_id) % 1_000), Kind.USER, text, fields)


def of_turn(id: str, kind: Kind, text: str, turn: str, **meta: Any) -> Event:
    return event(id, START, kind, text, {"turn": turn, **meta})


def delivery(id: str, of: str, message_id: str) -> Event:
    return event(id, START, Kind.DELIVERY, "", {"event": of, "message_ids": [message_id], "open": 0})


QUOTE = {"message_id": "1", "author": "Bob", "author_id": BOB, "text": "my dog is called Rex", "shown": False}
EVENTS = [
    user("q1", BOB, "my dog is called Rex", "1"),
    of_turn("c1", Kind.TOOL_CALL, "note Rex", "q1", call_id="1"),
    of_turn("r1", Kind.TOOL_RESULT, "Rex", "q1", call_id="1"),
    of_turn("a1", Kind.AGENT, "nice dog", "q1", final=True),
    delivery("d1", "a1", "11"),
    user("q2", ALICE, "whose dog?", "2", quote=QUOTE),
    of_turn("a2", Kind.AGENT, "that of Bob, of course", "q2", final=True),
    user("q3", ALICE, "he said: my dog is called Rex!", "3", overheard=True),
    user("q4", ALICE, "bobsleigh is fun", "4", overheard=True),
    user("q5", ALICE, "a nice answer", "5", quote={**QUOTE, "message_id": "11", "author": "agent", "author_id": ""}),
    user("q6", ALICE, "what is a dog?", "6"),
    user("q7", BOB, "and a cat?", "7"),
    event("s1", START, Kind.SYSTEM, "joins", {"turn": "q6", "what": "joined", "message": "q7"}),
    of_turn("a6", Kind.AGENT, "an animal", "q6", final=True),
    event("o1", START, Kind.SYSTEM, "owed words", {"what": "owed", "event": "x", "answers": "1"}),
    event("p1", START, Kind.PIN, "pinned words", {"action": "pin", "source": "1", "author_id": BOB}),
]


def ids_of(events: list[Event] | None = None, kind: ScopeKind = ScopeKind.MESSAGE, **fields: Any) -> list[str]:
    listed, _ = list_forgettable([(PATH, parse(log_of(events or EVENTS)))], Scope(kind=kind, window=WINDOW, **fields))
    return [each.event_id for each in listed]


@pytest.mark.req("X-246")
def test_a_message_goes_with_its_turn_its_quotations_its_pin_what_is_owed_and_its_repetitions() -> None:
    assert ids_of(message_id="1") == ["q1", "c1", "r1", "a1", "q2:quotation", "q3", "q5:quotation", "o1", "p1"]


def test_spoken_words_take_their_verbatim_repetitions_along() -> None:
    words = "the key is under the blue pot behind the shed"
    content = compose_words("", [PastedText("a.ogg", words, 9, "p", heard_by="m")], 100).text
    spoken = [
        user("v1", BOB, content, "1", typed=0, overheard=True),
        user("v2", ALICE, f"so {words}!", "2", overheard=True),
    ]
    assert ids_of(spoken, message_id="1") == ["v1", "v2"]


def test_a_message_of_the_agent_goes_with_all_answers_of_its_turn_and_its_question_stays() -> None:
    assert ids_of(message_id="11") == ["c1", "r1", "a1", "q5:quotation"]


def test_a_topic_that_is_found_in_an_answer_takes_the_question_along() -> None:
    parsed = parse(log_of(EVENTS))
    line = next(each.line for each in parsed.events if each.event.id == "a6")
    assert ids_of(kind=ScopeKind.TOPIC, places=(Reference(path=PATH, line=line),)) == ["q6", "a6"]


def test_with_a_message_that_joined_a_turn_goes_what_was_answered_to_both() -> None:
    assert ids_of(message_id="7") == ["q7", "a6"]


def test_a_person_goes_with_all_that_names_or_quotes_the_person_as_a_word() -> None:
    ids = ids_of(kind=ScopeKind.PERSON, person_id=BOB)

    assert "q4" not in ids
    assert {"q1", "a1", "q2:quotation", "a2", "q7", "p1"} <= set(ids)
    assert "q2" not in ids


def test_a_person_goes_with_what_names_the_person_as_the_account_was_called_before() -> None:
    ids = ids_of(kind=ScopeKind.PERSON, person_id=BOB, person_name="Robert")

    assert "a2" in ids


@pytest.mark.parametrize(
    ("kind", "fields", "ids"),
    [
        (ScopeKind.TOPIC, {"places": (Reference(path=PATH, line=5),)}, "q1"),
        (ScopeKind.REPEATED, {"texts": ("my dog is called Rex", "nice")}, "q3"),
        (ScopeKind.EXPIRED, {"before": START + timedelta(seconds=3)}, "a2"),
        (ScopeKind.WINDOW, {}, "q4"),
    ],
)
def test_the_other_kinds_of_scopes(kind: ScopeKind, fields: dict[str, Any], ids: str) -> None:
    assert ids in ids_of(kind=kind, **fields)


def test_short_texts_are_not_looked_for() -> None:
    assert ids_of(kind=ScopeKind.REPEATED, texts=("Rex", "nice dog")) == []


def test_only_ones_own_words_are_named_and_others_counted() -> None:
    scope = Scope(kind=ScopeKind.WINDOW, window=WINDOW, only_by=BOB)

    listed, withheld = list_forgettable([(PATH, parse(log_of(EVENTS)))], scope)

    assert [each.event_id for each in listed] == [
        "q1",
        "c1",
        "r1",
        "a1",
        "q2:quotation",
        "q5:quotation",
        "q7",
        "a6",
        "o1",
        "p1",
    ]
    assert withheld == 6


@pytest.mark.req("X-246")
def test_what_goes_with_a_forgotten_message_is_found_by_its_id_alone() -> None:
    quoting = EVENTS[5]
    data = forget_words(log_of(EVENTS[:5]), {EventId("q1"), EventId("a1")}, (), "f1")

    chosen = WindowEvents([("old", parse(data)), ("new", parse(log_of([quoting])))]).choose([EventId("q1")])

    assert (set(chosen.whole), set(chosen.quotations)) == ({"c1", "r1"}, {"q2"})
    assert chosen.message_ids == {"1", "11"}


def test_ids_that_no_log_has_name_nothing() -> None:
    events = WindowEvents([(PATH, parse(log_of(EVENTS)))])

    assert not events.choose([EventId("nosuch"), EventId("nosuch" + QUOTATION), EventId("q1" + QUOTATION)])


def test_events_without_words_are_never_named() -> None:
    assert {"d1", "s1"}.isdisjoint(ids_of(kind=ScopeKind.WINDOW))


def pin(id: str, target: str = "", action: str = "pin", **meta: Any) -> Event:
    return event(id, START, Kind.PIN, "" if target else "own words", {"action": action, "event": target, **meta})


@pytest.mark.req("X-253")
def test_what_is_pinned_does_not_expire_with_its_whole_turn_until_it_is_unpinned() -> None:
    events = [
        user("q1", BOB, "my dog is called Rex", "1"),
        of_turn("a1", Kind.AGENT, "nice dog", "q1", final=True),
        user("q2", ALICE, "my cat is called Tom", "2"),
        of_turn("a2", Kind.AGENT, "nice cat", "q2", final=True),
        user("q3", ALICE, "a remark", "3", overheard=True),
        pin("p1", "a1"),
        pin("p2", "q2"),
        pin("p3"),
    ]
    late = START + timedelta(days=1)
    assert ids_of(events, ScopeKind.EXPIRED, before=late) == ["q3"]
    unpinned = [*events, pin("u1", "q2", "unpin"), pin("u3", "p3", "unpin")]
    assert {"q2", "a2", "p2", "q3", "p3"} <= set(ids_of(unpinned, ScopeKind.EXPIRED, before=late))
    assert not {"q1", "a1", "p1"} & set(ids_of(unpinned, ScopeKind.EXPIRED, before=late))


@pytest.mark.req("X-253")
def test_what_a_clock_without_a_battery_dated_far_back_does_not_expire_before_its_question_and_its_messages() -> None:
    pinned = {"action": "pin", "source": MESSAGE, "author_id": BOB}
    wrongly_dated = [
        of_turn("a1", Kind.AGENT, "nice dog", "q1", final=True),
        event("p1", START, Kind.PIN, "pinned words", pinned),
        event("w1", START, Kind.SYSTEM, "walk", {"what": "posted", "by": "scheduler", "message_ids": [MESSAGE]}),
    ]
    events = [
        user("q0", ALICE, "old words", "1", overheard=True),
        *(
            replace(each, at=START + timedelta(days=9))
            for each in (user("q1", BOB, "my dog is called Rex", MESSAGE), pin("u1", "p1", "unpin"))
        ),
        *(replace(each, at=datetime(1970, 1, 1, tzinfo=UTC)) for each in wrongly_dated),
    ]
    assert ids_of(events, ScopeKind.EXPIRED, before=START + timedelta(days=1)) == ["q0"]
    assert {"q1", "a1", "p1", "w1"} <= set(ids_of(events, ScopeKind.EXPIRED, before=START + timedelta(days=10)))


def test_nothing_expires_where_no_time_is_set() -> None:
    assert ids_of(kind=ScopeKind.EXPIRED) == []


@pytest.mark.req("X-246")
def test_a_command_goes_whose_whole_output_repeats_the_words_though_its_end_in_the_log_does_not() -> None:
    def outputs(texts: Iterable[str]) -> list[str]:
        return ["q6-r1.log"] if "my dog is called Rex" in texts else []

    logs = [(PATH, parse(log_of(EVENTS)))]
    listed, _ = list_forgettable(logs, Scope(kind=ScopeKind.MESSAGE, window=WINDOW, message_id="1"), outputs)
    other, _ = list_forgettable(logs, Scope(kind=ScopeKind.MESSAGE, window=WINDOW, message_id="6"), outputs)
    repeated = Scope(kind=ScopeKind.REPEATED, window=WINDOW, texts=("my dog is called Rex",), only_by=BOB)
    of_others, _ = list_forgettable(logs, repeated, outputs)

    assert "a6" in [each.event_id for each in listed]
    assert "q6" not in [each.event_id for each in listed]
    assert "q1" not in [each.event_id for each in other]
    assert "a6" in [each.event_id for each in of_others]


@pytest.mark.req("X-247")
def test_a_quotation_of_another_persons_words_is_not_ones_own() -> None:
    scope = Scope(kind=ScopeKind.MESSAGE, window=WINDOW, message_id="1", only_by=ALICE)

    listed, withheld = list_forgettable([(PATH, parse(log_of(EVENTS)))], scope)

    assert [each.event_id for each in listed] == []
    assert withheld == 3


@pytest.mark.req("X-246")
def test_a_text_that_the_runtime_posted_is_forgotten_by_its_message_with_its_quotations() -> None:
    posted: dict[str, MetaValue] = {"what": "posted", "by": "scheduler", "message_ids": ["31", "32"], "open": 0}
    quote = {**QUOTE, "message_id": "32", "author": "agent", "author_id": "", "text": "tea with Rex"}
    events = [
        event("p1", START, Kind.SYSTEM, "tea with Rex", posted),
        user("q1", ALICE, "what for?", "33", quote=quote),
    ]

    assert ids_of(events, message_id="31") == ["p1", "q1:quotation"]
    assert ids_of(events, message_id="32", only_by=ALICE) == []
    data = forget_words(log_of(events), {EventId("p1")}, (), "f1")
    (gone,) = parse(data).forgotten
    assert meta_dict(gone.meta_json)["message_ids"] == ["31", "32"]
    assert WindowEvents([(PATH, parse(data))]).choose([EventId("p1")]).quotations == {"q1"}


@pytest.mark.req("X-247")
def test_what_the_agent_said_before_ones_words_repeats_nothing_of_them() -> None:
    late = START + timedelta(days=2)
    events = [
        user("q1", ALICE, "what fails?", "1"),
        of_turn("r1", Kind.TOOL_RESULT, "Traceback (most recent call last)", "q1", call_id="1"),
        event("q2", late, Kind.USER, "Traceback (most recent call last)", {"author_id": BOB, "message_id": "2"}),
        user("q3", ALICE, "and now?", "3"),
        event("a3", late, Kind.AGENT, "Traceback (most recent call last)", {"turn": "q3", "final": True}),
        event("q4", late, Kind.USER, "and by a slow clock?", {"author_id": ALICE, "message_id": "4"}),
        event("a4", START, Kind.AGENT, "Traceback (most recent call last)", {"turn": "q4", "final": True}),
    ]

    assert ids_of(events, message_id="2", only_by=BOB) == ["q2", "a3", "a4"]
    assert ids_of(events, message_id="2") == ["r1", "q2", "a3", "a4"]
    texts = ("Traceback (most recent call last)",)
    since = first_repetition([late])
    assert ids_of(events, ScopeKind.REPEATED, texts=texts, since=since, only_by=BOB) == ["q2", "a3", "a4"]
    assert first_repetition([]) is None


@pytest.mark.req("X-247")
def test_a_name_alone_gives_nobody_a_right_to_answers_of_others() -> None:
    quote = {"author_id": "900", "author": "agent", "message_id": "90"}
    events = [
        user("q1", ALICE, "where is the tea?", "1"),
        of_turn("a1", Kind.AGENT, "the tea is on the shelf", "q1", final=True),
        user("q2", ALICE, "and who made it?", "2"),
        of_turn("a2", Kind.AGENT, f"<@{BOB}> did", "q2", final=True),
        user("q3", BOB, "did I?", "3"),
        of_turn("a3", Kind.AGENT, "you did", "q3", final=True),
        user("q4", ALICE, "this one", "4", quote={**quote, "text": "the tea is on the shelf"}),
        user("q5", ALICE, "that one", "5", quote={**quote, "text": f"<@{BOB}> did"}),
    ]

    def ids(**fields: Any) -> list[str]:
        return ids_of(events, ScopeKind.PERSON, person_id=BOB, person_name="the", **fields)

    assert ids(only_by=BOB) == ["a2", "q3", "a3", "q5:quotation"]
    assert {"a1", "q1", "q4:quotation"} <= set(ids())
