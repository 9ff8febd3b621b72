"""Looking into the index without being the agent: everything is seen, and nothing is left behind."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.memory.derived.database import ForeignDatabaseError
from actors.memory.store import MemoryPlan, Store
from messages.memory import MemoriesFound, SearchMemory
from messages.socket import Refused
from messages.turn import EventsLogged
from tests.actors.cli.command import digest
from tests.actors.context.rig import CHANNEL
from tests.actors.memory.rig import DIMENSIONS, MEMORY, Brain, MemoryRig
from tests.actors.memory.test_memory_actor import search

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def rows_of(root: Path, *, is_live: bool) -> int:
    """Number of turns visible to a reader."""
    store = Store.open(MemoryPlan(root, "test", DIMENSIONS, read_only=True, is_live=is_live), NOW)
    found = store.index.counts().ok
    store.close()
    return found


@pytest.fixture
def live(tmp_path: Path) -> MemoryRig:
    rig = MemoryRig(tmp_path / "live")
    rig.exchange("My cat is called Zorro", "Fine.")
    return rig


@pytest.mark.req("X-135")
def test_beside_a_running_agent_its_latest_words_are_seen(live: MemoryRig) -> None:
    before = sorted(digest(live.root))

    assert rows_of(live.root, is_live=True) == 2
    assert sorted(digest(live.root)) == before
    live.exchange("And the dog Rex", "Fine.")
    assert rows_of(live.root, is_live=True) == 4
    live.stop()


def test_after_a_kill_what_is_in_the_wal_alone_is_seen(live: MemoryRig, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    shutil.copytree(live.root, killed)
    live.stop()
    assert (killed / "memory" / "index.sqlite-wal").stat().st_size > 0
    before = digest(killed)

    assert rows_of(killed, is_live=False) == 2
    assert digest(killed) == before


def test_after_a_good_end_it_is_seen_in_place(live: MemoryRig) -> None:
    live.stop()
    before = digest(live.root)

    assert rows_of(live.root, is_live=False) == 2
    assert digest(live.root) == before


@pytest.mark.parametrize("content", [None, b"", b"nonsense " * 1_000])
def test_what_is_no_index_is_told_and_left_alone(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "memory").mkdir()
        (tmp_path / "memory" / "index.sqlite").write_bytes(content)
    before = digest(tmp_path)

    with pytest.raises(ForeignDatabaseError):
        rows_of(tmp_path, is_live=False)
    assert digest(tmp_path) == before


@pytest.mark.req("X-135")
def test_a_memory_that_only_looks_answers_and_changes_nothing(live: MemoryRig) -> None:
    live.stop()
    before = digest(live.root)
    rig = MemoryRig(live.root, read_only=True)

    assert search(rig, "cat").memories[0].excerpt == "My cat is called Zorro"
    rig.tell(MEMORY, EventsLogged(window=CHANNEL, events=()))
    rig.advance(4_000)
    rig.stop()
    assert digest(live.root) == before


def test_with_another_model_words_are_found(live: MemoryRig) -> None:
    live.stop()
    rig = MemoryRig(live.root, brain=Brain("another", 32), read_only=True)

    assert search(rig, "cat").memories[0].excerpt == "My cat is called Zorro"
    rig.stop()


def test_where_there_is_no_index_a_reader_is_told_so(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path, read_only=True)

    answer = rig.ask(SearchMemory, query="cat")
    assert not isinstance(answer, MemoriesFound)
    assert isinstance(answer, Refused)
    assert "there is no memory index" in answer.reason
    assert list(tmp_path.iterdir()) == []
    rig.stop()
