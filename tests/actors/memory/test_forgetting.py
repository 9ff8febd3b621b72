"""Forgotten turns leave the index: no byte of their words or vectors is in a file, and all other turns stay."""

from __future__ import annotations

import struct
from pathlib import Path

import apsw
import pytest

from actors.context.forgetting import ASK_AGAIN
from actors.memory.index.database import PLACE
from actors.memory.upkeep.upkeep import COMPARING
from domain.log.parser import parse
from domain.memory.injection import Budget
from messages.base import EventId, RequestId, Surface, TurnId, UserId, Window
from messages.context import MemoryPinned, PinMemory
from messages.discord import PostMessage
from messages.forget import DerivedForgotten, EventsForgotten, ForgetDerived, ForgetEvents, ForgottenEvent
from messages.memory import (
    DescribeMemory,
    ExplainMemory,
    IndexLog,
    MemoriesFound,
    MemoryDescribed,
    MemoryExplained,
    RebuildMemory,
    ReconcileDue,
    SearchMemory,
)
from messages.socket import Refused
from messages.turn import ExpandReference, PrepareTurn, ReferenceExpanded
from tests.actors.context.rig import CHANNEL, of_type
from tests.actors.memory.rig import MEMORY, OPERATOR, MemoryRig, block_of, vector
from tests.actors.memory.test_imported import keep
from tests.actors.memory.test_memory_actor import THREAD

SECRET = "quagmire-zebra"
OTHER = "lighthouse"
OTHER_THREAD = Window(surface=Surface.DISCORD_THREAD, id="999888777666555444")


def forget_in_logs(rig: MemoryRig, secret: str, *, whole: bool = False) -> tuple[ForgottenEvent, ...]:
    """Have the window take out the turns that hold `secret`; the events, which hold no words."""
    found = [
        logged.event.id
        for path in (rig.root / "logs" / THREAD.address.key).glob("*.md")
        for logged in parse(path.read_bytes()).events
        if secret in logged.event.content
    ]
    ask = ForgetEvents(
        request_id=RequestId("w"),
        reply_to=rig.asker.address,
        window=THREAD,
        forget_id="f1",
        event_ids=tuple(found),
        by="operator",
        why="",
        whole_window=whole,
    )
    rig.tell(THREAD.address, ask)
    (told,) = rig.asker.drain()
    assert isinstance(told, EventsForgotten), told
    return told.events


def request(rig: MemoryRig, events: tuple[ForgottenEvent, ...]) -> ForgetDerived:
    return ForgetDerived(
        request_id=RequestId("f"), reply_to=rig.asker.address, forget_id="f1", window=THREAD, events=events
    )


def forget(rig: MemoryRig, secret: str = SECRET, *, whole: bool = False) -> DerivedForgotten:
    """Have what was made from the turns with `secret` taken out."""
    answer = rig.ask_plain(request(rig, forget_in_logs(rig, secret, whole=whole)))
    assert isinstance(answer, DerivedForgotten), answer
    return answer


def holding(root: Path, *needles: bytes) -> list[str]:
    """Files of the data root with one of `needles` in their bytes, the logs apart."""
    files = [path for path in root.rglob("*") if path.is_file() and path.relative_to(root).parts[0] != "logs"]
    return [path.name for path in files if any(needle in path.read_bytes() for needle in needles)]


def with_secret(root: Path, busy_ms: int = 2_000) -> MemoryRig:
    """A memory with a turn to be forgotten among others."""
    rig = MemoryRig(root, busy_ms=busy_ms)
    for number in range(30):
        rig.exchange(f"the {OTHER} number {number}", f"answer {number}", THREAD)
    rig.exchange(f"my word is {SECRET}", f"{SECRET}, noted.", THREAD)
    for number in range(30, 60):
        rig.exchange(f"the {OTHER} number {number}", f"answer {number}", THREAD)
    rig.advance(5)
    return rig


@pytest.mark.req("X-249")
def test_no_file_of_the_memory_holds_a_byte_of_a_forgotten_turn(tmp_path: Path) -> None:
    rig = with_secret(tmp_path)
    before = rig.stats()
    asked = next(text for each in rig.brain.asked for text in each.texts if f"my word is {SECRET}" in text)
    embedding = vector(asked)[:64]
    assert holding(tmp_path, b"quagmir")
    assert holding(tmp_path, embedding)

    answer = forget(rig)

    assert (answer.room, answer.count) == ("memory", 2)
    assert holding(tmp_path, b"quagmir", b"zebra", embedding) == []
    assert rig.stats().rows == before.rows - 2
    assert forget(rig).count == 0
    rig.stop()
    assert holding(tmp_path, b"quagmir", b"zebra", embedding) == []


def test_other_turns_are_found_as_before_and_a_rebuild_from_the_logs_gives_the_same(tmp_path: Path) -> None:
    rig = with_secret(tmp_path)
    forget(rig)

    def search(query: str) -> list[tuple[str, int, str]]:
        answer = rig.ask(SearchMemory, query=query, limit=200)
        assert isinstance(answer, MemoriesFound)
        return sorted((each.path, each.line, each.excerpt) for each in answer.memories)

    there = search(OTHER)
    assert len([each for each in there if OTHER in each[2]]) == 60
    assert not [each for each in search(SECRET) if "noted" in each[2]]
    rig.ask(RebuildMemory)
    assert search(OTHER) == there
    assert rig.stats().damaged_logs == 0
    assert holding(tmp_path, b"quagmir") == []
    rig.stop()


def test_a_turn_on_its_way_to_a_vector_and_an_explained_block_leave_no_copy(tmp_path: Path) -> None:
    rig = with_secret(tmp_path)
    rig.say("which word is my word?", CHANNEL)
    explained = rig.ask(ExplainMemory, window=CHANNEL)
    assert isinstance(explained, MemoryExplained)
    rig.brain.mood = "silent"
    rig.exchange(f"again {SECRET}", "hm", THREAD)

    forget(rig)

    assert isinstance(rig.ask(ExplainMemory, window=CHANNEL), Refused)
    rig.brain.mood = "well"
    late = [text for held in rig.brain.held for text in held.texts if SECRET in text]
    for held in rig.brain.held:
        answer = rig.brain.answer(held)
        assert answer is not None
        rig.tell(held.reply_to, answer)
    rig.exchange("something else", "ok", THREAD)
    assert late
    assert holding(tmp_path, b"quagmir", *(vector(text)[:64] for text in late)) == []
    rig.stop()


def test_codes_of_a_forgotten_turn_are_written_over(tmp_path: Path) -> None:
    rig = with_secret(tmp_path)
    store = rig.memory_store
    assert store is not None
    ((row, at),) = store.index.connection.execute(
        "SELECT id, timestamp FROM turns WHERE content LIKE '%quagmire%noted%'"
    )
    record = struct.pack("<qd", row, int(str(at)) / 1000)
    assert holding(tmp_path, record) == ["codes"]

    forget(rig)

    assert holding(tmp_path, record) == []
    rig.stop()


def test_a_later_turn_takes_the_number_of_a_forgotten_vector(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange(f"the {OTHER} by the sea", "yes", THREAD)
    rig.exchange(f"my word is {SECRET}", "noted", THREAD)
    rig.advance(5)
    for query in (SECRET, OTHER):
        rig.ask(SearchMemory, query=query)
    forget(rig)
    rig.exchange("a kiln is blue", "indeed", THREAD)
    rig.advance(5)

    answer = rig.ask(SearchMemory, query="which kiln is blue")

    assert isinstance(answer, MemoriesFound)
    assert answer.memories[0].excerpt == "a kiln is blue"
    assert not list((tmp_path / "memory").glob("*.unusable*"))
    rig.stop()


@pytest.mark.parametrize("text", ["", f"always {SECRET}"], ids=["of a message", "of words"])
def test_a_forgotten_pin_is_none_of_the_index_any_more(tmp_path: Path, text: str) -> None:
    rig = with_secret(tmp_path)
    rig.exchange(f"again {SECRET}", "ok", THREAD)
    pin = PinMemory(
        request_id=RequestId("p"),
        reply_to=rig.asker.address,
        window=THREAD,
        asked_by=UserId("1"),
        asked_by_name="Alice",
        text=text,
    )
    rig.tell(THREAD.address, pin)
    assert isinstance(rig.asker.drain()[0], MemoryPinned)
    assert rig.stats().pins == 1

    forget(rig, whole=not text)

    store = rig.memory_store
    assert store is not None
    assert (rig.stats().pins, list(store.index.connection.execute("SELECT * FROM pins"))) == (0, [])
    store.check()
    assert holding(tmp_path, b"quagmir") == []
    rig.stop()


def test_an_unusable_index_that_was_moved_aside_is_removed(tmp_path: Path) -> None:
    rig = with_secret(tmp_path)
    rig.stop()
    (tmp_path / f"{PLACE}.unusable-20260101T000000Z").write_bytes(SECRET.encode())
    (tmp_path / f"{PLACE}.unusable-20260101T000000Z-wal").write_bytes(SECRET.encode())
    rig = MemoryRig(tmp_path, clock=rig.clock)

    forget(rig)

    assert holding(tmp_path, SECRET.encode()) == []
    rig.stop()


@pytest.mark.req("X-249")
def test_a_request_waits_for_an_index_that_another_program_locks(tmp_path: Path) -> None:
    rig = with_secret(tmp_path, busy_ms=1)
    events = forget_in_logs(rig, SECRET)
    other = apsw.Connection(str(tmp_path / PLACE))
    list(other.execute("BEGIN"))
    list(other.execute("SELECT count(*) FROM turns"))

    rig.tell(MEMORY, request(rig, events))
    assert rig.asker.drain() == []
    other.close()
    rig.advance(10)

    (answer,) = rig.asker.drain()
    assert isinstance(answer, DerivedForgotten)
    assert holding(tmp_path, b"quagmir") == []
    rig.stop()


@pytest.mark.req("X-249")
def test_a_log_on_its_way_into_the_index_is_read_again_without_the_words(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    texts = [f"old talk {number} " + "and so on " * 40 for number in range(100)]
    path = keep(rig, *texts, f"my word is {SECRET}", window=THREAD)
    asked = PrepareTurn(
        request_id=RequestId("t"),
        reply_to=rig.asker.address,
        window=CHANNEL,
        turn_id=TurnId("t"),
        author_id="1",
        author_name="Alice",
        text="hello",
        visible=(),
    )
    index = IndexLog(request_id=RequestId("i"), reply_to=rig.asker.address, window=THREAD, path=path)
    for message in (index, asked):  # One piece is read, then the turn goes first for a moment.
        rig.system.tell(MEMORY, message)
    rig.system.run()
    rig.asker.drain()
    before = rig.stats().rows
    assert 0 < before < len(texts)

    forget(rig)
    rig.advance(1)

    rig.asker.drain()
    assert rig.stats().rows == len(texts)
    assert holding(tmp_path, b"quagmir") == []
    rig.stop()


@pytest.mark.req("X-249")
def test_forgotten_turns_are_found_no_more_while_the_index_is_compared_with_the_logs(tmp_path: Path) -> None:
    rig = with_secret(tmp_path)
    rows = rig.stats().rows
    events = forget_in_logs(rig, SECRET)
    describe = DescribeMemory(request_id=RequestId("d"), reply_to=rig.asker.address, window=OPERATOR)

    for message in (ReconcileDue(), request(rig, events), describe):
        rig.system.tell(MEMORY, message)
    rig.system.run()

    described, forgotten = sorted(rig.asker.drain(), key=lambda each: isinstance(each, DerivedForgotten))
    assert isinstance(described, MemoryDescribed)
    assert (described.state, described.rows) == (COMPARING, rows - 2)
    assert isinstance(forgotten, DerivedForgotten)
    assert forgotten.count == 2
    assert holding(tmp_path, b"quagmir") == []
    rig.stop()


@pytest.mark.req("X-245")
def test_a_turn_that_was_shown_the_words_ends_by_the_second_of_two_requests_too(tmp_path: Path) -> None:
    rig = with_secret(tmp_path)
    rig.exchange("the kiln in Delft burns at night", "indeed", OTHER_THREAD)
    rig.say("which word is my word?", CHANNEL)
    assert isinstance(rig.ask(ExplainMemory, window=CHANNEL), MemoryExplained)
    rig.surface.drain()
    unrelated = ForgottenEvent(window=OTHER_THREAD, path="logs/x.md", line=1, event_id=EventId("x"))
    rig.ask_plain(request(rig, (unrelated,)))

    forget(rig)

    assert ASK_AGAIN in [each.text for each in of_type(PostMessage, rig.surface.drain())]
    rig.stop()


@pytest.mark.req("X-245")
def test_a_turn_that_was_shown_the_words_around_another_record_ends_too(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path, budget=Budget(most=1))
    rig.exchange(f"the {OTHER} by the sea", "a fine one", THREAD)
    rig.exchange(f"my word is {SECRET}", "noted", THREAD)
    request_of = rig.say(f"where is the {OTHER}?", CHANNEL)
    (path,) = (each.relative_to(tmp_path).as_posix() for each in (tmp_path / "logs" / THREAD.address.key).glob("*.md"))
    line = next(each.line for each in parse((tmp_path / path).read_bytes()).events if OTHER in each.event.content)
    shown = rig.ask(ExpandReference, window=CHANNEL, path=path, line=line)
    assert isinstance(shown, ReferenceExpanded)
    assert SECRET in shown.text
    assert SECRET not in block_of(request_of)
    rig.surface.drain()

    forget(rig)

    assert ASK_AGAIN in [each.text for each in of_type(PostMessage, rig.surface.drain())]
    rig.stop()
