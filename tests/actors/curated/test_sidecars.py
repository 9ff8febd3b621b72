"""Files beside a memory's index, and power losses."""

from __future__ import annotations

from pathlib import Path

from actors.curated.folder import MemoryFolder
from actors.curated.places import Place
from actors.curated.sidecars import keep_from_commands, shorten_journal
from domain.curated import journal, table
from domain.curated.journal import Operation, Step
from domain.curated.page import Scope
from tests.recording_disk import RecordingDisk


def test_a_journal_is_emptied_when_its_new_content_is_safe_beside_it(tmp_path: Path) -> None:
    path, spare = tmp_path / journal.FILE, tmp_path / "spare"
    lines = [journal.line(Operation(f"{n:06}", "words " * 200)) for n in range(2_000)]
    path.write_bytes(
        b"".join(lines) + b"".join(journal.line(Operation(f"{n:06}", "", step=Step.REJECTED)) for n in range(2_000))
    )
    safe: list[bytes | None] = []

    def look(_call: str, _data: bytes) -> None:
        if path.stat().st_size == 0:
            safe.append(disk.surviving(spare))

    disk = RecordingDisk(before=look)
    shorten_journal(disk, tmp_path, spare)
    assert safe
    assert set(safe) == {path.read_bytes()}


def test_a_file_that_commands_may_only_read_is_never_there_without_its_content(tmp_path: Path) -> None:
    disk = RecordingDisk()
    keep_from_commands(disk, MemoryFolder(Place(Scope.PROJECT, tmp_path, "")))
    disk.sync_folder(tmp_path)
    assert disk.at_risk(tmp_path) == {table.FILE}, "which is made anew"
