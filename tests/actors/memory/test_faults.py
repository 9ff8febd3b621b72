"""Faults: turns go on, no data are lost, and the memory recovers afterwards."""

from __future__ import annotations

import errno
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import apsw
import pytest

from actors.kernel import ManualClock
from actors.memory.search.views import FOLDER
from messages.base import Window
from messages.memory import MemoriesFound, SearchMemory
from messages.model import ModelRequest
from messages.socket import Refused
from tests.actors.context.rig import CHANNEL, user_message
from tests.actors.memory.rig import PUBLIC, Brain, MemoryRig, block_of, said_at
from tests.actors.memory.test_memory_actor import THREAD, excerpts

HOUR_S = 3_700.0


def index_of(root: Path) -> Path:
    return root / "memory" / "index.sqlite"


def is_well(rig: MemoryRig, rows: int) -> None:
    counted = rig.stats()
    assert (counted.rows, counted.ok, counted.pending, counted.failed) == (rows, rows, 0, 0)
    assert counted.state == "ready"


def finds_zorro(rig: MemoryRig) -> bool:
    request = rig.exchange("What is my cat called?", "Zorro.", THREAD)
    return any("cat is called Zorro" in excerpt for excerpt in excerpts(request))


def with_zorro(root: Path, **options: object) -> MemoryRig:
    rig = MemoryRig(root, **options)  # type: ignore[arg-type]
    rig.exchange("My cat is called Zorro", "Fine.")
    return rig


def asks(rig: MemoryRig, text: str, window: Window) -> ModelRequest:
    """A turn whose preparation runs into its deadlines."""
    rig.message_id += 1
    rig.hear_readers(window, PUBLIC)
    said = said_at(user_message(text, rig.message_id, window, "Alice", rig.surface.address), rig.clock, PUBLIC)
    rig.tell(window.address, said)
    rig.advance(4.6)  # the memory's deadline comes before the window's
    rig.advance(1)
    (request,) = [message for message in rig.model.drain() if isinstance(message, ModelRequest)]
    rig.answer(request, "ok")
    return request


# the embedder


@pytest.mark.req("X-51")
@pytest.mark.parametrize("mood", ["failing", "broken", "lying"])
def test_without_vectors_words_are_found_and_all_is_embedded_when_the_embedder_is_well_again(
    tmp_path: Path, mood: str
) -> None:
    rig = MemoryRig(tmp_path)
    rig.brain.mood = mood
    rig.exchange("My cat is called Zorro", "Fine.")

    assert finds_zorro(rig)
    counted = rig.stats()
    assert (counted.rows, counted.ok, counted.failed) == (4, 0, 4)
    rig.brain.mood = "well"
    rig.advance(HOUR_S)
    is_well(rig, 4)
    assert finds_zorro(rig)
    rig.stop()


@pytest.mark.req("S0-54", "X-15")
def test_a_hung_embedder_delays_a_turn_by_its_deadline_and_loses_nothing(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.brain.mood = "silent"

    request = asks(rig, "My cat is called Zorro", THREAD)

    assert request.messages[-1].text.endswith("My cat is called Zorro")
    assert rig.stats().pending == 2
    assert any("Zorro" in excerpt for excerpt in excerpts(asks(rig, "What is my cat called?", CHANNEL)))
    rig.brain.mood = "well"
    rig.advance(HOUR_S)
    is_well(rig, 4)
    rig.stop()


@pytest.mark.req("S0-56", "X-16")
def test_failures_are_tried_again_after_growing_delays_and_no_more_than_eight_times_in_an_hour(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.brain.mood = "failing"
    rig.exchange("My cat is called Zorro", "")
    rig.brain.asked.clear()
    moments = []
    for second in range(1_500):
        before = len(rig.brain.asked)
        rig.advance(1)
        if len(rig.brain.asked) > before:
            moments.append(second)

    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert len(moments) == 7  # and one before the count began
    assert gaps == sorted(gaps)
    assert gaps[-1] >= 2 * gaps[1]
    rig.stop()


def test_nothing_that_is_permanent_is_tried_again_before_the_next_comparison(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.brain.mood = "broken"
    rig.exchange("My cat is called Zorro", "Fine.")
    rig.brain.asked.clear()

    rig.advance(3_000)
    assert rig.brain.asked == []
    rig.advance(1_000)
    assert len(rig.brain.asked) == 1
    rig.stop()


def test_the_operator_is_told_once_that_the_embedder_fails(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rig = MemoryRig(tmp_path)
    rig.brain.mood = "failing"
    with caplog.at_level(logging.WARNING):
        for number in range(5):
            rig.exchange(f"number {number}", "ok")

    assert len(caplog.records) == 1
    rig.stop()


def test_a_changed_model_makes_all_vectors_anew_while_words_are_found(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    rig.stop()
    brain = Brain("another", 32)
    brain.mood = "silent"
    rig = MemoryRig(tmp_path, brain=brain, clock=later(rig))

    assert rig.stats().pending == 2
    assert any("Zorro" in excerpt for excerpt in excerpts(asks(rig, "What is my cat called?", THREAD)))
    brain.mood = "well"
    rig.advance(HOUR_S)
    is_well(rig, 4)
    assert finds_zorro(rig)
    rig.stop()


def test_going_back_to_a_model_costs_nothing(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    rig.stop()
    rig = MemoryRig(tmp_path, brain=Brain("another", 32), clock=later(rig))
    is_well(rig, 2)
    rig.stop()
    brain = Brain()
    rig = MemoryRig(tmp_path, brain=brain, clock=later(rig))

    is_well(rig, 2)
    assert brain.asked == []
    rig.stop()


# the index


def later(rig: MemoryRig) -> ManualClock:
    """The clock of a next life."""
    rig.clock.advance(60)
    return rig.clock


@contextmanager
def lock_index(root: Path) -> Iterator[None]:
    """Another program that holds the index."""
    other = apsw.Connection(str(index_of(root)))
    list(other.execute("BEGIN EXCLUSIVE"))
    try:
        yield
    finally:
        list(other.execute("ROLLBACK"))
        other.close()


def test_a_locked_index_costs_memories_for_a_while_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rig = with_zorro(tmp_path)
    assert rig.memory_store is not None
    rig.memory_store.index.connection.set_busy_timeout(1)
    with caplog.at_level(logging.WARNING), lock_index(tmp_path):
        rig.exchange("The dog is called Rex", "Fine.")
        rig.exchange("The bird is called Tweety", "Fine.")
    told = [record for record in caplog.records if "locked" in record.getMessage()]
    assert len(told) == 1

    rig.advance(120)
    is_well(rig, 6)
    assert finds_zorro(rig)
    rig.stop()


def test_an_index_that_is_locked_at_the_start_is_opened_later(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    rig.stop()
    with lock_index(tmp_path):
        rig = MemoryRig(tmp_path, clock=later(rig), busy_ms=1)
        assert isinstance(rig.ask(SearchMemory, query="cat"), Refused)
        assert block_of(rig.exchange("What is my cat called?", "ok", THREAD)) == ""
    rig.advance(60)

    is_well(rig, 4)
    assert finds_zorro(rig)
    rig.stop()


def test_views_of_an_agent_that_was_killed_are_gone_though_the_index_is_locked_at_the_start(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    rig.stop()
    left = tmp_path / FOLDER / "1-2" / "discord-channel" / "3" / "closed since then.md"
    left.parent.mkdir(parents=True)
    left.write_text("what was said")
    with lock_index(tmp_path):
        rig = MemoryRig(tmp_path, clock=later(rig), busy_ms=1)
        assert isinstance(rig.ask(SearchMemory, query="cat"), Refused)
        assert not left.exists()
    rig.stop()


def test_on_a_full_disk_reads_go_on_and_what_was_missed_comes_from_the_logs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rig = with_zorro(tmp_path)
    assert rig.memory_store is not None
    connection = rig.memory_store.index.connection
    ((pages,),) = connection.execute("PRAGMA page_count")
    list(connection.execute(f"PRAGMA max_page_count = {pages}"))
    with caplog.at_level(logging.WARNING):
        rig.exchange("A long story. " * 5_000, "I see.")
        rig.exchange("Another long story. " * 5_000, "I see.")
    assert len([record for record in caplog.records if "cannot be written" in record.getMessage()]) == 1
    assert finds_zorro(rig)

    list(connection.execute("PRAGMA max_page_count = 1000000"))
    rig.advance(120)
    rig.advance(60)
    is_well(rig, 8)
    rig.stop()


def test_an_index_deleted_while_it_is_open_is_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rig = with_zorro(tmp_path)
    for file in (tmp_path / "memory").iterdir():
        file.unlink()
    with caplog.at_level(logging.WARNING):
        rig.exchange("The dog is called Rex", "Fine.")
    assert len([record for record in caplog.records if "removed or replaced" in record.getMessage()]) == 1

    is_well(rig, 4)
    assert finds_zorro(rig)
    rig.stop()


def test_a_deleted_folder_is_made_anew_within_a_minute(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    shutil.rmtree(tmp_path / "memory")
    rig.advance(70)

    is_well(rig, 2)
    assert index_of(tmp_path).exists()
    rig.stop()


@pytest.mark.parametrize(
    "wreck",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_text("not a database " * 500),
        lambda path: path.write_bytes(b"\0" * 100 + path.read_bytes()[100:]),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: foreign(path),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=["empty", "text", "header", "half", "foreign", "folder"],
)
def test_what_is_no_index_of_ours_is_moved_aside_once_and_said_once(
    tmp_path: Path, wreck: object, caplog: pytest.LogCaptureFixture
) -> None:
    rig = with_zorro(tmp_path)
    rig.stop()
    assert callable(wreck)
    wreck(index_of(tmp_path))

    with caplog.at_level(logging.WARNING):
        rig = MemoryRig(tmp_path, clock=later(rig))
        is_well(rig, 2)
    assert finds_zorro(rig)
    assert len([record for record in caplog.records if "moved to" in record.getMessage()]) == 1
    assert len(list((tmp_path / "memory").glob("index.sqlite.unusable-*Z"))) == 1
    rig.stop()


def foreign(path: Path) -> None:
    path.unlink()
    other = apsw.Connection(str(path))
    list(other.execute("CREATE TABLE turns(id); PRAGMA user_version = 1"))
    other.close()


def test_vectors_are_saved_from_an_index_that_is_moved_aside(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    rig.stop()
    other = apsw.Connection(str(index_of(tmp_path)))
    list(other.execute("PRAGMA user_version = 99"))
    other.close()

    brain = Brain()
    rig = MemoryRig(tmp_path, brain=brain, clock=later(rig))

    is_well(rig, 2)
    assert brain.asked == []
    rig.stop()


def test_codes_that_are_gone_or_nonsense_are_made_anew(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    rig.stop()
    for file in (tmp_path / "memory").glob("codes*"):
        file.write_bytes(b"nonsense")

    rig = MemoryRig(tmp_path, clock=later(rig))
    assert finds_zorro(rig)
    rig.stop()


def test_a_crash_before_the_memory_heard_of_a_turn_loses_nothing(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    rig.say("The dog is called Rex")  # no answer, and the memory has not heard of it
    rig.stop()

    rig = MemoryRig(tmp_path, clock=later(rig))
    found = rig.ask(SearchMemory, query="dog Rex")
    assert isinstance(found, MemoriesFound)
    assert found.memories[0].excerpt == "The dog is called Rex"
    rig.stop()


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO, errno.EACCES])
def test_views_that_cannot_be_taken_away_keep_nothing_open_at_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("My cat is called Zorro", "Fine.")
    store = rig.memory_store
    assert store is not None

    def refuse(*_args: object) -> NoReturn:
        raise OSError(number, os.strerror(number), "views")

    with monkeypatch.context() as patch:
        patch.setattr("actors.memory.search.views.remove_tree", refuse)
        store.close()
        rig.stop()

    with pytest.raises(apsw.ConnectionClosedError):
        store.index.counts()
    assert (tmp_path / "views").exists()
    rig = MemoryRig(tmp_path, clock=later(rig))
    assert rig.stats().rows == 2
    rig.stop()
