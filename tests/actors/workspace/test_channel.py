"""Channel's folder where hostile commands write: what is no file of its own is not read, and nothing is waited for."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from actors.linux.disk import RealDisk
from messages.turn import CompactionReady
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
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(here)


def huge(path: Path, _outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(64 * 1024 * 1024)  # far beyond all that is read


def binary(path: Path, _outside: Path) -> None:
    path.write_bytes(bytes(range(256)) * 1_000)


def loop(path: Path, _outside: Path) -> None:
    path.symlink_to(path.name)


KINDS = [link, second_name, pipe, folder, listener, huge, binary, loop]


def test_what_is_no_file_counts_as_nothing_and_is_not_written_through(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (make, name) in enumerate(product(KINDS, ["SESSION.md", "MEMORY.md", "HISTORY.md"])):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(make=make, name=name):
            rig = WorkspaceRig(folder, **ON)
            rig.prepare()
            outside = folder / "secret.md"
            outside.write_text(SECRET)
            (rig.folder / name).unlink()
            make(rig.folder / name, outside)
            contribution = rig.prepare("What is the vault's number, 7731?")
            assert "7731" not in contribution.block
            assert "7731" not in rig.head()
            request = rig.prepare_compaction([rig.add_turn("one")])
            for purpose, answer in (("session", STATE), ("consolidate", FOUND)):
                consulted = rig.work(purpose, answer)
                assert "7731" not in consulted.messages[0].text
                rig.settle(10.0)
            rig.settle(60.0)
            rig.reply(CompactionReady, request)
            assert outside.read_text() == SECRET
            assert rig.prepare().stores


def test_other_names_that_stand_for_something_strange_stop_nothing(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (make, name) in enumerate(
        product(KINDS, ["HISTORY.archive.md", ".agent", ".agent/edits", ".agent/before", ".agent/state.json"])
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(make=make, name=name):
            rig = WorkspaceRig(folder, **ON)
            rig.prepare()
            outside = folder / "secret.md"
            outside.write_text(SECRET)
            path = rig.folder / name
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            make(path, outside)
            rig.disk.sync_all()
            for _ in range(2):
                assert rig.prepare().stores
                request = rig.prepare_compaction([rig.add_turn("one")])
                rig.settle(60.0)
                rig.reply(CompactionReady, request)
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
        assert rig.prepare().stores
    rig.prepare()
    assert rig.text("SESSION.md").startswith("# Session Title\n")


class Calls:
    """Calls of a turn to the disk, and waits for the disk."""

    def __init__(self, rig: WorkspaceRig, patch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        self.waits = 0
        for name in ("stat", "lstat", "open", "mkdir", "scandir", "listdir"):
            patch.setattr(os, name, self._counting(name))
        self._begins = rig.system.dispatcher.blocking._begin
        patch.setattr(rig.system.dispatcher.blocking, "_begin", self._wait)

    def _counting(self, name: str) -> Callable[..., Any]:
        call = getattr(os, name)

        def count_call(*args: Any, **options: Any) -> Any:
            self.names.append(name)
            return call(*args, **options)

        return count_call

    def _wait(self) -> None:
        self.waits += 1
        self._begins()


def test_a_turn_over_files_that_did_not_change_looks_once_at_each_and_waits_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = WorkspaceRig(tmp_path, recall=True, session=True, compaction=True, can_run=True)
    rig.prepare()
    rig.clock.advance(1.0)  # what skills declare is looked at every three seconds, for all windows
    with monkeypatch.context() as patch:
        rig.is_checked = False
        calls = Calls(rig, patch)
        rig.prepare("What of the kiln?")
        rig.turn("What of the kiln?")
        assert (calls.names, calls.waits) == (["lstat"] * 4, 0)
        rig.write("MEMORY.md", "- The kiln is old.\n")
        calls.names.clear()
        assert "The kiln is old" in rig.prepare("What of the kiln?").block
        assert calls.waits == 1


def test_files_that_this_life_has_made_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = WorkspaceRig(tmp_path, recall=True)
    monkeypatch.setattr("actors.workspace.channel.read_beneath", lambda *_: pytest.fail("it is read"))
    rig.prepare()
    assert rig.text("SESSION.md").startswith("# Session Title\n")


def test_the_first_turn_of_a_new_window_makes_few_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = WorkspaceRig(tmp_path, recall=True, session=True, compaction=True, disk=RealDisk())
    rig.is_checked = False
    calls = Calls(rig, monkeypatch)
    rig.prepare()
    # three files, the system prompt's text, two documents that are not there, and folders that are synced
    assert calls.names.count("open") <= 12
    assert "scandir" not in calls.names
    assert "listdir" not in calls.names


def test_a_file_that_was_only_touched_is_not_indexed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = WorkspaceRig(tmp_path, recall=True)
    rig.write("MEMORY.md", "- Our glaze supplier is Meridian.\n")
    rig.prepare()
    os.utime(rig.folder / "MEMORY.md", (1, 1))
    monkeypatch.setattr("actors.workspace.recalling.entries", lambda *_: pytest.fail("it is read as entries"))
    assert "Meridian" in rig.prepare("Who is our glaze supplier?").block


def test_what_was_deleted_is_made_anew_by_the_next_turn(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (recall, name) in enumerate(product([False, True], ["SESSION.md", "MEMORY.md", "HISTORY.md", "."])):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(recall=recall, name=name):
            rig = WorkspaceRig(folder, recall=recall)
            rig.prepare()
            before = rig.texts
            if name == ".":
                shutil.rmtree(rig.folder)
            else:
                (rig.folder / name).unlink()
            rig.prepare()
            assert rig.texts == before
            assert rig.agent.is_dir()


def test_files_that_cannot_be_made_are_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "workspace").write_text("a file where the folder should be")
    rig = WorkspaceRig(tmp_path, **ON)
    for _ in range(3):
        rig.prepare()
    assert sum("its files cannot be made" in each.getMessage() for each in caplog.records) == 1


@pytest.mark.parametrize("recall", [False, True])
def test_files_that_cannot_be_made_are_told_of_again_once_somebody_had_made_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, recall: bool
) -> None:
    root = tmp_path / "workspace"
    root.write_text("a file where the folder should be")
    rig = WorkspaceRig(tmp_path, recall=recall)
    rig.prepare()
    root.unlink()
    for name in ("SESSION.md", "MEMORY.md", "HISTORY.md"):
        rig.write(name, "made by a person\n")
    rig.prepare()
    shutil.rmtree(root)
    root.write_text("a file again")
    rig.prepare()
    assert sum("its files cannot be made" in each.getMessage() for each in caplog.records) == 2


def test_a_root_that_cannot_be_written_stops_no_turn(tmp_path: Path) -> None:
    (tmp_path / "workspace").write_text("a file where the folder should be")
    rig = WorkspaceRig(tmp_path, **ON)
    assert rig.prepare().stores
    assert rig.head() == ""
    for number in range(4):
        rig.turn(f"{number}", calls=4)
    request = rig.prepare_compaction([rig.add_turn("one")])
    rig.settle(60.0)
    assert not rig.reply(CompactionReady, request).cut
