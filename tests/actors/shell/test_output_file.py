from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from actors.shell.output_file import KEPT_FILES, MAX_FILE_BYTES, OutputFile
from tests.recording_disk import RecordingDisk


def write(home: Path, name: str, *pieces: bytes) -> OutputFile:
    folder = home / "output"
    if home.exists() and not folder.is_symlink():
        folder.mkdir(exist_ok=True)
    file = OutputFile(folder, name)
    for piece in pieces:
        file.write(piece)
    return file


def test_what_was_written_is_kept_in_a_file_that_only_the_agent_may_read(tmp_path: Path) -> None:
    file = write(tmp_path, "r1", b"one ", b"two")
    path = Path(file.path)
    file.close(keep=True)
    file.close(keep=False)
    assert path == tmp_path / "output" / "r1.log"
    assert path.read_bytes() == b"one two"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_kept_file_survives_a_power_loss(tmp_path: Path) -> None:
    disk = RecordingDisk()
    file = OutputFile(tmp_path, "r1", disk)
    file.write(b"one")
    file.close(keep=True)
    assert disk.at_risk(tmp_path) == set()


def test_what_is_not_to_be_kept_leaves_no_file(tmp_path: Path) -> None:
    write(tmp_path, "r1", b"one").close(keep=False)
    assert list((tmp_path / "output").iterdir()) == []


@pytest.mark.parametrize("keep", [True, False])
def test_a_disk_that_refuses_at_the_end_costs_the_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, keep: bool
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    before = os.listdir("/proc/self/fd")  # noqa: PTH208
    file, close = write(tmp_path, "r1", b"one"), os.close

    def close_late(fd: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(fd).st_mode)
        close(fd)
        if keep and not is_folder:
            refuse()

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", refuse)
        patched.setattr(os, "close", close_late)
        file.close(keep=keep)
    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208
    assert file.fault == "Read-only file system"


def test_nothing_is_made_before_the_first_write(tmp_path: Path) -> None:
    file = write(tmp_path, "r1")
    assert file.path == ""
    file.close(keep=True)
    assert list((tmp_path / "output").iterdir()) == []


def test_beyond_8_mib_bytes_are_counted_and_thrown_away(tmp_path: Path) -> None:
    file = write(tmp_path, "r1", b"x" * (MAX_FILE_BYTES - 1), b"yz", b"more")
    assert Path(file.path).read_bytes()[-2:] == b"xy"
    assert (file.kept_bytes, file.lost_bytes, file.fault) == (MAX_FILE_BYTES, 5, "")
    file.close(keep=True)


def test_no_request_id_names_a_file_elsewhere(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, name in enumerate(["../../evil", "a/b", "", "x" * 300, "\n"]):
        with subtests.test(name=name):
            root = tmp_path / str(number)
            root.mkdir()
            file = write(root, name, b"one")
            assert Path(file.path).parent == root / "output"
            assert Path(file.path).read_bytes() == b"one"
            file.close(keep=True)


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "logs"
    secret.mkdir()
    home = tmp_path / "home"
    home.mkdir()
    (home / "output").symlink_to(secret)
    file = write(home, "r1", b"one", b"two")
    assert (file.path, file.lost_bytes) == ("", 6)
    assert file.fault
    file.close(keep=True)
    assert list(secret.iterdir()) == []


def test_a_link_in_the_place_of_the_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "r1.log").symlink_to(victim)
    write(tmp_path, "r1", b"one").close(keep=True)
    assert victim.read_text() == "untouched"
    assert (tmp_path / "output" / "r1.log").read_bytes() == b"one"


def test_a_directory_in_the_place_of_the_file_is_a_fault_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "output" / "r1.log").mkdir(parents=True)
    file = write(tmp_path, "r1", b"one")
    assert (file.path, file.lost_bytes) == ("", 3)
    assert file.fault == os.strerror(21)
    file.close(keep=True)


def test_a_home_that_is_gone_is_a_fault_and_no_crash(tmp_path: Path) -> None:
    file = write(tmp_path / "gone", "r1", b"one")
    assert file.fault == os.strerror(2)
    file.close(keep=True)


def test_only_the_newest_files_stay_and_what_a_command_put_there_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "output"
    (folder / "kept.log").mkdir(parents=True)
    (folder / "link.log").symlink_to(tmp_path)
    (folder / "notes.txt").touch()
    for number in range(KEPT_FILES + 3):
        file = write(tmp_path, f"r{number}", b"one")
        os.utime(file.path, ns=(number, number))
        file.close(keep=True)
    assert {path.name for path in folder.iterdir()} == {
        "kept.log",
        "link.log",
        "notes.txt",
        *(f"r{number}.log" for number in range(3, KEPT_FILES + 3)),
    }


def test_a_full_disk_is_a_fault_that_is_told(tmp_path: Path) -> None:
    class FullAfterThree(OutputFile):
        """Stands in for a disk with room for three bytes."""

        def _write(self, piece: memoryview) -> int:
            written = super()._write(piece[:3])
            self.fault = os.strerror(28)
            return written

    file = FullAfterThree(tmp_path, "r1")
    file.write(b"12345")
    file.write(b"678")
    assert Path(file.path).read_bytes() == b"123"
    assert (file.kept_bytes, file.lost_bytes, file.fault) == (3, 5, "No space left on device")
    file.close(keep=True)
