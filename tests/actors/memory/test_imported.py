"""Imported messages are found exactly as others, by people who may read them, and have their vectors later."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from actors.memory.store import MemoryPlan, Store
from actors.memory.upkeep.backlog import FRESH_ONLY_S
from actors.memory.upkeep.backlog import GIVES_WAY_S as BACKLOG_GIVES_WAY_S
from actors.memory.upkeep.giving_way import GIVES_WAY_S, LOOKS_S
from domain.log.window import snowflake_time
from domain.memory.remembered import Remembered
from messages.base import EventId, MessageId, RequestId, TurnId, UserId, Window
from messages.embedder import TextRole
from messages.memory import IndexLog, LogIndexed, MemoriesFound, SearchMemory
from messages.past import KeepPast, PastKept, PastMessage
from messages.socket import Refused
from messages.turn import ExpandReference, ReferenceExpanded
from tests.actors.context.rig import CHANNEL, THREAD
from tests.actors.memory.rig import DIMENSIONS, MEMORY, PUBLIC, Brain, MemoryRig, block_of
from tests.actors.memory.test_faults import lock_index

FIRST = 900_000_000_000_000_000
NOW = datetime(2026, 11, 29, tzinfo=UTC)
OTHER = msgspec.structs.replace(THREAD, id="999888777666555444")
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


def tell_index(rig: MemoryRig, path: str, name: str) -> None:
    """Ask for a log to be indexed, without a wait for the answer."""
    request = IndexLog(request_id=RequestId(name), reply_to=rig.asker.address, window=CHANNEL, path=path)
    rig.system.tell(MEMORY, request)


def names_of_indexed(rig: MemoryRig) -> list[str]:
    """Names of the requests that were answered since the last call, in order."""
    return [each.request_id for each in rig.asker.drain() if isinstance(each, LogIndexed)]


@pytest.mark.req("X-271")
def test_logs_are_taken_in_one_behind_the_other_so_that_a_turn_waits_for_a_piece_only(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    long = keep(rig, *(f"old talk {number} " + "and so on " * 40 for number in range(200)))
    short = keep(rig, "the cat is called Zorro", first=FIRST + 1_000)
    tell_index(rig, long, "long")
    tell_index(rig, short, "short")
    rig.system.run()
    assert names_of_indexed(rig) == ["long", "short"]
    rig.stop()


@pytest.mark.req("X-271")
def test_a_log_waits_while_a_turn_is_in_hand_and_not_longer_than_a_moment(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    path = keep(rig, "the cat is called Zorro")
    request = rig.say("hello")
    tell_index(rig, path, "first")
    rig.advance(GIVES_WAY_S / 2)
    assert names_of_indexed(rig) == []
    rig.answer(request, "Hello.")
    rig.advance(LOOKS_S)
    assert names_of_indexed(rig) == ["first"]
    rig.say("and now think for an hour")
    tell_index(rig, path, "second")
    rig.advance(GIVES_WAY_S / 2)
    assert names_of_indexed(rig) == []
    rig.advance(GIVES_WAY_S)
    assert names_of_indexed(rig) == ["second"]
    rig.say("another matter", THREAD)
    tell_index(rig, path, "third")
    rig.system.run()
    rig.advance(GIVES_WAY_S * 0.8)
    rig.say("turn after turn", OTHER)
    assert names_of_indexed(rig) == []
    rig.advance(GIVES_WAY_S * 0.4)
    assert names_of_indexed(rig) == ["third"]
    rig.stop()


def count_documents(rig: MemoryRig) -> int:
    """Number of requests for vectors of what is kept."""
    return sum(each.role is TextRole.DOCUMENT for each in rig.brain.asked)


@pytest.mark.req("X-271")
def test_vectors_wait_while_a_turn_is_in_hand_and_not_longer_than_a_moment(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    index(rig, keep(rig, "the cat is called Zorro"))
    rig.advance(FRESH_ONLY_S - 0.01)
    request = rig.say("hello")
    rig.advance(0.05)
    assert count_documents(rig) == 0
    rig.answer(request, "Hello.")
    assert count_documents(rig) == 1
    index(rig, keep(rig, "the dog is called Rex", first=FIRST + 10))
    rig.advance(FRESH_ONLY_S - 0.01)
    before = count_documents(rig)
    rig.say("and now think for an hour")
    rig.advance(0.05)
    assert count_documents(rig) == before
    rig.advance(BACKLOG_GIVES_WAY_S)
    rig.advance(LOOKS_S)
    assert count_documents(rig) == before + 1
    rig.stop()


@pytest.mark.req("X-271")
def test_vectors_that_arrive_during_a_turn_are_kept_behind_it(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path, brain=Brain())
    rig.brain.mood = "silent"
    rig.exchange("the cat is called Zorro", "I see.")
    rig.advance(FRESH_ONLY_S)
    asked = [each for each in rig.brain.held if each.role is TextRole.DOCUMENT]
    rig.say("hello")
    rig.brain.mood = "well"
    waiting = rig.stats().pending
    for each in asked:
        rig.tell(each.reply_to, rig.brain.answer(each) or each)
    assert rig.stats().pending == waiting > 0
    rig.advance(BACKLOG_GIVES_WAY_S)
    rig.advance(LOOKS_S)
    assert rig.stats().pending < waiting
    rig.stop()


@pytest.mark.req("X-271")
def test_a_log_that_is_refused_holds_up_no_other(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path, busy_ms=1)
    path = keep(rig, "the cat is called Zorro")
    with lock_index(tmp_path):
        tell_index(rig, path, "first")
        rig.system.run()
    assert [type(each) for each in rig.asker.drain()] == [Refused]
    tell_index(rig, path, "second")
    rig.system.run()
    assert names_of_indexed(rig) == ["second"]
    rig.stop()
