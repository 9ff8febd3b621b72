"""The object store in a backup: as of one moment while an agent writes it, and left out if it is none."""

from __future__ import annotations

from pathlib import Path

from actors.objects.store.audit import audit
from actors.objects.store.database import SCHEMA
from tests.actors.backup.roots import back_up, make_root
from tests.actors.objects.store.rig import StoreRig


def test_a_store_that_is_open_is_copied_with_what_its_wal_has(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    rig = StoreRig(root)
    for number in range(5):
        rig.store_round([rig.version("f1", f"text {number}")])
    made = back_up(root, tmp_path / "backup")
    rig.store_round([rig.version("f1", "later")])
    rig.stop()
    copied = tmp_path / "backup" / "root"
    assert made.left_out == []
    assert [path.name for path in SCHEMA.path(copied).parent.iterdir()] == [SCHEMA.path(copied).name]
    assert audit(SCHEMA.path(copied)) == []
    restored = StoreRig(copied)
    assert restored.load_objects().last_round == 5
    assert restored.text("f1") == "text 4"
    restored.stop()


def test_what_is_no_store_is_left_out_and_said(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    SCHEMA.path(root).parent.mkdir()
    SCHEMA.path(root).write_bytes(b"no database" * 1000)
    made = back_up(root, tmp_path / "backup")
    assert len(made.left_out) == 1
    assert "'objects/objects.sqlite': file is not a database" in made.left_out[0]
