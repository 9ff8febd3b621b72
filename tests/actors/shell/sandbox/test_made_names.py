from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from actors.shell.sandbox.caller_folder import READING
from actors.shell.sandbox.made_names import Move, obeyed_paths, set_aside
from tests.ordinary_user import as_ordinary_user


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.req("X-233")
def test_what_programs_would_obey_and_was_not_there_gets_another_name_however_deep(tmp_path: Path) -> None:
    (tmp_path / ".vscode").mkdir()
    (tmp_path / "a").mkdir()
    before = obeyed_paths(tmp_path, ())
    assert before is not None
    (tmp_path / ".vscode" / "tasks.json").touch()
    for name in ("a/b", "a/b/.cursor", "a/.idea"):
        (tmp_path / name).mkdir()
    for name in ("a/b/.cursor/mcp.json", "a/.bashrc", "a/b/notes.md", ".env", "x.pth"):
        (tmp_path / name).touch()
    moves = set_aside(tmp_path, (), before)
    assert sorted(move.name for move in moves) == [
        *(".env", "a/.bashrc", "a/.idea", "a/b/.cursor", "x.pth"),
    ]
    assert names(tmp_path) == [
        *(".vscode", ".vscode/tasks.json", "a", "a/b", "a/b/cursor.set-aside-1"),
        *("a/b/cursor.set-aside-1/mcp.json", "a/b/notes.md", "a/bashrc.set-aside-1"),
        *("a/idea.set-aside-1", "env.set-aside-1", "x.pth.set-aside-1"),
    ]


def test_a_name_that_is_taken_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "bashrc.set-aside-1").write_text("mine")
    (tmp_path / "bashrc.set-aside-2").symlink_to("nowhere")
    (tmp_path / ".bashrc").touch()
    assert set_aside(tmp_path, (), frozenset()) == [Move(".bashrc", "bashrc.set-aside-3")]
    assert (tmp_path / "bashrc.set-aside-1").read_text() == "mine"


@pytest.mark.req("X-233")
def test_a_store_of_git_is_none_any_more_whatever_it_is_called(tmp_path: Path) -> None:
    for store in ("bare", "deep/.git", "deep/.git/modules/x"):
        for name in ("HEAD", "objects", "refs"):
            (tmp_path / store / name).mkdir(parents=True)
    set_aside(tmp_path, (), frozenset())
    assert [path for path in names(tmp_path) if path.endswith(("HEAD", ".git"))] == []
    assert (tmp_path / "deep" / "git.set-aside-1" / "modules" / "x" / "HEAD.set-aside-1").exists()


@pytest.mark.req("X-233")
def test_links_out_of_the_folder_are_set_aside_and_links_within_stay(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "file").touch()
    for name, target in (("out", tmp_path / "other"), ("up", ".."), ("within", "file"), ("program", "/usr/bin/env")):
        (here / name).symlink_to(target)
    assert {move.name for move in set_aside(here, (), frozenset())} == {"out", "up"}
    assert (here / "out.set-aside-1").readlink() == tmp_path / "other"


def test_what_cannot_be_listed_is_set_aside_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0o311)
    with as_ordinary_user():
        assert set_aside(tmp_path, (), frozenset()) == [Move("shut", "shut.set-aside-1")]
    (tmp_path / "shut.set-aside-1").chmod(0o700)  # for pytest to remove


@pytest.mark.slow  # as many entries as a folder may have before a turn
@pytest.mark.req("X-233")
def test_however_many_entries_commands_have_made_the_names_among_them_are_set_aside(tmp_path: Path) -> None:
    (tmp_path / "sub" / ".vscode").mkdir(parents=True)
    many = tmp_path / "many"
    many.mkdir()
    for number in range(READING.most_entries + 1):
        file = f"{many}/file-{number // 30_000}"  # file systems bound the names of one file
        if number % 30_000 == 0:
            Path(file).touch()
        os.link(file, f"{many}/{number}")
    assert obeyed_paths(tmp_path, ()) is None
    assert set_aside(tmp_path, (), frozenset()) == [Move("sub/.vscode", "sub/vscode.set-aside-1")]
    shutil.rmtree(many)


@pytest.mark.req("X-233")
@pytest.mark.parametrize("shut", [".", "sub"])
@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_no_folder_that_commands_have_shut_keeps_a_name_in_it(tmp_path: Path, shut: str, mode: int) -> None:
    (tmp_path / "sub" / ".vscode").mkdir(parents=True)
    (tmp_path / shut).chmod(mode)
    with as_ordinary_user():
        moves = set_aside(tmp_path, (), frozenset())
        assert [move.now for move in moves] in (["sub/vscode.set-aside-1"], ["sub.set-aside-1"])
        (tmp_path / moves[0].now).chmod(0o700)
        assert not (tmp_path / "sub" / ".vscode").exists()


def test_a_folder_that_cannot_be_opened_again_is_named_and_keeps_its_name(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert set_aside(gone, (), frozenset()) == [Move(".", "")]


def test_nothing_is_looked_for_in_what_no_command_sees(tmp_path: Path) -> None:
    (tmp_path / "data" / ".git").mkdir(parents=True)
    assert obeyed_paths(tmp_path, (tmp_path / "data",)) == frozenset()
    assert set_aside(tmp_path, (tmp_path / "data",), frozenset()) == []


@pytest.mark.req("X-233")
def test_folders_that_are_hidden_by_name_are_searched_too(tmp_path: Path) -> None:
    (tmp_path / ".aws" / ".git").mkdir(parents=True)
    assert [move.name for move in set_aside(tmp_path, (), frozenset())] == [".aws/.git"]


def test_environments_of_python_stay_where_they_were_made(tmp_path: Path) -> None:
    for name in (".venv/bin", "venv/lib"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    assert set_aside(tmp_path, (), frozenset()) == []
