"""Added skills and the record of their hashes: any change is seen, and a changed skill is not used."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.skill_files.folders import SkillFolders
from actors.skill_files.installed import InstalledSkills, VisibleRoots, read_record
from domain.policy.foreign_skill.record import FILE_NAME, Entry, FileRecord, Record
from tests.actors.skill_files.test_folders import names, write


def record(root: Path, *folders: str) -> None:
    """Keep the hashes of skills as they are now."""
    kept = Record()
    for name in folders:
        kept = kept.with_skill(name, Entry(InstalledSkills(root).files(name), "https://example.org/tea"))
    (root / FILE_NAME).write_text(kept.render())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("tea", "coffee"):
        write(tmp_path / name)
        (tmp_path / name / "scripts").mkdir()
        (tmp_path / name / "scripts" / "a.py").write_text("print(1)\n")
    record(tmp_path, "tea")
    return tmp_path


def changes(root: Path) -> tuple[str, ...]:
    found = SkillFolders((root,)).scan()
    return found.changed[0].changes if found.changed else ()


def test_hashes_are_of_the_files_that_lie_there(root: Path) -> None:
    """vercel-labs/skills issue 806: hashes of a source, which is not what was installed, can never be compared."""
    files = read_record(root).skills["tea"].files
    assert files["scripts/a.py"] == FileRecord(hashlib.sha256(b"print(1)\n").hexdigest(), 9, is_executable=False)
    assert files.keys() == {"SKILL.md", "scripts/a.py"}


@pytest.mark.req("X-267")
def test_each_kind_of_change_is_told_and_takes_the_skill_out_of_use(root: Path, subtests: pytest.Subtests) -> None:
    """vercel-labs/skills issue 1812: a check that never looks at the files finds nothing."""
    script, skill = root / "tea" / "scripts" / "a.py", root / "tea" / "SKILL.md"
    outside = root / "outside.py"
    outside.write_text(script.read_text())

    def swap() -> None:
        script.unlink()
        script.symlink_to(outside)

    def renew() -> None:
        script.unlink(missing_ok=True)
        script.write_text("print(1)\n")
        record(root, "tea")

    cases: dict[str, Callable[[], object]] = {
        "SKILL.md: has changed, from 47 to 50 bytes": lambda: skill.write_text(skill.read_text() + "new"),
        "scripts/a.py: has changed, from 9 to 9 bytes": lambda: script.write_text("print(2)\n"),
        "scripts/a.py: is missing": script.unlink,
        "scripts/b.py: is new": lambda: (root / "tea" / "scripts" / "b.py").touch(),
        "scripts/a.py: can be run now": lambda: script.chmod(0o755),
        "scripts/a.py: is no longer a file": swap,
    }
    for words, change in cases.items():
        with subtests.test(words=words):
            renew()
            assert names(root) == ["coffee", "tea"]
            change()
            assert changes(root) == (words,)
            found = SkillFolders((root,)).scan()
            assert [each.name for each in found.skills] == ["coffee"]
            assert found.warnings == (
                f"{root / 'tea'}: is not used, because it differs from the accepted files: {words}",
            )


def test_a_change_is_seen_by_the_next_scan_and_undone_by_the_old_content(root: Path) -> None:
    folders, script = SkillFolders((root,)), root / "tea" / "scripts" / "a.py"
    assert folders.scan().added.keys() == {"tea"}
    before = script.stat()
    script.write_text("print(2)\n")
    os.utime(script, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert [each.name for each in folders.scan().changed] == ["tea"]
    script.write_text("print(1)\n")
    assert folders.scan().changed == ()


def test_a_changed_skill_is_not_looked_into_for_others(root: Path) -> None:
    (root / "tea" / "SKILL.md").rename(root / "tea" / "scripts" / "SKILL.md")

    assert names(root) == ["coffee"]


def test_a_skill_that_became_a_link_or_is_gone_is_told(root: Path) -> None:
    (root / "tea").rename(root.parent / "tea-elsewhere")
    assert "cannot be read: No such file or directory" in changes(root)[0]

    (root / "tea").symlink_to(root.parent / "tea-elsewhere")
    assert names(root) == ["coffee"]
    assert "cannot be read: " in changes(root)[0]


@pytest.mark.req("X-267")
@pytest.mark.parametrize("content", [b"{", b"\xff", b'{"version": 9, "skills": {}}'])
def test_a_damaged_record_takes_all_skills_of_its_folder_out_of_use(
    root: Path, content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """NousResearch/hermes-agent issue 53491: a guard that opens at an error of its settings guards nothing."""
    (root / FILE_NAME).write_bytes(content)

    found = SkillFolders((root,)).scan()

    assert found.skills == ()
    assert found.warnings[0].startswith(f"{root / FILE_NAME}: ")
    assert "no skill of this folder is used" in found.warnings[0]
    assert VisibleRoots([root]).look().roots == ()
    other = tmp_path_factory.mktemp("other")
    (other / "there").symlink_to(root)
    assert SkillFolders((root, other)).scan().skills == (), "another root leads there"


def test_a_record_that_is_a_link_or_a_pipe_is_not_followed(root: Path) -> None:
    (root / FILE_NAME).rename(root / "other.json")
    (root / FILE_NAME).symlink_to(root / "other.json")
    assert names(root) == []
    (root / FILE_NAME).unlink()
    os.mkfifo(root / FILE_NAME)
    assert names(root) == []


def test_commands_see_accepted_skills_only(root: Path) -> None:
    roots = VisibleRoots([root, root / "missing"])
    assert roots.look().hidden == ()
    (root / "tea" / "SKILL.md").write_text("other")

    assert (roots.look().roots, roots.look().hidden) == ((str(root),), (f"{root}/tea",))


def test_folders_deeper_than_a_skill_may_have_are_no_files(root: Path) -> None:
    deep = root / "tea" / "/".join("x" * 18)
    deep.mkdir(parents=True)
    (deep / "SKILL.md").touch()

    assert changes(root)[0].endswith("is new")
