"""Names, kinds and sizes of a skill's members: each fault names the value and the rule."""

from __future__ import annotations

import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.foreign_skill.member import (
    LONGEST_FILE_BYTES,
    MOST_BYTES,
    MOST_FILES,
    MOST_LEVELS,
    Member,
    is_left_out,
    member_fault,
    name_fault,
    skill_fault,
)

FILE = stat.S_IFREG | 0o644


@pytest.mark.req("X-267")
@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("", "must not be empty"),
        ("/etc/passwd", "must be relative, not begin with /"),
        ("../other/SKILL.md", "must not have the part '..'"),
        ("a/../../b", "must not have the part '..'"),
        ("./a", "must not have the part '.'"),
        ("a//b", "must not have the part ''"),
        ("C:/windows/a", "must not begin with a drive's letter"),
        ("a\\..\\b", "must not hold a backslash"),
        ("a\0b", "must not hold control characters"),
        ("a\x1b[2Jb", "must not hold control characters"),
        ("a\x7f", "must not hold control characters"),
        ("\udcff", "must be UTF-8"),
        ("x" * 201, "has a part of 201 bytes, at most 200 are allowed"),
        ("/".join(["x" * 100] * 6), "has 605 bytes, at most 500 are allowed"),
        ("/".join("x" * (MOST_LEVELS + 2)), f"lies {MOST_LEVELS + 1} folders deep, at most {MOST_LEVELS} are allowed"),
    ],
)
def test_a_name_that_could_lead_elsewhere_is_refused_with_its_rule(path: str, rule: str) -> None:
    assert rule in name_fault(path)


@pytest.mark.parametrize("path", ["SKILL.md", "scripts/a b.py", "a/..b/c..", "技能/é.md", ".env", "con:1"])
def test_other_names_are_taken(path: str) -> None:
    assert name_fault(path) == ""


@given(st.text(st.sampled_from("a./\\\0:C~"), max_size=12))
def test_a_name_without_a_fault_stays_below_its_folder(path: str) -> None:
    if name_fault(path):
        return
    parts = path.split("/")
    assert not path.startswith("/")
    assert not {"", ".", ".."} & set(parts)
    assert not {"\\", "\0"} & set(path)


@pytest.mark.req("X-267")
@pytest.mark.parametrize(
    ("mode", "rule"),
    [
        (stat.S_IFLNK | 0o777, "link 'a': links are not allowed"),
        (stat.S_IFCHR | 0o600, "device 'a': only files and folders are allowed"),
        (stat.S_IFBLK | 0o600, "device 'a': only files and folders are allowed"),
        (stat.S_IFIFO | 0o600, "pipe 'a': only files and folders are allowed"),
        (stat.S_IFSOCK | 0o600, "socket 'a': only files and folders are allowed"),
        (0o600, "entry 'a': only files and folders are allowed"),
        (stat.S_IFREG | 0o4755, "mode 4755 of 'a': setuid, setgid and sticky are not allowed"),
        (stat.S_IFREG | 0o2755, "mode 2755 of 'a': setuid, setgid and sticky are not allowed"),
        (stat.S_IFDIR | 0o1777, "mode 1777 of 'a': setuid, setgid and sticky are not allowed"),
    ],
)
def test_links_devices_and_special_modes_are_refused(mode: int, rule: str) -> None:
    assert member_fault(Member("a", 0, mode)).startswith(rule)


@pytest.mark.req("X-267")
def test_sizes_and_numbers_are_bounded() -> None:
    assert "at most 16777216 are allowed" in skill_fault([Member("a", LONGEST_FILE_BYTES + 1)])
    thirds = [Member(f"{number}", MOST_BYTES // 3) for number in range(4)]
    assert skill_fault(thirds[:3]) == ""
    assert "bytes: at most 33554432 are allowed in a skill" in skill_fault(thirds)
    files = [Member(f"{number}") for number in range(MOST_FILES + 1)]
    assert skill_fault(files[:-1]) == ""
    assert skill_fault(files) == f"{MOST_FILES + 1} files: at most {MOST_FILES} are allowed in a skill"


@pytest.mark.req("X-267")
@pytest.mark.parametrize(
    "paths",
    [
        ["a.py", "A.PY"],
        ["a.py", "a.py"],
        ["Scripts/a.py", "scripts/b.py"],
        ["caf\u00e9.md", "cafe\u0301.md"],
        ["\u1e9e.md", "ss.md"],
        ["a", "a/b"],
        ["a/b", "A"],
    ],
)
def test_names_that_some_systems_take_for_one_are_refused(paths: list[str]) -> None:
    assert "is the same as" in skill_fault([Member(path) for path in paths])


def test_folders_may_be_named_and_named_again() -> None:
    folder = stat.S_IFDIR | 0o755
    members = [
        Member("a", 0, folder),
        Member("a/b", 0, folder),
        Member("a/b/c"),
        Member("a/b/d"),
        Member("a", 0, folder),
    ]
    assert skill_fault(members) == ""


def test_data_of_git_and_caches_belong_to_no_skill() -> None:
    names = [".git/config", "a/.git", "scripts/__pycache__/a.pyc", "__MACOSX/._a", "b/.DS_Store"]
    assert all(map(is_left_out, names))
    assert not any(map(is_left_out, ["SKILL.md", ".gitignore", "git/a", ".github/x.yml"]))
