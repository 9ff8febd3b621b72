from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.part import SHIPPED_SKILLS
from actors.skill_files.folders import SkillFolders, skill_findings, skill_roots, visible_folders
from tests.ordinary_user import as_ordinary_user

BODY = "---\nname: {name}\ndescription: {description}\n---\nDo it.\n"


def write(folder: Path, description: str = "Does it.", name: str = "") -> Path:
    """A skill in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "SKILL.md"
    path.write_text(BODY.format(name=name or folder.name, description=description))
    return path


def names(*roots: Path) -> list[str]:
    return [skill.name for skill in SkillFolders(roots).scan().skills]


def test_folders_with_a_skill_file_are_skills_at_any_depth_and_not_looked_into_further(tmp_path: Path) -> None:
    write(tmp_path / "b")
    write(tmp_path / "group" / "a")
    write(tmp_path / "b" / "inner")

    found = SkillFolders((tmp_path,)).scan()

    assert [(skill.name, skill.path) for skill in found.skills] == [
        ("b", str(tmp_path / "b" / "SKILL.md")),
        ("a", str(tmp_path / "group" / "a" / "SKILL.md")),
    ]
    assert found.warnings == ()


def test_hidden_folders_and_node_modules_are_left_out(tmp_path: Path) -> None:
    for name in (".hidden", "node_modules", "shown"):
        write(tmp_path / name)

    assert names(tmp_path) == ["shown"]


def test_a_file_with_front_matter_in_a_root_is_a_skill_and_other_notes_are_not(tmp_path: Path) -> None:
    (tmp_path / "loose.md").write_text(BODY.format(name="loose", description="Does it."))
    (tmp_path / "README.md").write_text("# About these skills\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "other.md").write_text(BODY.format(name="other", description="Does it."))

    found = SkillFolders((tmp_path,)).scan()

    assert [skill.name for skill in found.skills] == ["loose"]
    assert found.warnings == ()


def test_a_root_that_is_itself_a_skill_counts(tmp_path: Path) -> None:
    write(tmp_path / "one")

    assert names(tmp_path / "one") == ["one"]


def test_of_two_skills_with_one_name_the_first_roots_is_used_and_the_other_named(tmp_path: Path) -> None:
    first = write(tmp_path / "1" / "tea", "First.")
    second = write(tmp_path / "2" / "tea", "Second.")

    found = SkillFolders((tmp_path / "1", tmp_path / "2")).scan()

    assert [skill.description for skill in found.skills] == ["First."]
    assert found.warnings == (f"{second}: name 'tea': is taken by {first}, so this skill is not used",)


def test_a_skill_that_is_reached_twice_is_one(tmp_path: Path) -> None:
    real = write(tmp_path / "real" / "tea")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "tea").symlink_to(tmp_path / "real" / "tea")
    (tmp_path / "real" / "loop").symlink_to(tmp_path / "real")

    found = SkillFolders((tmp_path / "links", tmp_path / "real")).scan()

    assert [skill.path for skill in found.skills] == [str(real)]
    assert found.warnings == ()


def test_missing_folders_are_fine_and_unreadable_ones_are_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    assert skill_findings([tmp_path / "missing", file]) == (f"{file}: cannot be read: Not a directory",)


def test_a_folder_of_somebody_else_is_named(tmp_path: Path) -> None:
    write(tmp_path / "closed" / "tea")
    (tmp_path / "closed").chmod(0)

    with as_ordinary_user():
        findings = skill_findings([tmp_path])
    (tmp_path / "closed").chmod(0o700)

    assert findings == (f"{tmp_path / 'closed'}: cannot be read: Permission denied",)


def test_a_file_that_cannot_be_used_is_named_with_the_rule(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[bytes, str]] = [
        (b"# no front matter\n", "must begin with front matter between two lines of ---"),
        (b"---\nname: x\ndescription: \xff\n---\n", "byte 25: must be UTF-8"),
        (b"---\nname: x\n---\n", "description none: is required, so the skill is not used"),
        (b"---\nname: x\ndescription: Use when: never\n---\n", "line 3: the front matter is not YAML: mapping values"),
        (b"---\ndate: 2026-99-99\n---\n", "the front matter is not YAML: month must be in 1..12"),
        (b"---\n" + b"[" * 101 + b"\n---\n", "front matter with 101 brackets: at most 100 are allowed"),
        (b"---\nx: " + b"x" * 16_384 + b"\n---\n", "front matter of 16388 characters: at most 16384 are allowed"),
        (b"---\n" + b"- " * 2_000 + b"\n---\n", "the front matter is not YAML: "),
        (
            b"---\n!!python/object/apply:os.system [x]\n---\n",
            "line 2: the front matter is not YAML: could not determine",
        ),
        (b"x" * (1024 * 1024 + 1), "has 1048577 bytes: at most 1048576 are allowed"),
    ]
    for number, (content, rule) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(content=content, rule=rule):
            path = write(place / "x")
            path.write_bytes(content)

            found = SkillFolders((place,)).scan()

            assert found.skills == ()
            (warning,) = found.warnings
            assert warning.startswith(f"{path}: {rule}")


def test_a_skill_file_that_is_a_pipe_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    os.mkfifo(tmp_path / "x" / "SKILL.md")

    assert skill_findings([tmp_path]) == (f"{tmp_path / 'x' / 'SKILL.md'}: must be a plain file",)


def test_a_file_with_an_odd_value_is_named_and_all_others_are_used(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["hooks: !!bool maybe", "x: !!int ''", "paths: !!timestamp x", "m: &m\n  - *m"]
    for number, odd in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(odd=odd):
            write(place / "tea")
            bad = write(place / "bad")
            bad.write_text(bad.read_text().replace("---\nDo", f"{odd}\n---\nDo"))

            found = SkillFolders((place,)).scan()

            assert [skill.name for skill in found.skills] == ["tea"]
            (warning,) = found.warnings
            assert warning.startswith(f"{bad}: ")
            assert "the front matter is not YAML" in warning


def test_a_number_that_cannot_be_written_out_is_worded(tmp_path: Path) -> None:
    path = write(tmp_path / "x")
    huge = f"0x{'f' * 4_000}"
    path.write_text(f"---\nname: {huge}\ndescription: Does it.\nlicense: {huge}\nmetadata: [{huge}]\n---\n")

    found = SkillFolders((tmp_path,)).scan()

    assert [skill.name for skill in found.skills] == ["x"]
    assert all("<a number of some 4,817 digits>" in warning for warning in found.warnings)
    assert len(found.warnings) == 3


def test_what_was_added_edited_or_removed_is_seen_by_the_next_scan(tmp_path: Path) -> None:
    folders = SkillFolders((tmp_path,))
    path = write(tmp_path / "tea", "Old.")
    assert [skill.description for skill in folders.scan().skills] == ["Old."]

    write(tmp_path / "tea", "Newer.")
    write(tmp_path / "coffee")
    assert [skill.description for skill in folders.scan().skills] == ["Does it.", "Newer."]

    path.unlink()
    assert [skill.name for skill in folders.scan().skills] == ["coffee"]


def test_a_skill_comes_with_all_that_its_front_matter_says(tmp_path: Path) -> None:
    path = write(tmp_path / "tea")
    path.write_text(path.read_text().replace("---\nDo", "paths: [docs, '*.md']\n---\nDo"))

    found = SkillFolders((tmp_path,)).scan()

    assert found.front_matters == {"tea": {"name": "tea", "description": "Does it.", "paths": ["docs", "*.md"]}}


def test_a_file_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    folders = SkillFolders((tmp_path,))
    path = write(tmp_path / "tea", "Old.")
    folders.scan()
    before = path.stat()
    path.write_text(path.read_text().replace("Old.", "New."))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert [skill.description for skill in folders.scan().skills] == ["Old."]


def test_a_root_of_the_size_of_a_disk_is_looked_into_only_so_far(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d"):
        write(tmp_path / name)

    found = SkillFolders((tmp_path,), most_folders=3).scan()

    assert [skill.name for skill in found.skills] == ["a"]
    assert "not looked into, at most 3 folders and files are" in found.warnings[0]


def test_roots_are_the_shipped_ones_the_data_roots_and_the_configured_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/alice")

    roots = skill_roots((SHIPPED_SKILLS,), tmp_path, ("~/.agents/skills", "more", "/abs", "", "~nobody-of-that-name/x"))

    assert roots == (
        SHIPPED_SKILLS,
        tmp_path / "skills",
        Path("/home/alice/.agents/skills"),
        tmp_path / "more",
        Path("/abs"),
        tmp_path / "~nobody-of-that-name/x",
    )


def test_a_sandbox_is_shown_the_roots_and_what_their_links_lead_to(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "tea")
    write(tmp_path / "root" / "coffee")
    (tmp_path / "root" / "tea").symlink_to(tmp_path / "elsewhere" / "tea")
    (tmp_path / "linked").symlink_to(tmp_path / "root")

    shown = visible_folders((tmp_path / "linked", tmp_path / "missing"))

    assert shown == (tmp_path / "root", tmp_path / "missing", tmp_path / "elsewhere" / "tea")


def test_the_skills_that_come_with_the_agent_are_sound() -> None:
    found = SkillFolders((SHIPPED_SKILLS,)).scan()

    assert found.warnings == ()
    assert "memory-search" in [skill.name for skill in found.skills]
