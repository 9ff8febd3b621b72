"""Folders for their owner alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.linux.private_folder import TemporaryFolder, make_private, remove_abandoned


def test_whatever_the_umask_each_folder_that_was_missing_is_its_owners_and_no_other_is_changed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there").chmod(0o755)
    before = os.umask(0)
    try:
        make_private(tmp_path / "there" / "a" / "b")
        make_private(tmp_path / "there" / "a" / "b")
        make_private(tmp_path / "there")
    finally:
        os.umask(before)

    modes = [(tmp_path / "there" / name).stat().st_mode & 0o777 for name in (".", "a", "a/b")]
    assert modes == [0o755, 0o700, 0o700]


def test_what_is_in_the_way_is_an_error(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, name in enumerate(["file", "file/below", "gone", "gone/below"]):
        with subtests.test(name=name):
            root = tmp_path / str(number)
            root.mkdir()
            (root / "file").touch()
            (root / "gone").symlink_to(root / "nowhere")
            with pytest.raises(OSError, match=name.partition("/")[0]):
                make_private(root / name)


def test_no_actor_makes_folders_above_folders_in_another_way() -> None:
    sources = (file for file in (Path(__file__).parents[3] / "actors").rglob("*.py"))
    others = [file.name for file in sources if "parents=True" in file.read_text()]

    assert others == ["log_visibility.py"]  # mount points in a sandbox


KIND = "agent-trial-"
HOLDER = """
import sys
from actors.linux.private_folder import TemporaryFolder
folder = TemporaryFolder("agent-trial-")
print(folder.name, flush=True)
sys.stdin.read()
folder.cleanup()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The system's temporary folder, for this test and its children."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


def holder() -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", HOLDER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def end(process: subprocess.Popen[str], number: int | None = None) -> None:
    with process:
        if number is not None:
            process.send_signal(number)


def test_a_temporary_folder_is_private_and_ends_with_its_use(place: Path) -> None:
    with TemporaryFolder(KIND) as name:
        folder = Path(name)
        assert (folder.parent, folder.stat().st_mode & 0o777) == (place, 0o700)
        (folder / "file").touch()


def test_what_a_killed_process_left_is_removed_with_the_next_and_what_is_held_stays(place: Path) -> None:
    killed, left = holder()
    (left / "below").mkdir()
    (left / "below" / "file").touch()
    end(killed, signal.SIGKILL)
    live, held = holder()
    try:
        assert list(place.iterdir()) == [held]
        with TemporaryFolder(KIND) as name:
            assert set(place.iterdir()) == {held, Path(name)}
        with TemporaryFolder("agent-other-"):
            assert held.exists()
    finally:
        end(live)


def test_another_kind_a_file_and_a_link_are_left_alone(place: Path) -> None:
    others = [place / "agent-others", place / f"{KIND}file", place / f"{KIND}link", place / "target"]
    others[0].mkdir()
    others[1].touch()
    others[3].mkdir()
    others[2].symlink_to(others[3])
    remove_abandoned(KIND)

    assert set(place.iterdir()) == set(others)
    others[0].rmdir()
    others[1].unlink()
    others[2].unlink()
    others[3].rmdir()


def test_folders_that_many_processes_make_at_once_are_all_held(place: Path) -> None:
    holders = [holder() for _ in range(4)]
    try:
        assert {folder for _, folder in holders} == set(place.iterdir())
    finally:
        for process, _ in holders:
            end(process)


def test_a_folder_is_made_though_it_cannot_be_held(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_fd: int, _how: int) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr("fcntl.flock", refuse)
    with TemporaryFolder(KIND) as name:
        assert Path(name).is_dir()
        remove_abandoned(KIND)
        assert Path(name).is_dir()
