from __future__ import annotations

from pathlib import Path

from actors.curated.folder import MemoryFolder
from actors.curated.places import Place
from actors.curated.sidecars import write_table
from actors.linux.disk import RealDisk
from domain.curated import table
from domain.curated.page import Scope
from domain.curated.table import TableState


def test_the_page_table_is_held_against_the_index_as_both_are_now(tmp_path: Path) -> None:
    folder, index = MemoryFolder(Place(Scope.GLOBAL, tmp_path, "")), tmp_path / "MEMORY.md"
    sidecar, states = tmp_path / table.FILE, list[TableState]()

    def look() -> None:
        states.append(folder.look().table)

    index.write_text("- one\n")
    look()
    write_table(RealDisk(), folder)
    look()
    index.write_text("- two\n")
    look()
    index.write_text("- one\n")
    look()
    index.write_text("- two\n")
    write_table(RealDisk(), folder)
    look()
    sidecar.write_text("no table\n")
    look()
    sidecar.unlink()
    look()
    assert states == [
        TableState.MISSING,
        TableState.OK,
        TableState.STALE,
        TableState.OK,
        TableState.OK,
        TableState.INVALID,
        TableState.MISSING,
    ]


def test_the_lines_of_a_page_table_are_looked_at_once_however_often_the_index_changes(tmp_path: Path) -> None:
    folder, index = MemoryFolder(Place(Scope.GLOBAL, tmp_path, "")), tmp_path / "MEMORY.md"
    index.write_text("- one\n")
    write_table(RealDisk(), folder)
    folder.look()
    described = folder._described
    for number in range(3):
        index.write_text(f"- {number}\n")
        assert folder.look().table is TableState.STALE
        assert folder._described is described
