"""Check of the index: it says how the file is, and leaves it so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from actors.memory.facts.checks import findings
from actors.part import Level
from tests.actors.memory.facts.rig import IndexRig, row, unit

X = unit(1, 0)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[IndexRig]:
    rig = IndexRig(tmp_path)
    yield rig
    rig.stop()


def told(root: Path) -> tuple[Level, str]:
    (finding,) = findings(root)
    assert finding.name == "facts-index"
    return finding.level, finding.detail


def test_where_nothing_is_indexed_nothing_is_made(tmp_path: Path) -> None:
    level, text = told(tmp_path)

    assert level is Level.OK
    assert "nothing is indexed yet" in text
    assert list(tmp_path.iterdir()) == []


def test_an_index_that_is_open_and_in_use_is_looked_at_as_it_is(rig: IndexRig, tmp_path: Path) -> None:
    rig.put(row("a", X))
    assert told(tmp_path)[0] is Level.OK
    rig.put(row("b", X))
    assert told(tmp_path) == (Level.OK, f"sound index, {rig.path.stat().st_size // 1024} KiB")
    assert rig.names(X) == ["a", "b"]


def test_entries_without_a_vector_are_counted(rig: IndexRig, tmp_path: Path) -> None:
    rig.put(row("a", X))
    rig.put(row("b", b""), model="")
    level, text = told(tmp_path)

    assert level is Level.WARN
    assert "1 entries have no vector" in text
    assert "set aside" in text


def test_faults_are_told_and_the_file_is_left_as_it_is(rig: IndexRig, tmp_path: Path) -> None:
    rig.put(*(row(f"r{n}", X) for n in range(5)))
    rig.stop()
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("UPDATE entries SET role = 'memori'"))
    connection.close()
    before = rig.path.read_bytes()
    level, text = told(tmp_path)

    assert level is Level.WARN
    assert "5 faults: row 'r0': there is no role 'memori'; row 'r1'" in text
    assert "row 'r3'" not in text
    assert "made again" in text
    assert rig.path.read_bytes() == before
    rig.start()


@pytest.mark.parametrize("damage", [b"no database" * 1_000, b""])
def test_what_is_no_index_is_told_and_left_where_it_is(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "index.sqlite").write_bytes(damage)

    assert told(tmp_path)[0] is Level.WARN
    assert (tmp_path / "facts" / "index.sqlite").read_bytes() == damage


def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "facts" / "index.sqlite").mkdir(parents=True)
    level, text = told(tmp_path)

    assert level is Level.WARN
    assert "cannot be looked at" in text


def test_an_index_that_somebody_locks_is_told_as_such(
    rig: IndexRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.memory.facts.database.BUSY_MS", 1)
    rig.put(row("a", X))
    rig.stop()
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("PRAGMA locking_mode = exclusive"))
    list(connection.execute("BEGIN EXCLUSIVE"))
    level, text = told(tmp_path)
    connection.close()

    assert level is Level.WARN
    assert "cannot be looked at" in text
    assert "locked" in text
    rig.start()
