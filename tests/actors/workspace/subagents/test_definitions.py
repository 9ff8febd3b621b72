"""Definitions in folders."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from actors.part import SHIPPED_SKILLS
from actors.workspace.subagents.definitions import LONGEST_FILE_BYTES, MOST_FILES, Definitions

FRONT = "---\nname: {name}\ndescription: {what}\n---\nYou do it.\n"


def write(folder: Path, file: str, name: str = "a", what: str = "Does it.") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(FRONT.format(name=name, what=what))
    return folder / file


def test_an_earlier_folders_definition_counts_and_of_one_folder_the_first(tmp_path: Path) -> None:
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    write(own, "1.md", "a", "Ours.")
    second = write(own, "2.md", "a", "Again.")
    write(shipped, "a.md", "a", "Theirs.")
    write(shipped, "b.md", "b")
    write(shipped, ".hidden.md", "c")
    write(shipped, "notes.txt", "d")
    offer = Definitions((own, shipped, tmp_path / "missing")).scan()
    assert {name: each.description for name, each in offer.definitions.items()} == {"a": "Ours.", "b": "Does it."}
    assert offer.faults == (f"{second}: name 'a': is taken by 1.md, so it is not used",)


def test_a_file_is_read_again_when_it_has_changed_and_only_then(tmp_path: Path) -> None:
    path = write(tmp_path / "own", "a.md", what="Does it.")
    definitions = Definitions((tmp_path / "own",))
    first = definitions.scan()
    seen = path.stat().st_mtime_ns
    path.write_text(FRONT.format(name="a", what="Did that"))
    os.utime(path, ns=(seen, seen))
    assert definitions.scan() == first
    os.utime(path, ns=(seen, seen + 1))
    assert definitions.scan().definitions["a"].description == "Did that"
    path.unlink()
    assert definitions.scan().definitions == {}


def test_what_cannot_be_used_is_said_with_its_file(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (data, fault) in enumerate(
        [
            (b"x" * (LONGEST_FILE_BYTES + 1), f"has more than {LONGEST_FILE_BYTES} bytes, which is the most allowed"),
            (b"---\nname: \xff", "byte 10: must be UTF-8"),
            (b"---\nname: a\0", "character 11: must be text, without NUL"),
            (b"# a", "must begin with front matter between two lines of ---"),
            (b"---\n" + b"# x\n" * 5_000 + b"---\n", "front matter of 20000 characters: at most 16384 are allowed"),
            (b"---\na: " + b"[" * 101 + b"\n---\n", "front matter with 101 brackets: at most 100 are allowed"),
            (b"---\n- a\n---\n", "front matter ['a']: must be `key: value` lines"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(data=data, fault=fault):
            (folder / "x.md").write_bytes(data)
            offer = Definitions((folder,)).scan()
            assert offer.definitions == {}
            assert offer.faults == (f"{folder}/x.md: {fault}",)


def test_an_odd_value_is_a_fault_of_its_file_and_the_others_are_used(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, odd in enumerate(
        ["maxTurns: !!bool maybe", "maxTurns: !!int ''", "x: !!timestamp x", "x: a: b", "x: &x\n  - *x", "<<: {a: b}"]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(odd=odd):
            write(folder / "own", "good.md", "good")
            bad = folder / "own" / "bad.md"
            bad.write_text(f"---\nname: bad\ndescription: d\n{odd}\n---\nx\n")

            offer = Definitions((folder / "own",)).scan()

            assert set(offer.definitions) == {"good"}
            (fault,) = offer.faults
            assert fault.startswith(f"{bad}: ")
            assert "the front matter is not YAML" in fault


def test_a_number_that_cannot_be_written_out_is_worded(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (key, form) in enumerate(
        product(
            ["name", "description", "tools", "model", "maxTurns", "maxWallTimeSec", "contextMode", "paths"],
            ["{}: {}", "{}: [{}]"],
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(key=key, form=form):
            front = "name: a\ndescription: d\n" + form.format(key, f"0x{'f' * 8_000}")
            (folder / "x.md").write_text(f"---\n{front}\n---\n")

            offer = Definitions((folder,)).scan()

            assert offer.definitions == {}
            (fault,) = offer.faults
            assert fault.startswith(f"{folder}/x.md: {key} ")
            assert "<a number of some 9,633 digits>" in fault


def test_links_pipes_and_folders_are_not_followed_opened_or_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    target = write(tmp_path / "elsewhere", "a.md")
    folder.mkdir()
    (folder / "link.md").symlink_to(target)
    os.mkfifo(folder / "pipe.md")
    (folder / "sub.md").mkdir()
    offer = Definitions((folder,)).scan()
    assert offer.definitions == {}
    assert [fault.partition(": ")[2] for fault in offer.faults] == ["must be a plain file and no link"] * 3


def test_of_very_many_files_the_first_are_looked_at(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 1):
        write(tmp_path / "own", f"{number:03}.md", f"a{number}")
    offer = Definitions((tmp_path / "own",)).scan()
    assert len(offer.definitions) == MOST_FILES
    assert offer.faults == (f"{tmp_path}/own: {MOST_FILES + 1} files: only the first {MOST_FILES} are looked at",)


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("")
    assert Definitions((tmp_path / "own",)).scan().faults == (f"{tmp_path}/own: cannot be read: Not a directory",)


@pytest.mark.req("X-106")
def test_those_that_are_shipped_can_be_used() -> None:
    offer = Definitions((SHIPPED_SKILLS / "subagents",)).scan()
    assert offer.faults == ()
    assert set(offer.definitions) == {"researcher", "reviewer"}
    assert all(each.mode == "isolated" for each in offer.definitions.values())
