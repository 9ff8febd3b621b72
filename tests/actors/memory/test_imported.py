"""Imported messages are found exactly as others, by people who may read them, and have their vectors later."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.memory.store import MemoryPlan, Store
from domain.log.window import snowflake_time
from domain.memory.remembered import Remembered
from messages.base import EventId, MessageId, RequestId, TurnId, UserId, Window
from messages.memory import IndexLog, LogIndexed, MemoriesFound, SearchMemory
from messages.past import KeepPast, PastKept, PastMessage
from messages.turn import ExpandReference, ReferenceExpanded
from tests.actors.context.rig import CHANNEL, THREAD
from tests.actors.memory.rig import DIMENSIONS, PUBLIC, MemoryRig, block_of

FIRST = 900_000_000_000_000_000
NOW = datetime(2026, 11, 29, tzinfo=UTC)
CLOSED = PUBLIC.replace("910000000000000011:everyone", "5:channel")


def keep(rig: MemoryRig, *texts: str, window: Window = CHANNEL, first: int = FIRST) -> str:
    """Have a window keep messages of the past; the path of their log."""
    messages = tuple(
        PastMessage(
            message_id=MessageId(str(number)),
            author_id=UserId("7"),
            author_name="Alice",
            text=text,
            typed_chars=len(text),
            sent_at=snowflake_time(number),
        )
        for number, text in enumerate(texts, first)
    )
    request = KeepPast(
        request_id=RequestId("k"), reply_to=rig.asker.address, window=window, messages=messages, audience=PUBLIC
    )
    rig.tell(window.address, request)
    (reply,) = rig.asker.drain()
    assert isinstance(reply, PastKept)
    return reply.path


def index(rig: MemoryRig, path: str, window: Window = CHANNEL) -> int:
    reply = rig.ask(IndexLog, window, path=path)
    assert isinstance(reply, LogIndexed)
    return reply.added


@pytest.mark.req("X-254")
def test_the_past_is_found_with_its_place_and_shown_around_it(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.hear_readers(CHANNEL, PUBLIC)
    path = keep(rig, "the cat is called Zorro", "it is black")
    assert index(rig, path) == 2
    assert index(rig, path) == 0
    found = rig.ask(SearchMemory, query="the cat called Zorro")
    assert isinstance(found, MemoriesFound)
    best = found.memories[0]
    assert (best.path, best.excerpt) == (path, "the cat is called Zorro")
    block = block_of(rig.say("what is the cat called?", THREAD))
    assert "Zorro" in str(block)
    shown = rig.ask(ExpandReference, THREAD, path=path, line=best.line)
    assert isinstance(shown, ReferenceExpanded)
    assert "it is black" in shown.text
    rig.stop()


@pytest.mark.req("X-254")
def test_nobody_is_shown_the_past_of_a_window_that_they_cannot_read(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    index(rig, keep(rig, "the cat is called Zorro", window=THREAD), THREAD)
    assert "Zorro" not in str(
        block_of(rig.exchange("what is the cat called?", "I see."))
    )  # nobody has said who reads it
    rig.hear_readers(THREAD, CLOSED)
    assert "Zorro" not in str(block_of(rig.exchange("what is the cat called, then?", "I see.")))
    rig.hear_readers(THREAD, PUBLIC)
    assert "Zorro" in str(block_of(rig.exchange("what is the cat called now?", "I see.")))
    rig.stop()


def test_vectors_of_the_past_come_behind_those_of_what_is_said_now(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    path = keep(rig, *(f"old talk {number}" for number in range(100)))
    rig.stop()
    (tmp_path / path).rename(tmp_path / "aside.md")
    store = Store.open(MemoryPlan(tmp_path, "test", DIMENSIONS), NOW)
    (tmp_path / "aside.md").rename(tmp_path / path)
    assert sum(store.index_log(path, NOW)) == 100
    new = Remembered(
        path=path.replace("imported-", "x"),
        line=5,
        event_id=EventId("e"),
        turn_id=TurnId("e"),
        at=NOW,
        role="user",
        author="Alice",
        text="the new words",
    )
    store.remember(CHANNEL, [new])
    (first, *others) = store.index.pending.due(NOW, 1_000)
    assert "the new words" in first.text
    assert len(others) == 100
    store.close()


def test_a_log_that_the_memory_was_not_told_of_is_found_at_the_next_start(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    keep(rig, "the cat is called Zorro")
    rig.stop()
    rig = MemoryRig(tmp_path)
    found = rig.ask(SearchMemory, query="the cat called Zorro")
    assert isinstance(found, MemoriesFound)
    assert [memory.excerpt for memory in found.memories] == ["the cat is called Zorro"]
    rig.stop()
