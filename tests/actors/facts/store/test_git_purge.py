from __future__ import annotations

import asyncio
from pathlib import Path

from actors.facts.config import FactsConfig
from actors.facts.store.git_purge import is_purge_due, note_purge, purge
from tests.recording_disk import RecordingDisk


def test_the_note_of_a_purge_survives_a_power_loss(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    disk = RecordingDisk()
    config = FactsConfig(root=tmp_path, api_base="", enable_git_versioning=True)
    assert note_purge(config, ["entries/a.md"], disk)
    assert disk.at_risk(tmp_path) == set()


def test_files_noted_while_a_purge_is_under_way_leave_the_history_too(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    config, disk = FactsConfig(root=tmp_path, api_base="", enable_git_versioning=True), RecordingDisk()
    note_purge(config, ["entries/a.md"], disk)
    left_out: list[str] = []

    async def run(command: str, *arguments: str, stdin: bytes = b"") -> bytes:
        left_out.extend(each.rpartition(")")[2] for each in arguments if each.startswith(":("))
        if command == "gc" and "entries/b.md" not in left_out:
            note_purge(config, ["entries/b.md"], disk)
        return stdin

    assert asyncio.run(purge(tmp_path, run)) == ""
    assert left_out == ["entries/a.md", "entries/b.md"]
    assert not is_purge_due(tmp_path)


def test_a_purge_that_a_kill_cut_short_goes_on_before_later_files(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    config, disk = FactsConfig(root=tmp_path, api_base="", enable_git_versioning=True), RecordingDisk()
    note_purge(config, ["entries/a.md"], disk)
    left_out: list[str] = []

    async def run(command: str, *arguments: str, stdin: bytes = b"") -> bytes:
        left_out.extend(each.rpartition(")")[2] for each in arguments if each.startswith(":("))
        if command == "gc" and len(left_out) == 1:
            raise OSError("killed")
        return stdin

    try:
        asyncio.run(purge(tmp_path, run))
    except OSError:
        note_purge(config, ["entries/b.md"], disk)
    assert is_purge_due(tmp_path)
    assert asyncio.run(purge(tmp_path, run)) == ""
    assert set(left_out) == {"entries/a.md", "entries/b.md"}
    assert left_out.count("entries/a.md") == 2
    assert not is_purge_due(tmp_path)
