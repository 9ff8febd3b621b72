"""Installing skills: whole or not at all, whenever the process is killed or the power fails, with hashes before use."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.skill_files.folders import SkillFolders
from actors.skills.foreign.package import Package, read_package
from actors.skills.foreign.source import Folder
from actors.skills.foreign.store import SkillStore
from domain.policy.foreign_skill.record import FILE_NAME, FileRecord
from tests.actors.skill_files.test_folders import names
from tests.actors.skills.foreign.packing import TEA, write_folder
from tests.recording_disk import RecordingDisk

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


class Killed(BaseException):
    """The process ends here."""


class Calls:
    """Calls of a disk in order; the process is killed before a given one."""

    def __init__(self, last: int = 10_000) -> None:
        self.made: list[str] = []
        self._last = last

    def __call__(self, call: str, _data: bytes) -> None:
        if len(self.made) == self._last:
            raise Killed
        self.made.append(call)


@pytest.fixture
def package(tmp_path: Path) -> Package:
    folder = write_folder(tmp_path / "source")
    (folder / "tea" / "scripts" / "boil.py").chmod(0o755)
    return read_package(Folder(folder))


@pytest.fixture
def newer(tmp_path: Path) -> Package:
    files = {**TEA, "tea/scripts/boil.py": b"#!/bin/sh\necho hotter\n", "tea/new.md": b"new\n"}
    return read_package(Folder(write_folder(tmp_path / "newer", files)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "data" / "skills"


def store(root: Path, before: Callable[[str, bytes], None] | None = None) -> SkillStore:
    disk = RecordingDisk(before=before) if before is not None else None
    return SkillStore(root, lambda: NOW, disk)


def content(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.req("X-267")
def test_a_skill_is_installed_as_it_is_with_its_hashes_for_the_agents_user_alone(root: Path, package: Package) -> None:
    store(root).add(package, "https://example.org/tea", "c" * 40)

    entry = store(root).record().skills["tea"]
    assert (entry.source, entry.commit, entry.added) == (
        "https://example.org/tea",
        "c" * 40,
        "2026-11-29T12:00:00+00:00",
    )
    assert entry.files == package.hashes
    assert {name: data for name, data in content(root).items() if name != FILE_NAME} == dict(TEA)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in root.rglob("*")}
    assert modes == {
        "tea": 0o700,
        "scripts": 0o700,
        "references": 0o700,
        "boil.py": 0o700,
        FILE_NAME: 0o600,
        "SKILL.md": 0o600,
        "leaves.md": 0o600,
    }
    assert store(root).changes("tea") == ()
    assert names(root) == ["tea"]


@pytest.mark.req("X-267")
def test_killed_at_any_step_a_skill_is_whole_or_absent_and_the_same_command_finishes(
    tmp_path: Path, package: Package
) -> None:
    calls = Calls()
    store(tmp_path / "whole", calls).add(package, "source")
    for step in range(len(calls.made)):
        root = tmp_path / str(step)
        with pytest.raises(Killed):
            store(root, Calls(step)).add(package, "source")

        used = SkillFolders((root,)).scan().skills
        assert len(used) in (0, 1)
        if used:
            assert store(root).changes("tea") == ()
            continue
        assert not (root / "tea").exists()
        store(root).add(package, "source")
        assert content(root) == content(tmp_path / "whole")
        assert names(root) == ["tea"]


@pytest.mark.req("X-267")
def test_killed_at_any_step_a_skill_is_the_old_or_the_new_or_waits_to_be_accepted(
    tmp_path: Path, package: Package, newer: Package
) -> None:
    calls = Calls()
    store(tmp_path / "whole").add(package, "source")
    store(tmp_path / "whole", calls).add(newer, "source", replaces=True)
    outcomes = set()
    for step in range(len(calls.made)):
        root = tmp_path / str(step)
        store(root).add(package, "source")
        with pytest.raises(Killed):
            store(root, Calls(step)).add(newer, "source", replaces=True)

        files = content(root / "tea")
        is_new = files == {name: file.data for name, file in newer.files.items()}
        assert is_new or files == {name: file.data for name, file in package.files.items()}
        used, changed = names(root), store(root).changes("tea")
        assert used == ([] if changed else ["tea"])
        outcomes.add((is_new, bool(changed)))
        store(root).add(newer, "source", replaces=True)
        assert content(root) == content(tmp_path / "whole")
    assert outcomes == {(False, False), (True, True), (True, False)}


@pytest.mark.req("X-267")
def test_a_skill_is_safe_from_a_power_loss_before_its_folder_has_its_name(root: Path, package: Package) -> None:
    at_risk: list[set[str]] = []

    def look(call: str, _data: bytes) -> None:
        if call == "replace":
            at_risk.append({path for path in disk.at_risk(root) if not path.startswith(f".{FILE_NAME}")})

    disk = RecordingDisk(before=look)
    SkillStore(root, lambda: NOW, disk).add(package, "source")

    assert at_risk[1:] == [set()], "when the folder gets its name"
    assert disk.surviving(root / FILE_NAME) is not None
    assert disk.surviving(root / "tea" / "SKILL.md") == TEA["tea/SKILL.md"]
    disk.lose_power()
    assert names(root) == ["tea"]


def test_names_are_safe_before_the_record_says_so(root: Path, package: Package, newer: Package) -> None:
    store(root).add(package, "source")
    replacing, removing = Calls(), Calls()
    store(root, replacing).add(newer, "source", replaces=True)
    store(root, removing).remove("tea")

    at = replacing.made.index("exchange")
    assert replacing.made[at + 1 : at + 3] == ["sync_folder", "unlink"]
    assert removing.made[:2] == ["replace", "sync_folder"]


def test_the_folder_of_skills_is_safe_with_its_first_skill(root: Path, package: Package) -> None:
    root.parent.mkdir()
    disk = RecordingDisk()
    disk.sync_folder(root.parent)

    SkillStore(root, lambda: NOW, disk).add(package, "source")

    assert disk.surviving(root / FILE_NAME) is not None


def test_a_skill_that_is_there_is_replaced_only_if_asked_for(root: Path, package: Package, newer: Package) -> None:
    store(root).add(package, "source")
    with pytest.raises(ValueError, match="skill 'tea': is there already"):
        store(root).add(newer, "other")
    assert store(root).record().skills["tea"].source == "source"

    store(root).add(newer, "other", replaces=True)
    assert store(root).record().skills["tea"].source == "other"
    assert sorted(path.name for path in root.iterdir()) == [FILE_NAME, "tea"]
    assert (root / "tea" / "new.md").exists()


def test_a_skill_without_hashes_can_be_accepted_and_a_changed_one_again(root: Path, package: Package) -> None:
    store(root).add(package, "source", "c")
    (root / "tea" / "SKILL.md").write_text("other")
    assert names(root) == []
    files = {**package.hashes, "SKILL.md": FileRecord("a" * 64, 5, is_executable=False)}

    store(root).accept("tea", files)
    entry = store(root).record().skills["tea"]
    assert (entry.source, entry.commit, entry.files) == ("source", "c", files)
    assert store(root).changes("tea") == ("SKILL.md: has changed, from 5 to 5 bytes",), "not what was shown"
    store(root).accept("own", package.hashes)
    assert store(root).record().skills["own"].source == ""
    with pytest.raises(ValueError, match="'link': only files can be accepted"):
        store(root).accept("own", {"link": FileRecord("", 1, is_executable=False)})


def test_a_skill_is_removed_with_its_hashes_also_after_a_kill_in_between(root: Path, package: Package) -> None:
    store(root).add(package, "source")
    with pytest.raises(Killed):
        store(root, Calls(2)).remove("tea")
    assert not (root / "tea").exists()

    assert store(root).remove("tea")
    assert sorted(path.name for path in root.iterdir()) == [FILE_NAME]
    assert store(root).record().skills == {}
    assert not store(root).remove("tea")


def test_a_skill_is_removed_although_a_killed_process_left_one_of_its_name(root: Path, package: Package) -> None:
    store(root).add(package, "source")
    write_folder(root / ".gone-tea", {"SKILL.md": b"x"})
    assert store(root).remove("tea")
    assert sorted(path.name for path in root.iterdir()) == [FILE_NAME]


def test_a_record_that_could_not_be_read_again_is_not_written(root: Path, package: Package, newer: Package) -> None:
    store(root).add(package, "source")
    with pytest.raises(ValueError, match="source must be text of at most 4096 characters"):
        store(root).add(newer, f"https://example.org/{'a' * 4_096}", replaces=True)
    assert store(root).changes("tea") == ()
    assert names(root) == ["tea"]


def test_a_damaged_record_is_refused_and_stays(root: Path, package: Package) -> None:
    root.mkdir(parents=True)
    (root / FILE_NAME).write_text("{")
    with pytest.raises(ValueError, match="must be JSON"):
        store(root).add(package, "source")
    assert [path.name for path in root.iterdir()] == [FILE_NAME]


def test_of_those_who_add_at_the_same_time_each_is_in_the_record(root: Path, tmp_path: Path) -> None:
    packages = []
    for name in ("tea", "coffee", "cocoa", "mate"):
        files = {
            path.replace("tea", name): data.replace(b"name: tea", f"name: {name}".encode())
            for path, data in TEA.items()
        }
        packages.append(read_package(Folder(write_folder(tmp_path / name, files))))
    threads = [threading.Thread(target=lambda each=each: store(root).add(each, "source")) for each in packages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(store(root).record().skills) == ["cocoa", "coffee", "mate", "tea"]
    assert sorted(names(root)) == ["cocoa", "coffee", "mate", "tea"]


def test_a_skill_in_the_way_of_a_draft_of_a_killed_process_is_taken_away(root: Path, package: Package) -> None:
    write_folder(root / ".new-tea", {"old/file": b"x"})
    write_folder(root / ".gone-coffee", {"SKILL.md": b"x"})
    store(root).add(package, "source")
    assert sorted(path.name for path in root.iterdir()) == [FILE_NAME, "tea"]
