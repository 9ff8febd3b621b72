from __future__ import annotations

import itertools
import os
from pathlib import Path

from actors.shell.sandbox.bubblewrap import DOOR, command_line
from actors.shell.sandbox.view import View, is_below, search_path

VIEW = View(cwd="/w/1", own=("/w/1",), readable=(("/d/logs", "/d/logs"),), executable=("/s",))


def pairs(words: tuple[str, ...], option: str) -> list[tuple[str, str]]:
    return [(words[at + 1], words[at + 2]) for at, word in enumerate(words) if word == option]


def test_a_folder_is_below_itself_but_not_below_its_namesake() -> None:
    assert is_below("/usr", ("/usr",))
    assert is_below("/usr/bin", ("/usr",))
    assert is_below("/any", ("/",))
    assert not is_below("/usr2", ("/usr",))


def test_programs_are_looked_for_only_where_they_can_be_seen(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    path = f"/usr/bin:{tmp_path}/shims:/opt/x/bin:/bin"
    assert search_path(path, ()) == "/usr/bin:/bin"
    home = os.path.realpath(tmp_path)
    assert search_path(path, (home,)) == f"/usr/bin:{home}/shims:/bin:{home}/bin".replace(
        f"{home}/shims", f"{tmp_path}/shims"
    )


def test_bubblewrap_is_told_to_leave_no_privilege_and_no_network() -> None:
    words = command_line("/usr/bin/bwrap", VIEW, "/bin/bash", "true")
    for option in (
        "--unshare-user",
        "--unshare-pid",
        "--unshare-net",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
    ):
        assert option in words
    assert ("ALL", "--disable-userns") in itertools.pairwise(words)
    assert words[-2:] == ("/bin/bash", "true")


def test_bubblewrap_leaves_the_network_open_only_if_told_so() -> None:
    opened = View(cwd="/w/1", own=("/w/1",), has_network=True)
    assert "--unshare-net" not in command_line("bwrap", opened, "bash", "true")


def test_bubblewrap_shows_what_is_named_and_changes_what_is_own() -> None:
    view = View(cwd="/w/1", own=("/w/1",), readable=(("/d/view", "/d/logs"),), executable=("/s",), door="/d/x.sock")
    words = command_line("bwrap", view, "bash", "true")
    assert pairs(words, "--bind") == [("/w/1", "/w/1")]
    shown = pairs(words, "--ro-bind-try")
    assert ("/d/view", "/d/logs") in shown
    assert ("/s", "/s") in shown
    assert ("/d/x.sock", DOOR) in shown
    assert not [source for source, _ in shown if source.startswith("/etc/ssl")]


def test_bubblewrap_lays_nothing_over_what_is_hidden(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "secrets.env").touch()
    view = View(cwd="/w", own=("/w",), hidden=(str(tmp_path / "data"), str(tmp_path / "secrets.env")))
    words = command_line("bwrap", view, "bash", "true")
    assert ("--tmpfs", str(tmp_path / "data")) in itertools.pairwise(words)
    assert ("/dev/null", str(tmp_path / "secrets.env")) in pairs(words, "--ro-bind")


def test_what_is_protected_and_hidden_lies_over_what_is_own_and_shown(tmp_path: Path) -> None:
    (tmp_path / "secrets.env").touch()
    view = View(
        cwd="/w",
        own=("/w", "/h"),
        folders=("/x",),
        protected=("/w/.git",),
        hidden=(str(tmp_path / "secrets.env"),),
        readable=(("/d/files", "/w/files"),),
    )

    words = command_line("bwrap", view, "bash", "true")

    at = [words.index(path) for path in ("/x", "/w", "/w/.git", str(tmp_path / "secrets.env"), "/w/files")]
    assert at == sorted(at)
    assert {("/x", "/x"), ("/w/.git", "/w/.git"), ("/d/files", "/w/files")} <= set(pairs(words, "--ro-bind-try"))


def test_every_file_system_in_memory_has_a_size() -> None:
    words = command_line("bwrap", VIEW, "bash", "true")

    for at, word in enumerate(words):
        if word == "--tmpfs":
            assert words[at - 2] == "--size", words[at + 1]


def test_what_the_kernel_shows_can_only_be_read() -> None:
    words = command_line("bwrap", VIEW, "bash", "true")

    for path in ("/proc", "/dev", "/"):
        at = [number for number, pair in enumerate(itertools.pairwise(words)) if pair == ("--remount-ro", path)]
        assert len(at) == 1, path
        assert [
            number for number, word in enumerate(words) if word == path and words[number - 1][2:] in ("proc", "dev")
        ] < at
