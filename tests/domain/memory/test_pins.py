"""Meaning of pin events."""

from __future__ import annotations

from domain.log.event import Event, Kind, event
from domain.memory.pins import UNPIN, PinBoard, Utterance, pin_meta
from messages.base import EventId
from tests.domain.log.logs import START, message_event

PATH = "logs/x.md"


def board(*events: Event) -> PinBoard:
    pins = PinBoard()
    for number, each in enumerate(events):
        pins.add(PATH, 10 * number + 1, each)
    return pins


def pin(number: int, target: int | None, by: str = "21", action: str = "pin", text: str = "") -> Event:
    said_there = None if target is None else Utterance(EventId(f"e{target}"), PATH, 10 * target + 1, "")
    return event(f"e{number}", START, Kind.PIN, text, pin_meta(f"r{number}", by, "Alice", said_there, action))


def test_a_message_is_found_by_its_id_whether_a_person_or_the_agent_wrote_it() -> None:
    delivery = event("e2", START, Kind.DELIVERY, "", {"event": "e1", "message_ids": ["8", "9"]})
    pins = board(message_event(0, "hello", message_id="7"), message_event(1, "hi", Kind.AGENT), delivery)

    for message_id, text in (("7", "hello"), ("8", "hi"), ("9", "hi")):
        pinned = pins.find(message_id)
        assert pinned is not None
        assert pinned.text == text
    assert pins.find("10") is None


def test_a_pin_holds_until_it_is_taken_back_and_can_be_made_again() -> None:
    first = [message_event(0), pin(1, 0)]
    assert list(board(*first).pins) == ["e0"]
    assert list(board(*first, pin(2, 0, action=UNPIN)).pins) == []
    assert list(board(*first, pin(2, 0, action=UNPIN), pin(3, 0)).pins) == ["e0"]


def test_a_pin_without_a_target_pins_its_own_words() -> None:
    pins = board(pin(0, None, text="words"))

    assert pins.pins[EventId("e0")].utterance == Utterance(EventId("e0"), PATH, 1, "words")


def test_the_last_pin_of_a_person_is_that_persons() -> None:
    pins = board(message_event(0), message_event(1), pin(2, 0), pin(3, 1, by="22"))

    mine = pins.last_of("21")
    assert mine is not None
    assert mine.utterance.event_id == "e0"
    assert pins.last_of("23") is None


def test_a_pin_of_what_is_not_there_means_nothing() -> None:
    assert board(pin(0, 5)).pins == {}


def test_the_last_that_was_said_is_no_blank_and_no_tool() -> None:
    pins = board(message_event(0, "hello"), message_event(1, " "), message_event(2, "ls", Kind.TOOL_CALL))

    assert pins.last_utterance is not None
    assert pins.last_utterance.text == "hello"
