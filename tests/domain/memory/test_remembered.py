"""Which events become memories."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.event import Kind, event
from domain.log.metadata import MetaValue
from domain.memory.remembered import EMBEDDED_CHARS, Entry, PinChange, Remembered, TakenBack, entry_of_event
from messages.base import EventId, TurnId
from tests.domain.log.logs import START, hostile_text


def of(kind: Kind, text: str = "hello", **meta: MetaValue) -> Entry | None:
    one_event = event("e1", START, kind, text, meta)
    return entry_of_event(
        path="logs/x.md",
        line=7,
        event_id=one_event.id,
        kind=kind.value,
        at=START,
        text=text,
        meta_json=one_event.meta_json,
    )


def test_what_people_and_the_agent_say_is_remembered() -> None:
    user = of(Kind.USER, author="Alice")
    agent = of(Kind.AGENT, turn="e0")

    assert isinstance(user, Remembered)
    assert (user.role, user.author, user.turn_id) == ("user", "Alice", "e1")
    assert isinstance(agent, Remembered)
    assert (agent.role, agent.author, agent.turn_id) == ("agent", "agent", "e0")


def test_what_was_taken_back_is_told_with_its_place() -> None:
    taken_back = of(Kind.TOMBSTONE, "", event="e0", path="logs/y.md", line=3, message_id="4", why="deleted")

    assert isinstance(taken_back, TakenBack)
    assert (taken_back.source_path, taken_back.source_line) == ("logs/x.md", 7)
    assert (taken_back.tombstone.event_id, taken_back.tombstone.path, taken_back.tombstone.line) == (
        "e0",
        "logs/y.md",
        3,
    )
    assert of(Kind.TOMBSTONE, "", event="e0") is None


def test_nothing_else_is(subtests: pytest.Subtests) -> None:
    cases: list[Kind] = [Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.DELIVERY, Kind.SYSTEM]
    for kind in cases:
        with subtests.test(kind=kind):
            assert of(kind) is None


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_nor_is_a_blank_one(text: str) -> None:
    assert of(Kind.USER, text) is None
    assert of(Kind.PIN, text, action="pin") is None


def test_a_pin_of_another_event_changes_that_one() -> None:
    change = of(Kind.PIN, "", action="pin", event="e0", path="logs/y.md", line=3)

    assert change == PinChange(
        path="logs/y.md", line=3, is_pinned=True, at=START, source_path="logs/x.md", source_line=7
    )


def test_a_pin_of_its_own_words_is_a_memory() -> None:
    own = of(Kind.PIN, "words", action="pin", author="Bob")

    assert isinstance(own, Remembered)
    assert (own.is_pinned, own.is_own_pin, own.author) == (True, True, "Bob")


def test_a_pin_that_says_nothing_usable_changes_nothing(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, MetaValue]] = [
        {"action": "pin", "event": "e0"},
        {"action": "pin", "event": "e0", "path": "logs/y.md", "line": "3"},
        {"action": "dance", "event": "e0", "path": "logs/y.md", "line": 3},
        {"action": "dance"},
    ]
    for meta in cases:
        with subtests.test(meta=meta):
            assert of(Kind.PIN, "words", **meta) is None


@pytest.mark.req("X-17")
def test_the_embedded_text_says_who_and_is_bounded() -> None:
    long = of(Kind.USER, "x" * 20_000, author="Alice")

    assert isinstance(long, Remembered)
    assert long.embedded_text.startswith("Alice ")
    assert len(long.embedded_text) == EMBEDDED_CHARS


@given(hostile_text, hostile_text)
def test_equal_texts_have_equal_hashes_and_other_texts_others(first: str, second: str) -> None:
    def hash_of(text: str) -> bytes:
        one_event = Remembered(
            path="p",
            line=1,
            event_id=EventId("e"),
            turn_id=TurnId("e"),
            at=START,
            role="user",
            author="A",
            text=text,
        )
        return one_event.hash

    assert (hash_of(first) == hash_of(second)) == (first == second)


@given(st.integers(1, 400))
def test_the_day_is_part_of_what_is_embedded(days: int) -> None:
    one = of(Kind.USER, author="Alice")
    assert isinstance(one, Remembered)
    other = msgspec.structs.replace(one, at=START + timedelta(days=days))
    assert other.hash != one.hash
