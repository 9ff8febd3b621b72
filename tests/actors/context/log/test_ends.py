from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.context.log.ends import FILE_NAME, EndsFile
from actors.context.log.recovery import Recovery, survey
from actors.context.log.scan import read_tail_state
from domain.log.tail import TailState
from messages.base import Window
from tests.actors.context.rig import CHANNEL, THREAD, Rig


class Reading:
    """Surveys, and the logs whose ends they have read, newest last."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def survey(self, root: Path) -> Recovery:
        self.names.clear()
        return survey(root, keeps_ends=True, read=self._read)

    def _read(self, path: str) -> TailState:
        self.names.append(Path(path).parent.name)
        return read_tail_state(path)


@pytest.fixture
def reading() -> Reading:
    return Reading()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A settled channel, and a thread with an open question."""
    rig = Rig(tmp_path)
    rig.say("hello", 41)
    rig.answer("hi")
    rig.deliver()
    rig.say("in the thread", 42, THREAD)
    rig.kill()
    return tmp_path


def log_of(root: Path, window: Window = CHANNEL) -> Path:
    (log,) = (root / "logs" / window.surface.value / window.id).glob("*.md")
    return log


def test_what_was_settled_is_not_read_again_and_is_known_all_the_same(root: Path, reading: Reading) -> None:
    first = reading.survey(root)
    assert sorted(reading.names) == sorted([CHANNEL.id, THREAD.id])

    again = reading.survey(root)

    assert reading.names == [THREAD.id]
    assert (again.unfinished, again.last_seen) == (first.unfinished, first.last_seen)
    assert first.unfinished == (THREAD,)
    assert (root / FILE_NAME).stat().st_mode & 0o777 == 0o600


def append(log: Path) -> None:
    with log.open("ab") as file:
        file.write(b"x")


def alter(log: Path) -> None:
    """As an editor of bytes would, that also sets the time back."""
    before = log.stat()
    with log.open("r+b") as file:
        file.seek(before.st_size - 30)
        file.write(b"#")
    os.utime(log, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(log: Path) -> None:
    data = log.read_bytes()
    log.rename(log.with_suffix(".old"))
    log.write_bytes(data)


def add_newer(log: Path) -> None:
    """A log that was made later and holds less than a record, as after a kill."""
    (log.parent / "20991231T000000Z_0002.md").write_bytes(b"<!-- ")


@pytest.mark.parametrize("change", [append, alter, replace, add_newer])
def test_a_log_that_is_no_longer_the_same_is_read(root: Path, reading: Reading, change: Callable[[Path], None]) -> None:
    reading.survey(root)
    change(log_of(root))

    recovery = reading.survey(root)

    assert CHANNEL.id in reading.names
    assert recovery == survey(root)


def test_a_link_in_the_place_of_a_windows_folder_is_no_window(root: Path) -> None:
    survey(root, keeps_ends=True)
    folder = log_of(root).parent
    folder.symlink_to(folder.rename(folder.with_name("elsewhere")))
    assert CHANNEL.address.key not in survey(root, keeps_ends=True).last_seen


def test_a_window_that_is_gone_is_not_remembered(root: Path) -> None:
    survey(root, keeps_ends=True)
    log = log_of(root)
    log.unlink()
    assert CHANNEL.address.key not in survey(root, keeps_ends=True).last_seen
    log.parent.rmdir()
    assert CHANNEL.address.key not in survey(root, keeps_ends=True).last_seen
    assert EndsFile(root).load() == {}


@pytest.mark.parametrize("data", [b"", b"log-ends 2\n", b"log-ends 1\n0123456789abcdef\x80", b"\xff" * 99])
def test_a_damaged_file_counts_as_none(root: Path, data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    whole = survey(root, keeps_ends=True)
    (root / FILE_NAME).write_bytes(data)

    assert survey(root, keeps_ends=True) == whole
    assert f"{FILE_NAME} is damaged" in caplog.text
    assert CHANNEL.address.key in EndsFile(root).load()


def test_a_file_cut_short_at_any_byte_counts_as_none(root: Path) -> None:
    survey(root, keeps_ends=True)
    data = (root / FILE_NAME).read_bytes()
    for length in range(len(data)):
        (root / FILE_NAME).write_bytes(data[:length])
        assert EndsFile(root).load() == {}


def test_a_place_that_takes_no_file_costs_nothing_but_time(
    root: Path, reading: Reading, caplog: pytest.LogCaptureFixture
) -> None:
    (root / FILE_NAME).mkdir()

    recovery = reading.survey(root)

    assert recovery.unfinished == (THREAD,)
    assert "so the next start takes longer" in caplog.text
    assert sorted(path.name for path in root.glob(f".{FILE_NAME}*")) == []
    assert sorted(reading.names) == sorted([CHANNEL.id, THREAD.id])


def test_who_does_not_hold_the_data_root_notes_nothing(root: Path) -> None:
    survey(root)
    assert not (root / FILE_NAME).exists()


def test_a_pipe_in_the_place_of_the_noted_ends_counts_as_none(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.mkfifo(root / FILE_NAME)

    assert survey(root, keeps_ends=True).unfinished == (THREAD,)
    assert "not a regular file" in caplog.text
    assert (root / FILE_NAME).is_file(), "it is written anew"
