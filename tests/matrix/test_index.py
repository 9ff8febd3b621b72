"""Rows 21-23: the index is locked, spoilt or taken away, or what it is made with is missing."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from actors.memory.codes import scan
from tests.actors.memory.rig import MemoryRig
from tests.actors.memory.test_faults import finds_zorro, index_of, is_well, later, with_zorro
from tests.actors.memory.test_memory_actor import THREAD, excerpts
from tests.e2e.stage import Stage
from tests.e2e.test_memory import is_whole, tell
from tests.patience import PATIENCE_S, eventually

LOCK_DOS = """
import sys, fcntl
file = open(sys.argv[1], "rb")
fcntl.lockf(file, fcntl.LOCK_SH, 1, 120)
print("locked", flush=True)
sys.stdin.read()
"""
"""Holds a read lock on the byte of the shared memory that every writer must have to itself."""


def test_row_21_an_index_that_another_program_locks_costs_memories_and_no_answer(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    tell(stage, "My bicycle is locked with the number 4711")
    other = apsw.Connection(str(stage.data / "memory" / "index.sqlite"))
    list(other.execute("BEGIN IMMEDIATE"))
    try:
        began = time.monotonic()
        assert "Rex" in stage.ask("My dog is called Rex")
        assert time.monotonic() - began < PATIENCE_S / 2
        eventually(lambda: any("locked" in text for text in caplog.messages))
    finally:
        other.close()
    eventually(lambda: is_whole(stage, 4))
    assert len([text for text in caplog.messages if "locked" in text]) == 1


def test_row_21_a_reader_that_locks_the_shared_memory_costs_no_answer(stage: Stage) -> None:
    tell(stage, "My bicycle is locked with the number 4711")
    holder = subprocess.Popen(
        [sys.executable, "-I", "-c", LOCK_DOS, str(stage.data / "memory" / "index.sqlite-shm")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        assert "Rex" in stage.ask("My dog is called Rex")
        assert holder.stdin is not None
        holder.stdin.close()
    eventually(lambda: is_whole(stage, 4))


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _zero_the_middle(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + bytes(len(data) - 4096))


WRECKS: dict[str, Callable[[Path], object]] = {
    "corrupted": _zero_the_middle,
    "truncated": _half,
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not a database " * 500),
    "gone": Path.unlink,
}


@pytest.mark.req("S0-29", "X-130")
@pytest.mark.parametrize("wreck", WRECKS.values(), ids=WRECKS.keys())
def test_row_22_a_spoilt_index_is_made_anew_from_the_logs_with_the_same_answers(
    tmp_path: Path, wreck: Callable[[Path], object]
) -> None:
    rig = with_zorro(tmp_path)
    before = excerpts(rig.exchange("What is my cat called?", "Zorro.", THREAD))
    rig.stop()
    wreck(index_of(tmp_path))

    rig = MemoryRig(tmp_path, clock=later(rig))
    is_well(rig, 4)
    assert excerpts(rig.say("What is my cat called?", THREAD))[: len(before)] == before
    rig.stop()


@pytest.mark.parametrize("name", ["index.sqlite", "index.sqlite-wal"])
def test_row_22_an_index_whose_file_is_deleted_while_it_is_open_is_made_anew(tmp_path: Path, name: str) -> None:
    rig = with_zorro(tmp_path)
    (tmp_path / "memory" / name).unlink()

    rig.exchange("The dog is called Rex", "Fine.")
    rig.advance(120)
    rig.stop()
    rig = MemoryRig(tmp_path, clock=later(rig))

    is_well(rig, 4)
    assert finds_zorro(rig)
    rig.stop()


def test_row_22_a_row_whose_words_were_altered_is_not_shown(tmp_path: Path) -> None:
    rig = with_zorro(tmp_path)
    rig.stop()
    path = index_of(tmp_path)
    other = apsw.Connection(str(path))
    list(other.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
    other.close()
    data = path.read_bytes()
    assert b"called Zorro" in data
    path.write_bytes(data.replace(b"called Zorro", b"called Morro"))

    rig = MemoryRig(tmp_path, clock=later(rig))
    shown = excerpts(rig.exchange("What is my cat called?", "Zorro.", THREAD))
    rig.stop()
    assert [text for text in shown if "Morro" in text] == []
    assert any("cat is called Zorro" in text for text in shown)


def test_row_23_without_the_compiled_search_the_same_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no sqlite-vec: what is compiled has a twin in numpy."""
    rig = with_zorro(tmp_path / "with")
    compiled = excerpts(rig.exchange("What is my cat called?", "Zorro.", THREAD))
    rig.stop()
    monkeypatch.setattr(scan, "_find_library", lambda: None)
    assert not scan.is_available()

    rig = with_zorro(tmp_path / "without")
    assert excerpts(rig.exchange("What is my cat called?", "Zorro.", THREAD)) == compiled
    is_well(rig, 4)
    rig.stop()


@pytest.mark.crashes
def test_row_23_a_sqlite_that_can_corrupt_the_index_is_refused_with_the_version_that_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    rig = MemoryRig(tmp_path)
    assert "SQLite 3.51.2: 3.51.3 or newer is required" in caplog.text
    assert not index_of(tmp_path).exists()
    rig.stop()
