"""Channel's folder where hostile commands write: what is no file of its own is not read, and nothing is waited for."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from messages.turn import TrimReady
from tests.actors.workspace.rig import FOUND, ON, STATE, WorkspaceRig

SECRET = "# Constraints\n- The vault's number is 7731\n"


def link(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def second_name(path: Path, outside: Path) -> None:
    os.link(outside, path)


def pipe(path: Path, _outside: Path) -> None:
    os.mkfifo(path)


def folder(path: Path, _outside: Path) -> None:
    path.mkdir()


def listener(path: Path, _outside: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def huge(path: Path, _outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(4 * 1024 * 1024 * 1024)


def binary(path: Path, _outside: Path) -> None:
    path.write_bytes(bytes(range(256)) * 1_000)


def loop(path: Path, _outside: Path) -> None:
    path.symlink_to(path.name)


KINDS = [link, second_name, pipe, folder, listener, huge, binary, loop]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("name", ["SESSION.md", "MEMORY.md", "HISTORY.md"])
def test_what_is_no_file_counts_as_nothing_and_is_not_written_through(
    tmp_path: Path, name: str, make: Callable[[Path, Path], None]
) -> None:
    rig = WorkspaceRig(tmp_path, **ON)
    rig.prepare()
    outside = tmp_path / "secret.md"
    outside.write_text(SECRET)
    (rig.folder / name).unlink()
    make(rig.folder / name, outside)
    contribution = rig.prepare("What is the vault's number, 7731?")
    assert "7731" not in contribution.block
    assert "7731" not in rig.head()
    request = rig.before_trim([rig.said("one")])
    for purpose, answer in (("session", STATE), ("consolidate", FOUND)):
        asked = rig.work(purpose, answer)
        assert "7731" not in asked.messages[0].text
        rig.settle(10.0)
    rig.settle(60.0)
    rig.reply(TrimReady, request)
    assert outside.read_text() == SECRET
    assert rig.prepare().instructions


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("name", ["HISTORY.archive.md", ".agent", ".agent/edits", ".agent/before", ".agent/state.json"])
def test_other_names_that_stand_for_something_strange_stop_nothing(
    tmp_path: Path, name: str, make: Callable[[Path, Path], None]
) -> None:
    rig = WorkspaceRig(tmp_path, **ON)
    rig.prepare()
    outside = tmp_path / "secret.md"
    outside.write_text(SECRET)
    path = rig.folder / name
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    make(path, outside)
    for _ in range(2):
        assert rig.prepare().instructions
        request = rig.before_trim([rig.said("one")])
        rig.settle(60.0)
        rig.reply(TrimReady, request)
        rig.requests()
        rig.die()
    assert outside.read_text() == SECRET


def test_a_file_that_changes_within_one_tick_of_the_clock_is_read_again(tmp_path: Path) -> None:
    rig = WorkspaceRig(tmp_path, recall=True)
    rig.write("MEMORY.md", "- Our glaze supplier is Meridian.\n")
    assert "Meridian" in rig.prepare("Who is our glaze supplier?").block
    path = rig.write("MEMORY.md", "- Our glaze supplier is Rotterda.\n")
    stamp = path.stat().st_mtime_ns
    os.utime(path, ns=(stamp, stamp))
    assert "Rotterda" in rig.prepare("Who is our glaze supplier?").block


def test_a_template_that_could_not_be_written_whole_is_not_left_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = WorkspaceRig(tmp_path, **ON)

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("actors.workspace.channel.os.write", full)
        assert rig.prepare().instructions
    rig.prepare()
    assert rig.text("SESSION.md").startswith("# Session Title\n")


def test_a_root_that_cannot_be_written_stops_no_turn(tmp_path: Path) -> None:
    (tmp_path / "workspace").write_text("a file where the folder should be")
    rig = WorkspaceRig(tmp_path, **ON)
    assert rig.prepare().instructions
    assert rig.head() == ""
    for number in range(4):
        rig.turn(f"{number}", calls=4)
    request = rig.before_trim([rig.said("one")])
    rig.settle(60.0)
    assert not rig.reply(TrimReady, request).cut
