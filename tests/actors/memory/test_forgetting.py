"""Forgotten turns leave the index: no byte of their words or vectors is in a file, and all other turns stay."""

from __future__ import annotations

import struct
from pathlib import Path

import apsw
import pytest

from actors.memory.index.database import PLACE
from domain.log.parser import parse
from messages.base import RequestId, UserId
from messages.context import MemoryPinned, PinMemory
from messages.forget import DerivedForgotten, EventsForgotten, ForgetDerived, ForgetEvents, ForgottenEvent
from messages.memory import ExplainMemory, MemoriesFound, MemoryExplained, RebuildMemory, SearchMemory
from messages.socket import Refused
from tests.actors.context.rig import CHANNEL
from tests.actors.memory.rig import MEMORY, MemoryRig, vector
from tests.actors.memory.test_memory_actor import THREAD

SECRET = "quagmire-zebra"
OTHER = "lighthouse"


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
