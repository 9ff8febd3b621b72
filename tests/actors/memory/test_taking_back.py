"""Words that were taken back, or that fewer may read than before, are in no answer of the memory's."""

from __future__ import annotations

from pathlib import Path

from actors.memory.checks import turns_in_logs
from actors.memory.store import MemoryPlan, Store
from domain.policy.known_readers import KnownReaders
from messages.base import MessageId
from messages.context import RetractMessages
from messages.memory import (
    DescribeMemory,
    ExplainMemory,
    FoundMemory,
    MemoriesFound,
    MemoryDescribed,
    MemoryExplained,
    RebuildMemory,
    SearchMemory,
)
from messages.socket import Refused
from messages.turn import ExpandReference
from tests.actors.context.rig import CHANNEL
from tests.actors.memory.readers import in_logs
from tests.actors.memory.rig import PUBLIC, MemoryRig, block_of
from tests.actors.memory.test_memory_actor import THREAD

CLOSED = PUBLIC.replace("910000000000000011:everyone", "5:channel")


def findings(rig: MemoryRig) -> list[FoundMemory]:
    """Memories of the cat that the operator finds."""
    answer = rig.ask(SearchMemory, query="cat called Zorro")
    assert isinstance(answer, MemoriesFound)
    return [memory for memory in answer.memories if "Zorro" in memory.excerpt]


def with_zorro(root: Path) -> tuple[MemoryRig, int]:
    """A memory, and the message in a thread that it remembers."""
    rig = MemoryRig(root)
    rig.exchange("My cat is called Zorro", "Zorro, a fine name.", THREAD)
    return rig, rig.message_id - 1


def delete(rig: MemoryRig, message_id: int) -> None:
    rig.tell(THREAD.address, RetractMessages(window=THREAD, message_ids=(MessageId(str(message_id)),)))


def test_doctor_counts_no_turn_that_was_taken_back(tmp_path: Path) -> None:
    rig, message_id = with_zorro(tmp_path)
    rig.exchange("hello", "ok", THREAD)
    delete(rig, message_id)

    assert turns_in_logs(tmp_path) == 2
    described = rig.ask(DescribeMemory)
    assert isinstance(described, MemoryDescribed)
    assert described.rows == 2
    rig.stop()


def visible_logs(rig: MemoryRig) -> bytes:
    return b"".join(path.read_bytes() for path in (rig.root / "views").rglob("*.md"))


def test_a_deleted_message_and_its_answer_are_recalled_no_more_nor_after_a_rebuild(tmp_path: Path) -> None:
    rig, message_id = with_zorro(tmp_path)
    rig.exchange("hello", "ok")
    assert b"Zorro" in visible_logs(rig)
    delete(rig, message_id)

    assert findings(rig) == []
    assert b"Zorro" not in visible_logs(rig)
    rig.ask(RebuildMemory)
    assert findings(rig) == []
    rig.stop()

    rig = MemoryRig(tmp_path, clock=rig.clock)
    rig.message_id += 100
    rig.say("hello")
    assert findings(rig) == []
    assert visible_logs(rig)
    assert b"Zorro" not in visible_logs(rig)
    rig.stop()


def test_a_message_that_is_deleted_while_it_is_answered_never_becomes_a_memory(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.say("My cat is called Zorro", THREAD)
    delete(rig, rig.message_id)

    assert findings(rig) == []
    rig.stop()


def test_a_log_whose_copy_is_missing_is_shown_to_nobody_until_its_window_has_made_it(tmp_path: Path) -> None:
    rig, message_id = with_zorro(tmp_path)
    rig.exchange("hello", "ok")
    delete(rig, message_id)
    rig.stop()
    for copy in (tmp_path / "redacted").rglob("*.md"):
        copy.unlink()
    readers = KnownReaders()
    readers.learn(in_logs(tmp_path))

    store = Store.open(MemoryPlan(tmp_path, "test", 64), rig.clock.now(), readers)
    store.open_view(CHANNEL)

    assert visible_logs(rig)
    assert b"Zorro" not in visible_logs(rig)
    assert len(store.unredacted_logs()) == 1
    store.close()
    MemoryRig(tmp_path, clock=rig.clock).stop()
    assert len(list((tmp_path / "redacted").rglob("*.md"))) == 1


def test_what_was_given_before_its_source_was_closed_is_not_explained_after(tmp_path: Path) -> None:
    rig, _ = with_zorro(tmp_path)
    assert "Zorro" in block_of(rig.say("What is my cat called?"))
    explained = rig.ask(ExplainMemory, window=CHANNEL)
    assert isinstance(explained, MemoryExplained)
    assert explained.injected

    rig.hear_readers(THREAD, CLOSED)

    explained = rig.ask(ExplainMemory, window=CHANNEL)
    assert isinstance(explained, MemoryExplained)
    assert (explained.injected, explained.rejected) == ((), ())
    rig.stop()


def test_what_is_closed_while_nobody_speaks_in_it_is_shown_no_more(tmp_path: Path) -> None:
    rig, _ = with_zorro(tmp_path)
    place = findings(rig)[0]
    rig.hear_readers(THREAD, CLOSED)

    assert block_of(rig.say("What is my cat called?")) == ""
    answer = rig.ask(SearchMemory, window=CHANNEL, query="cat")
    assert isinstance(answer, MemoriesFound)
    assert answer.memories == ()
    assert isinstance(rig.ask(ExpandReference, window=CHANNEL, path=place.path, line=place.line), Refused)
    rig.stop()


def test_the_log_around_a_memory_is_shown_without_what_was_taken_back(tmp_path: Path) -> None:
    rig, message_id = with_zorro(tmp_path)
    rig.exchange("My dog is called Rex", "Fine.", THREAD)
    delete(rig, message_id)
    answer = rig.ask(SearchMemory, query="dog Rex")
    assert isinstance(answer, MemoriesFound)
    place = next(memory for memory in answer.memories if "Rex" in memory.excerpt)

    around = str(rig.ask(ExpandReference, path=place.path, line=place.line))

    assert "Rex" in around
    assert "Zorro" not in around
    rig.stop()


def test_a_new_life_shows_nobody_anothers_words_before_it_is_known_who_reads_them(tmp_path: Path) -> None:
    rig, _ = with_zorro(tmp_path)
    rig.stop()
    rig = MemoryRig(tmp_path, clock=rig.clock, tells_readers=False)

    answer = rig.ask(SearchMemory, window=CHANNEL, query="cat")
    assert isinstance(answer, MemoriesFound)
    assert answer.memories == ()
    assert len(findings(rig)) == 2
    rig.stop()
