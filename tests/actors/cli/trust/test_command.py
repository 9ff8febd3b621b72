"""`agent trust`: shows, records, lists, removes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.settings.trust import trust_path
from tests.actors.cli.command import run, run_on_terminal
from tests.trusted import trust

SANDBOX = '[shell]\nsandbox = "none"\n'


@pytest.fixture
def own(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who trusts nothing yet."""
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "agent.toml").write_text(SANDBOX)
    return folder


def test_it_shows_the_decisions_and_records_them(clone: Path, own: dict[str, str]) -> None:
    """anthropics/claude-code#38319: a question about trust should say what the folder brings with it."""
    done = run("agent", "trust", str(clone), cwd=clone.parent, environment=own)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f'  shell.sandbox = "none"\ntrusted: {clone}\n'
    assert run("agent", "config", cwd=clone, environment=own).stderr == ""


def test_the_list_says_which_files_are_still_as_they_were(clone: Path, own: dict[str, str]) -> None:
    for name in ("gone", "empty"):
        (clone.parent / name).mkdir()
    (clone.parent / "gone" / "agent.toml").touch()
    (clone.parent / "empty" / "data" / "skills").mkdir(parents=True)
    for folder in (clone, clone.parent / "gone", clone.parent / "empty"):
        run("agent", "trust", str(folder), cwd=clone, environment=own)
    (clone / "agent.toml").write_text(f"{SANDBOX}#\n")
    (clone.parent / "gone" / "agent.toml").unlink()

    done = run("agent", "trust", "--list", cwd=clone, environment=own)

    assert done.stdout.splitlines() == [
        f"changed  {clone}/agent.toml",
        f"trusted  {clone.parent}/empty/agent.toml (no file)",
        f"changed  {clone.parent}/gone/agent.toml",
    ]


def test_trust_can_be_taken_back_by_any_path_and_after_the_folder_is_gone(clone: Path, own: dict[str, str]) -> None:
    """jdx/mise#1500: trust that was given by one path could not be reverted by another."""
    link = clone.parent / "link"
    link.symlink_to(clone)
    run("agent", "trust", cwd=clone, environment=own)

    assert run("agent", "trust", "--remove", str(link), cwd=clone.parent, environment=own).returncode == 0
    assert run("agent", "trust", "--list", cwd=clone, environment=own).stdout == ""
    run("agent", "trust", cwd=clone, environment=own)
    (clone / "agent.toml").unlink()
    clone.rmdir()
    assert run("agent", "trust", "--remove", str(clone), cwd=clone.parent, environment=own).returncode == 0
    again = run("agent", "trust", "--remove", str(clone), cwd=clone.parent, environment=own)
    assert (again.returncode, again.stderr) == (1, f"error: {clone}: no file in this folder is trusted\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[shell]\nsandbox = 1\n", 'agent.toml:2: shell.sandbox = 1: must be "auto", "bwrap", "bundled" or "none"'),
        ("[shell\n", "agent.toml:1: not valid TOML"),
        ("[model]\napi_key = 'hunter2'\n", "secrets don't belong here"),
    ],
)
def test_what_is_bad_is_refused_with_its_line_and_not_recorded(
    clone: Path, own: dict[str, str], text: str, told: str
) -> None:
    (clone / "agent.toml").write_text(text)

    done = run("agent", "trust", cwd=clone, environment=own)

    assert (done.returncode, done.stdout) == (1, "")
    assert told in done.stderr
    assert "hunter2" not in done.stderr
    assert not trust_path(own).exists()


@pytest.mark.parametrize(
    ("name", "told"), [("none", "is no folder"), ("clone/agent.toml", "is no folder"), (".", "holds no")]
)
def test_where_there_is_nothing_to_trust_that_is_said(clone: Path, own: dict[str, str], name: str, told: str) -> None:
    done = run("agent", "trust", name, cwd=clone.parent, environment=own)

    assert done.returncode == 1
    assert told in done.stderr


@pytest.mark.parametrize(
    ("options", "typed", "is_recorded"),
    [((), b"n\n", False), ((), b"\n", False), ((), b"y\n", True), (("--yes",), b"", True)],
)
def test_on_a_terminal_it_asks_before_it_records(
    clone: Path, own: dict[str, str], options: tuple[str, ...], typed: bytes, is_recorded: bool
) -> None:
    code, shown = run_on_terminal("agent", "trust", *options, cwd=clone, environment=own, typed=typed)

    assert 'shell.sandbox = "none"' in shown
    assert ("Trust these files?" in shown) == (not options)
    assert (code == 0) == is_recorded == trust_path(own).exists()


def test_a_damaged_list_is_named_kept_and_trusts_nothing(clone: Path, own: dict[str, str]) -> None:
    run("agent", "trust", cwd=clone, environment=own)
    trust_path(own).write_text("{")

    used = run("agent-cli", "hello", cwd=clone, environment=own)
    recorded = run("agent", "trust", cwd=clone, environment=own)

    assert used.returncode == 0
    assert "is damaged: must be JSON" in used.stderr
    assert used.stderr.count("\n") == 1
    assert recorded.returncode == 1
    assert "is damaged: must be JSON" in recorded.stderr
    assert trust_path(own).read_text() == "{"


def test_the_trust_of_tests_is_that_of_the_command(clone: Path) -> None:
    trust(clone)

    assert f"trusted  {clone}/agent.toml" in run("agent", "trust", "--list", cwd=clone, environment=os.environ).stdout
