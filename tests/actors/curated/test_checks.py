"""Doctor's findings on the memory folders."""

from __future__ import annotations

from pathlib import Path

from actors.curated.checks import findings
from actors.part import Level
from tests.actors.curated.rig import CLOSED, GENERAL, CuratedRig


def findings_by_name(rig: CuratedRig) -> dict[str, tuple[Level, str]]:
    return {each.name: (each.level, each.detail) for each in findings(rig.config)}


def test_a_folder_that_is_not_there_yet_is_well_and_stays_away(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    level, detail = findings_by_name(rig)["curated memory"]
    assert level is Level.OK
    assert "with the first fact" in detail
    assert not rig.folder.exists()


def test_what_is_too_long_or_wrong_is_said(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- x\n" * 300)
    rig.write_index('{"maxInjectLines": -1}', "config.json")
    level, detail = findings_by_name(rig)["curated memory"]
    assert level is Level.WARN
    assert "maxInjectLines -1: must be a whole number, 0 to 10,000" in detail
    assert "only 800 of 1,200 bytes" in detail


def test_a_repository_that_is_gone_and_one_that_is_not_trusted_are_said(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path, projects={GENERAL.id: tmp_path / "shop"})
    assert "there is no such repository" in findings_by_name(rig)["memory of shop"][1]
    rig = CuratedRig(tmp_path, projects={CLOSED.id: tmp_path / "hidden"}, trusted=False)
    level, detail = findings_by_name(rig)["curated projects"]
    assert level is Level.WARN
    assert CLOSED.id in detail
    assert "hidden" not in detail


def test_a_folder_that_is_a_link_is_said(tmp_path: Path) -> None:
    (tmp_path / "shop" / ".pi").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "shop" / ".pi" / "memory").symlink_to(tmp_path / "elsewhere")
    rig = CuratedRig(tmp_path, projects={GENERAL.id: tmp_path / "shop"})
    assert "its path has a link" in findings_by_name(rig)["memory of shop"][1]
