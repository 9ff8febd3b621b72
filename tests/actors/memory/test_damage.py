"""An index that is damaged under the memory's hands, and an embedder that is late: nothing is orphaned."""

from __future__ import annotations

import logging
from pathlib import Path

import apsw
import pytest

from messages.embedder import EmbedTexts, TextRole, TextsEmbedded
from messages.memory import DescribeMemory
from messages.socket import Refused
from tests.actors.context.rig import CHANNEL
from tests.actors.memory.rig import MEMORY, MemoryRig, vector
from tests.actors.memory.test_faults import asks, finds_zorro, index_of, is_well, later, with_zorro
from tests.actors.memory.test_memory_actor import THREAD, excerpts


def spoil(rig: MemoryRig, first_byte: int) -> None:
    """Write nonsense over the open index from `first_byte` on; nothing of it is left in the WAL or in a cache."""
    assert rig.memory_store is not None
    connection = rig.memory_store.index.connection
    list(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
    path = index_of(rig.root)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(first_byte)
        file.write(b"\xa5" * (size - first_byte))
    for pragma in ("cache_size = 0", "shrink_memory"):
        list(connection.execute(f"PRAGMA {pragma}"))


@pytest.mark.parametrize("first_byte", [0, 4096], ids=["all of it", "all but its first page"])
def test_an_index_that_is_spoilt_while_it_is_open_is_moved_aside_and_made_anew(
    tmp_path: Path, first_byte: int, caplog: pytest.LogCaptureFixture
) -> None:
    rig = with_zorro(tmp_path)
    spoil(rig, first_byte)

    with caplog.at_level(logging.WARNING):
        request = rig.exchange("The dog is called Rex", "Fine.")
        rig.advance(120)

    assert request.messages[-1].text.endswith("The dog is called Rex")
    is_well(rig, 4)
    assert finds_zorro(rig)
    assert len([record for record in caplog.records if "moved to" in record.getMessage()]) == 1
    assert len(list((tmp_path / "memory").glob("index.sqlite.unusable-*Z"))) == 1
    rig.stop()


def test_what_was_being_embedded_for_an_index_that_is_gone_is_asked_for_again_for_the_next_one(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    rig.brain.mood = "silent"
    asks(rig, "The dog is called Rex", CHANNEL)
    under_way = [request for request in rig.brain.held if request.role is TextRole.DOCUMENT]
    assert under_way
    spoil(rig, 0)
    assert isinstance(rig.ask(DescribeMemory), Refused)
    rig.brain.mood = "well"
    for request in under_way:
        rig.tell(MEMORY, answer_to(request))

    rig.advance(70)

    is_well(rig, 4)
    rig.stop()


@pytest.mark.parametrize("change", ["DELETE FROM turns WHERE id = 1", "DELETE FROM words WHERE rowid = 1"])
def test_rows_that_somebody_took_out_of_the_index_are_back_after_the_next_start(tmp_path: Path, change: str) -> None:
    rig = with_zorro(tmp_path)
    rig.stop()
    rig = MemoryRig(tmp_path, clock=later(rig))  # compares the log, and knows then that nothing is missing
    rig.stop()
    other = apsw.Connection(str(index_of(tmp_path)))
    list(other.execute(change))
    other.close()

    rig = MemoryRig(tmp_path, clock=later(rig))

    is_well(rig, 2)
    rig.brain.mood = "failing"
    assert finds_zorro(rig)  # by its words
    rig.stop()


def test_an_index_whose_wal_is_lost_after_a_kill_is_filled_up_from_the_logs(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    assert rig.memory_store is not None
    list(rig.memory_store.index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
    rig.exchange("The dog is called Rex", "Fine.")
    left = index_of(tmp_path).read_bytes()  # what a kill leaves behind, without what stood in the WAL alone
    assert b"Rex" not in left
    rig.stop()
    for file in (tmp_path / "memory").iterdir():
        file.unlink()
    index_of(tmp_path).write_bytes(left)

    rig = MemoryRig(tmp_path, clock=later(rig))

    is_well(rig, 4)
    assert finds_zorro(rig)
    rig.stop()


def test_an_index_that_another_file_has_replaced_is_left_and_that_one_is_filled(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    old = tmp_path / "old.sqlite"
    copied = apsw.Connection(str(old))
    assert rig.memory_store is not None
    with copied.backup("main", rig.memory_store.index.connection, "main") as backup:
        backup.step()
    copied.close()
    rig.exchange("The dog is called Rex", "Fine.")
    old.replace(index_of(tmp_path))

    rig.advance(120)

    is_well(rig, 4)
    assert finds_zorro(rig)
    rig.stop()
    there = apsw.Connection(str(index_of(tmp_path)))
    assert list(there.execute("SELECT count(*), sum(content LIKE '%Rex%') FROM turns")) == [(6, 1)]
    there.close()


def test_a_folder_that_cannot_be_written_costs_memories_and_no_reply(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "memory").write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        rig = MemoryRig(tmp_path)
        request = rig.exchange("My cat is called Zorro", "Fine.")
        rig.advance(30)
    assert request.messages[-1].text.endswith("My cat is called Zorro")
    assert len([record for record in caplog.records if "cannot be used" in record.getMessage()]) == 1

    (tmp_path / "memory").unlink()
    rig.advance(30)

    is_well(rig, 2)
    assert finds_zorro(rig)
    rig.stop()


def test_vectors_that_come_late_are_kept_and_a_late_question_is_over(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("There is something to be found", "Yes.", THREAD)
    rig.brain.mood = "silent"
    asks(rig, "My cat is called Zorro", CHANNEL)
    held = list(rig.brain.held)
    assert {request.role for request in held} == {TextRole.QUERY, TextRole.DOCUMENT}
    assert rig.stats().pending == 2
    rig.brain.mood = "well"

    for request in held:
        rig.tell(MEMORY, answer_to(request))
        rig.tell(MEMORY, answer_to(request))

    is_well(rig, 4)
    assert rig.model.drain() == []
    assert any("Zorro" in excerpt for excerpt in excerpts(rig.exchange("What is my cat called?", "Zorro.", THREAD)))
    rig.stop()


def answer_to(request: EmbedTexts) -> TextsEmbedded:
    """Answer of a healthy but slow embedder."""
    return TextsEmbedded(
        request_id=request.request_id, model="test", vectors=tuple(vector(text) for text in request.texts)
    )


@pytest.mark.req("S0-25")
@pytest.mark.parametrize("mood", ["failing", "broken", "lying", "silent"])
def test_what_got_no_vector_in_one_life_gets_it_at_the_start_of_the_next(tmp_path: Path, mood: str) -> None:
    rig = MemoryRig(tmp_path)
    rig.brain.mood = mood
    asks(rig, "My cat is called Zorro", CHANNEL)
    assert rig.stats().ok == 0
    rig.stop()

    rig = MemoryRig(tmp_path, clock=later(rig))

    is_well(rig, 2)
    rig.stop()
