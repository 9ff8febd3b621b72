"""Writes of `/remember` and `/unremember`, and their use by the memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from domain.log.event import Kind
from messages.base import Message, RequestId, UserId, Window
from messages.context import MemoryPinned, MemoryUnpinned, PinMemory, PinUnknown, StartNewWindow, UnpinMemory
from messages.memory import MemoriesFound, SearchMemory
from messages.model import ModelRequest
from messages.socket import Refused
from messages.turn import EventsLogged
from tests.actors.context.rig import CHANNEL, Rig, of_type
from tests.actors.memory.rig import PUBLIC, MemoryRig
from tests.actors.memory.test_memory_actor import THREAD, excerpts, memories


def pin(rig: Rig | MemoryRig, request: str = "r1", window: Window = CHANNEL, **fields: Any) -> Message:
    edge = rig.listener if isinstance(rig, Rig) else rig.asker
    made = PinMemory(
        request_id=RequestId(request),
        reply_to=edge.address,
        window=window,
        **{"asked_by": "21", "asked_by_name": "Alice", "audience": PUBLIC, **fields},
    )
    return answer_to(rig, made)


def unpin(rig: Rig | MemoryRig, request: str = "u1", **fields: Any) -> Message:
    edge = rig.listener if isinstance(rig, Rig) else rig.asker
    made = UnpinMemory(
        request_id=RequestId(request), reply_to=edge.address, window=CHANNEL, **{"asked_by": "21", **fields}
    )
    return answer_to(rig, made)


def answer_to(rig: Rig | MemoryRig, command: PinMemory | UnpinMemory) -> Message:
    edge = rig.listener if isinstance(rig, Rig) else rig.asker
    rig.system.tell(command.window.address, command)
    rig.system.run()
    (answer,) = [
        said for said in edge.drain() if isinstance(said, MemoryPinned | PinUnknown | MemoryUnpinned | Refused)
    ]
    return answer


@pytest.mark.req("S0-85", "X-22")
def test_words_are_pinned_as_an_event_and_the_model_hears_nothing(rig: Rig) -> None:
    answer = pin(rig, text="The door code is 4711")

    assert isinstance(answer, MemoryPinned)
    (event,) = rig.events()
    assert (event.kind, event.content) == (Kind.PIN, "The door code is 4711")
    assert event.meta_dict()["by"] == "21"
    assert event.meta_dict()["author"] == "Alice"
    assert rig.requests() == []
    lines = (rig.root / answer.path).read_text().split("\n")
    assert lines[answer.line - 1].endswith(f"pin {event.id}")


@pytest.mark.req("S0-85")
def test_a_message_is_pinned_where_it_stands(rig: Rig) -> None:
    rig.say("My cat is called Zorro", 7)
    rig.answer("Fine.")
    answer = pin(rig, message_id="7")

    assert isinstance(answer, MemoryPinned)
    assert answer.text == "My cat is called Zorro"
    event = rig.events()[-1]
    assert (event.kind, event.content, event.meta_dict()["line"]) == (Kind.PIN, "", answer.line)


def test_the_agents_own_message_can_be_pinned(rig: Rig) -> None:
    rig.say("What is the answer?", 7)
    rig.answer("It is 42.")
    shown = rig.deliver()

    answer = pin(rig, message_id="1000000000000000001")

    assert isinstance(answer, MemoryPinned)
    assert answer.text == shown.text == "It is 42."


def test_a_message_of_an_earlier_window_is_found(rig: Rig) -> None:
    rig.say("My cat is called Zorro", 7)
    rig.answer("Fine.")
    rig.advance(60)
    rig.tell(
        CHANNEL,
        StartNewWindow(
            request_id=RequestId("new"), reply_to=rig.listener.address, window=CHANNEL, asked_by=UserId("21")
        ),
    )

    answer = pin(rig, message_id="7")

    assert isinstance(answer, MemoryPinned)
    assert answer.path == rig.logs()[0].relative_to(rig.root).as_posix()


@pytest.mark.req("X-21")
def test_a_message_that_no_log_has_is_pinned_with_its_words_which_are_asked_for(rig: Rig) -> None:
    unknown = pin(rig, message_id="99")
    assert isinstance(unknown, PinUnknown)
    assert unknown.message_id == "99"
    assert rig.kinds() == []
    answer = pin(rig, "r2", message_id="99", text="Old words", author_name="Bob", author_id="22")

    assert isinstance(answer, MemoryPinned)
    assert rig.events()[-1].meta_dict()["author"] == "Bob"
    again = pin(rig, "r3", message_id="99", text="Old words", author_name="Bob", author_id="22")
    assert isinstance(again, MemoryPinned)
    assert (again.path, again.line) == (answer.path, answer.line)
    assert rig.kinds() == [Kind.PIN]


def test_without_anything_named_what_was_said_last_is_pinned(rig: Rig) -> None:
    assert isinstance(pin(rig), Refused)
    rig.say("first", 1)
    rig.answer("second")

    answer = pin(rig, "r2")

    assert isinstance(answer, MemoryPinned)
    assert answer.text == "second"


def test_the_same_request_again_writes_nothing_and_answers_the_same(rig: Rig) -> None:
    first = pin(rig, text="The door code is 4711")
    second = pin(rig, text="The door code is 4711")

    assert first == second
    assert rig.kinds() == [Kind.PIN]


def test_subscribers_hear_of_a_pin_with_its_metadata(rig: Rig) -> None:
    rig.system.tell(
        CHANNEL.address,
        PinMemory(
            request_id=RequestId("r"),
            reply_to=rig.surface.address,
            window=CHANNEL,
            asked_by=UserId("21"),
            asked_by_name="Alice",
            text="words",
            audience=PUBLIC,
        ),
    )
    rig.system.run()

    (news,) = of_type(EventsLogged, rig.listener.drain())
    assert news.audience == PUBLIC
    assert '"action":"pin"' in news.events[0].meta_json


@pytest.mark.req("X-20")
def test_only_ones_own_pins_can_be_taken_back(rig: Rig) -> None:
    pin(rig, text="mine")
    pin(rig, "r2", text="theirs", asked_by="22", asked_by_name="Bob")

    answer = unpin(rig)
    assert isinstance(answer, MemoryUnpinned)
    assert answer.text == "mine"
    assert isinstance(unpin(rig, "u2"), Refused)
    assert unpin(rig) == answer
    assert rig.kinds() == [Kind.PIN] * 3


@pytest.mark.req("X-20")
def test_a_pin_of_a_message_is_taken_back_by_naming_it(rig: Rig) -> None:
    rig.say("My cat is called Zorro", 7)
    rig.answer("Fine.")
    pin(rig, message_id="7")

    assert isinstance(unpin(rig, message_id="7", asked_by="22"), Refused)
    assert isinstance(unpin(rig, "u2", message_id="7"), MemoryUnpinned)
    assert isinstance(unpin(rig, "u3", message_id="7"), Refused)


@pytest.mark.req("S0-86")
def test_a_pin_is_injected_first_even_without_a_vector(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("My cat is called Zorro", "Fine.", THREAD)
    rig.hear_readers(CHANNEL, PUBLIC)
    rig.brain.mood = "failing"
    pin(rig, text="The door code is 4711")
    rig.brain.mood = "well"

    request = rig.say("What is my cat called?", THREAD)

    assert excerpts(request)[0] == "The door code is 4711"
    rig.stop()


def test_a_pin_is_injected_also_where_the_history_shows_what_is_pinned(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("The door code is 4711", "Noted.")
    pin(rig, message_id=str(rig.message_id - 1))

    assert excerpts(rig.say("What is my cat called?")) == ["The door code is 4711"]
    rig.stop()


def test_a_pin_that_is_taken_back_is_forgotten_also_by_a_new_index(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    pin(rig, text="The door code is 4711")
    assert rig.stats().pins == 1
    assert isinstance(unpin(rig), MemoryUnpinned)
    assert (rig.stats().pins, rig.stats().rows) == (0, 0)
    rig.stop()
    (tmp_path / "memory" / "index.sqlite").unlink()

    rig = MemoryRig(tmp_path, clock=rig.clock)
    found = rig.ask(SearchMemory, query="door code")
    assert isinstance(found, MemoriesFound)
    assert found.memories == ()
    rig.stop()


def test_a_pin_follows_its_source(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("The door code is 4711", "Noted.", THREAD, audience="1:910000000000000011:private")
    pin(rig, window=THREAD, audience="1:910000000000000011:private")

    request = rig.say("What is the door code?")

    assert memories(request) == []
    rig.stop()


def test_a_window_without_a_log_gets_one(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    assert isinstance(pin(rig, window=THREAD, text="words"), MemoryPinned)
    assert of_type(ModelRequest, rig.model.drain()) == []
    rig.stop()
