"""Audit of the store and doctor's finding on it: whatever cannot be right is listed, one sentence each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from actors.objects.part import store_row
from actors.objects.store.audit import audit
from actors.part import Finding, Level, Parts
from tests.actors.memory.derived.rig import alter_file
from tests.actors.objects.plan import plan_of
from tests.actors.objects.store.rig import OTHER, StoreRig, showing

FAULTS = (
    ("DELETE FROM versions WHERE window = 1 AND object = 1 AND no = 1", "window 1, f1: version 2 does not follow"),
    ("UPDATE versions SET valid_from = 1 WHERE no = 2", "window 1, f1: version 2 is not later"),
    ("UPDATE versions SET text = NULL WHERE object = 2", "text 3: no version has it"),
    ("UPDATE versions SET text = 4 WHERE object = 2", "text 4: a version of another window has it"),
    ("UPDATE texts SET base = 1, depth = 1 WHERE id = 4", "text 4: it is kept against a text of another window"),
    ("UPDATE texts SET newest = 1, replaced = NULL WHERE id = 1", "text 1: it is not the newest of so many"),
    ("UPDATE texts SET replaced = NULL WHERE id = 1", "text 1: it was replaced and does not say when"),
    ("UPDATE texts SET data = x'00' WHERE id = 3", "text 3: "),
    ("UPDATE texts SET hash = x'00' WHERE id = 1", "text 1: "),
    ("UPDATE windows SET bytes = bytes + 1 WHERE id = 2", "window 2: "),
    ("UPDATE total SET bytes = 0", "window all: "),
    ("UPDATE showings SET no = 3 WHERE object = 'f1'", "window 1: f1 version 3 was shown and is not kept"),
    ("DELETE FROM outputs", "window 1: t1 version 1 was shown and is not kept"),
    ("DELETE FROM rounds WHERE window = 1", "window 1: rounds [] are kept, 3 to 3 should be"),
    ("UPDATE snapshots SET round = 9", "window 1: its snapshot is of round 9, its last round is 3"),
    ("PRAGMA foreign_keys = off; DELETE FROM windows WHERE id = 2", "a row of versions names a row that is not"),
    ("DROP TABLE rounds", "it cannot be read on: its tables differ"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A sound store."""
    rig = StoreRig(tmp_path / "data")
    rig.store_round(
        [rig.version("f1", "one"), rig.version("f1", "two"), rig.version("f2", "three")], outputs=(rig.output(1),)
    )
    rig.store_round(showings=(showing("f1", 2, "e1", rig), showing("t1", 1, "e1", rig)), snapshot=b"state")
    rig.store_round()
    rig.store_round([rig.version("f1", "other", OTHER)], OTHER)
    rig.stop()
    assert audit(rig.path) == []
    return rig.path


def finding(root: Path) -> Finding:
    """Doctor's finding on the store below `data`."""
    plan = plan_of(root)
    (check,) = store_row(plan, Parts(plan, ())).checks
    (found,) = check()
    return found


def test_each_kind_of_fault_is_found(path: Path, tmp_path: Path) -> None:
    failures = []
    for number, (damage, fault) in enumerate(FAULTS):
        copied = tmp_path / f"{number}.sqlite"
        shutil.copy(path, copied)
        alter_file(copied, damage)
        faults = audit(copied)
        if not any(each.startswith(fault) for each in faults):
            failures.append((damage, faults))
    assert not failures


def test_a_database_that_is_damaged_or_none_is_found(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096 * 4)
        file.write(b"\xff" * 4096)
    assert audit(path)
    path.write_bytes(b"no database at all" * 500)
    assert "not a database" in audit(path)[0]


def test_doctor_finds_a_store_sound_while_an_agent_has_it_open_and_leaves_it(tmp_path: Path) -> None:
    assert finding(tmp_path).level is Level.OK
    rig = StoreRig(tmp_path / "data")
    rig.store_round([rig.version("f1", "text")])
    before = rig.path.read_bytes()
    found = finding(tmp_path)
    assert (found.level, found.detail.startswith("sound, ")) == (Level.OK, True)
    assert rig.path.read_bytes() == before
    rig.stop()


def test_doctor_reports_faults_and_garbage(path: Path, tmp_path: Path) -> None:
    alter_file(path, "UPDATE windows SET last_round = 7 WHERE id = 1")
    found = finding(tmp_path)
    assert (found.level, "1 faults: " in found.detail) == (Level.WARN, True)
    path.write_bytes(b"no database" * 1000)
    found = finding(tmp_path)
    assert found.level is Level.WARN
    assert "moved aside, and a new one begins" in found.detail
    assert path.read_bytes() == b"no database" * 1000
