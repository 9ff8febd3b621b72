"""Audit of the index and doctor's finding on it: each kind of fault is found, and the file is left as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from actors.facts.index.audit import audit
from actors.facts.part import index_row
from actors.part import Level, Parts
from tests.actors.facts.index.rig import IndexRig, row, unit
from tests.actors.facts.plan import plan_of
from tests.actors.memory.derived.rig import alter_behind_tree, alter_file

X = unit(1, 0)
FAULTS = (
    ("UPDATE entries SET role = 'fact'", "row 'a': there is no role 'fact'"),
    ("UPDATE entries SET id = ''", "row '': it has no id, or no path"),
    ("UPDATE entries SET path = ''", "row 'a': it has no id, or no path"),
    ("UPDATE entries SET model = ''", "row 'a': must have both vector and space, or neither"),
    ("UPDATE entries SET vector = x''", "row 'a': must have both vector and space, or neither"),
    ("UPDATE entries SET vector = x'00'", "row 'a': 1 bytes are not a vector: a multiple of 4 is required, and not 0"),
    ("UPDATE entries SET vector = x'00000040'", "row 'a': a vector of the length 2 is not allowed: 1 is required"),
    ("PRAGMA user_version = 9", "its kind and version are 0x52656d46 and 9"),
    ("DROP TABLE entries", "its tables differ"),
    ("UPDATE entries SET content = cast(x'ff' AS TEXT), id = cast(x'ff' AS TEXT)", "can't decode"),
)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[IndexRig]:
    rig = IndexRig(tmp_path / "data")
    yield rig
    rig.stop()


def finding(root: Path) -> tuple[Level, str]:
    """Level and text of doctor's finding on the index below `data`."""
    plan = plan_of(root, "[layers]\nfacts = true\n")
    (check,) = index_row(plan, Parts(plan, ())).checks
    (found,) = check()
    assert found.name == "facts-index"
    return found.level, found.detail


def test_a_fault_of_a_row_or_of_the_file_is_found(tmp_path: Path) -> None:
    failures = []
    for number, (statement, fault) in enumerate(FAULTS):
        rig = IndexRig(tmp_path / str(number))
        rig.put(row("a", X))
        rig.stop()
        assert audit(rig.path) == []
        alter_file(rig.path, statement)
        found = audit(rig.path)
        if len(found) != 1 or fault not in found[0]:
            failures.append((statement, found))
    assert not failures


def test_pages_that_are_overwritten_are_a_fault(rig: IndexRig) -> None:
    rig.put(*(row(f"r{n}", unit(1, n), content="x" * 3_000) for n in range(50)))
    rig.stop()
    data = bytearray(rig.path.read_bytes())
    for at in range(4096 * 8, len(data), 4096):
        data[at : at + 512] = b"\xff" * 512
    rig.path.write_bytes(bytes(data))

    assert audit(rig.path)


def test_a_tree_that_lacks_rows_of_its_table_is_found(rig: IndexRig) -> None:
    rig.put(*(row(f"r{n}", unit(1, n)) for n in range(3)))
    rig.stop()
    change = "UPDATE entries SET conversation = 'other' WHERE id = 'r1'"
    alter_behind_tree(rig.path, "entries_by_conversation", change)

    assert any(fault.startswith("database: ") for fault in audit(rig.path))


def test_doctor_reports_a_missing_a_sound_and_a_bare_index_while_it_is_in_use(tmp_path: Path) -> None:
    level, text = finding(tmp_path)
    assert (level, "nothing is indexed yet" in text, (tmp_path / "data").exists()) == (Level.OK, True, False)
    rig = IndexRig(tmp_path / "data")
    rig.put(row("a", X))
    assert finding(tmp_path) == (Level.OK, f"sound, {rig.path.stat().st_size // 1024} KiB")
    rig.put(row("b", b""), model="")
    level, text = finding(tmp_path)
    assert (level, "1 entries have no vector" in text, "set aside" in text) == (Level.WARN, True, True)
    assert rig.names(X) == ["a"]
    rig.stop()


def test_doctor_lists_some_faults_and_leaves_the_file_as_it_is(rig: IndexRig, tmp_path: Path) -> None:
    rig.put(*(row(f"r{n}", X) for n in range(5)))
    rig.stop()
    alter_file(rig.path, "UPDATE entries SET role = 'memori'")
    before = rig.path.read_bytes()
    level, text = finding(tmp_path)

    assert level is Level.WARN
    assert "5 faults: row 'r0': there is no role 'memori'; row 'r1'" in text
    assert "row 'r3'" not in text
    assert "rebuilds it" in text
    assert rig.path.read_bytes() == before


def test_doctor_reports_a_file_that_is_no_index_and_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "data" / "facts" / "index.sqlite"
    path.parent.mkdir(parents=True)
    for damage in (b"no database" * 1_000, b""):
        path.write_bytes(damage)
        assert finding(tmp_path)[0] is Level.WARN
        assert path.read_bytes() == damage
    path.unlink()
    path.mkdir()
    level, text = finding(tmp_path)
    assert (level, "cannot be looked at" in text) == (Level.WARN, True)


def test_doctor_reports_a_lock(rig: IndexRig, tmp_path: Path) -> None:
    rig.put(row("a", X))
    rig.stop()
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("PRAGMA locking_mode = exclusive"))
    list(connection.execute("BEGIN EXCLUSIVE"))
    level, text = finding(tmp_path)
    connection.close()

    assert level is Level.WARN
    assert "cannot be looked at" in text
    assert "locked" in text
