from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest

from actors.context.log.file import LogChanged, LogUnwritable, WindowLog, check_file
from actors.context.log.scan import newest_name
from actors.linux.disk import RealDisk
from domain.log.parser import parse
from messages.base import Surface, Window
from tests.domain.log.logs import START, WINDOW, message_event
from tests.recording_disk import RecordingDisk


class FailingDisk(RealDisk):
    """The real disk, until it is told to fail: after so many more bytes it is full, or syncs report an error."""

    def __init__(self, room_bytes: int = 1 << 40, *, says_full: bool = True) -> None:
        self.room_bytes, self.says_full = room_bytes, says_full
        self.sync_error: OSError | None = None
        self.writes = self.syncs = 0

    def write(self, fd: int, data: bytes, /) -> int:
        self.writes += 1
        part = data[: self.room_bytes]
        if not part or (len(part) < len(data) and self.says_full):
            os.write(fd, part)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room_bytes -= len(part)
        return os.write(fd, part)

    def sync(self, fd: int, /) -> None:
        self.syncs += 1
        if self.sync_error is not None:
            raise self.sync_error
        os.fdatasync(fd)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[WindowLog]:
    made = WindowLog.create(tmp_path, WINDOW, START, "alice")
    yield made
    made.close()


def texts(root: Path) -> list[str]:
    """The contents of the newest log, opened as after a restart."""
    found = WindowLog.open_newest(root, WINDOW)
    assert found is not None
    found[0].close()
    return [logged.event.content for logged in found[1].events]


@pytest.mark.req("S0-37")
def test_a_new_window_is_a_file_of_its_own_with_a_header(tmp_path: Path, log: WindowLog) -> None:
    header = parse(log.path.read_bytes()).header

    assert log.path == tmp_path / "logs/discord-thread/123456789012345678/20261122T140322Z_0001.md"
    assert header is not None
    assert (header.window, header.started_at, header.seq, header.opened_by) == (WINDOW, START, 1, "alice")
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600


def test_what_was_appended_is_read_after_a_restart(tmp_path: Path, log: WindowLog) -> None:
    log.append(message_event(1, "a"), message_event(2, "b\ud800"))
    log.sync()
    log.append(message_event(3, "c"))
    log.close()

    assert texts(tmp_path) == ["a", "b\ud800", "c"]


def test_append_says_where_each_event_stands(tmp_path: Path, log: WindowLog) -> None:
    first = log.append(message_event(1, "a\n\nb"), message_event(2))
    log.close()
    reopened = WindowLog.open_newest(tmp_path, WINDOW)
    assert reopened is not None
    second = reopened[0].append(message_event(3))
    reopened[0].close()

    lines = log.path.read_text().split("\n")
    assert [lines[at.line - 1].split(" ")[-1] for at in (*first, *second)] == ["e1", "e2", "e3"]
    events = parse(log.path.read_bytes()).events
    assert [(at.line, at.offset) for at in (*first, *second)] == [(found.line, found.offset) for found in events]


@pytest.mark.req("S0-36")
def test_nothing_written_ever_changes(tmp_path: Path) -> None:
    log = WindowLog.create(tmp_path, WINDOW, START, "alice")
    seen = b""
    for number in range(30):
        log.append(message_event(number, "x" * number))
        if number % 5 == 0:
            log.close()
            with log.path.open("ab") as crashed:
                crashed.write(b"## 2026-11-22T14:03:22"[:number])
            found = WindowLog.open_newest(tmp_path, WINDOW)
            assert found is not None
            log = found[0]
        data = log.path.read_bytes()
        assert data.startswith(seen)
        seen = data
    log.close()
    assert check_file(log.path) == ()


@pytest.mark.req("X-19")
def test_a_torn_tail_is_sealed_when_the_log_is_opened(tmp_path: Path, log: WindowLog) -> None:
    log.append(message_event(1, "a"), message_event(2, "b"))
    log.close()
    whole = log.path.read_bytes()
    log.path.write_bytes(whole[:-10])

    assert texts(tmp_path) == ["a"]
    assert log.path.read_bytes().startswith(whole[:-10] + b"\n> [!seal] torn record above")
    assert texts(tmp_path) == ["a"], "and not sealed again"
    assert check_file(log.path) == ()


def test_a_header_cut_short_by_a_crash_is_written_again(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[int] = [0, 1, 40, -1]
    for number, left in enumerate(cases):
        with subtests.test(left=left):
            root = tmp_path / str(number)
            root.mkdir()
            log = WindowLog.create(root, WINDOW, START, "alice")
            log.close()
            header = log.path.read_bytes()
            log.path.write_bytes(header[:left])

            found = WindowLog.open_newest(root, WINDOW)

            assert found is not None
            found[0].append(message_event(1, "a"))
            found[0].close()
            assert texts(root) == ["a"]
            assert check_file(log.path) == ()
            repaired = parse(log.path.read_bytes()).header
            assert repaired is not None
            assert (repaired.window, repaired.started_at, repaired.opened_by) == (WINDOW, START, "recovery")
            log.close()


@pytest.mark.req("S0-48")
def test_two_windows_of_one_second_are_two_files_and_the_later_is_the_newest(tmp_path: Path) -> None:
    logs = [WindowLog.create(tmp_path, WINDOW, START + timedelta(milliseconds=n), "a") for n in range(3)]
    for log in logs:
        log.close()

    assert [log.path.name[-8:] for log in logs] == ["_0001.md", "_0002.md", "_0003.md"]
    assert newest_name(logs[0].path.parent) == logs[2].path.name


def test_a_window_opened_under_a_clock_that_went_back_is_the_newest(tmp_path: Path) -> None:
    WindowLog.create(tmp_path, WINDOW, START, "a").close()
    later = WindowLog.create(tmp_path, WINDOW, START - timedelta(hours=1), "a")
    later.close()

    assert newest_name(later.path.parent) == later.path.name == "20261122T140322Z_0002.md"
    assert check_file(later.path) == ()


@pytest.mark.req("X-01")
def test_a_name_without_a_seq_is_a_log_and_older_than_one_with(tmp_path: Path, log: WindowLog) -> None:
    log.append(message_event(1, "a"))
    log.close()
    bare = log.path.rename(log.path.with_name("20261122T140322Z.md"))

    assert texts(tmp_path) == ["a"]
    assert check_file(bare) == ()
    WindowLog.create(tmp_path, WINDOW, START, "a").close()
    assert texts(tmp_path) == []


def test_a_window_without_a_log_has_none(tmp_path: Path) -> None:
    assert WindowLog.open_newest(tmp_path, WINDOW) is None


def test_other_files_in_the_folder_are_passed_over(tmp_path: Path, log: WindowLog) -> None:
    log.close()
    log.path.with_name("zzz.md").write_text("mine")
    log.path.with_name("99991231T235959Z_0001.md.swp").write_text("mine")

    assert newest_name(log.path.parent) == log.path.name


def test_a_window_that_is_no_discord_id_has_no_file(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, id in enumerate(["", "..", "../1234567890123456", "1" * 10_000, "12345678901234567x", "1" * 14]):
        with subtests.test(id=id):
            root = tmp_path / str(number)
            root.mkdir()
            window = Window(surface=Surface.DISCORD_THREAD, id=id)

            with pytest.raises(ValueError, match="context id"):
                WindowLog.create(root, window, START, "a")
            with pytest.raises(ValueError, match="context id"):
                WindowLog.open_newest(root, window)
            assert list(root.iterdir()) == []


def test_a_full_disk_refuses_the_event_and_the_log_goes_on_when_there_is_room(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (says_full, room_bytes) in enumerate(
        [(says_full, room_bytes) for says_full in [True, False] for room_bytes in [0, 1, 40, 100, 120]]
    ):
        with subtests.test(says_full=says_full, room_bytes=room_bytes):
            root = tmp_path / str(number)
            root.mkdir()
            log = WindowLog.create(root, WINDOW, START, "alice")
            log.close()
            disk = FailingDisk()
            found = WindowLog.open_newest(root, WINDOW, disk)
            assert found is not None
            found[0].append(message_event(1, "kept"))
            disk.room_bytes, disk.says_full = room_bytes, says_full

            with pytest.raises(LogUnwritable, match=r"No space left|the disk or a quota is full"):
                found[0].append(message_event(2, "refused"))

            again = WindowLog.open_newest(root, WINDOW)
            assert again is not None
            again[0].append(message_event(2, "told later"))
            again[0].close()
            assert texts(root) == ["kept", "told later"]
            assert check_file(log.path) == ()
            log.close()


def test_a_failed_sync_is_never_repeated_on_the_same_descriptor(tmp_path: Path) -> None:
    disk = FailingDisk()
    log = WindowLog.create(tmp_path, WINDOW, START, "a", disk)
    log.append(message_event(1, "a"))
    disk.sync_error, syncs = OSError(errno.EIO, os.strerror(errno.EIO)), disk.syncs

    with pytest.raises(LogUnwritable, match="Input/output error"):
        log.sync()
    disk.sync_error, writes = None, disk.writes
    for use in (log.sync, lambda: log.append(message_event(2)), log.end_window):
        with pytest.raises(LogUnwritable, match="given up earlier"):
            use()

    assert (disk.syncs, disk.writes) == (syncs + 1, writes)
    assert log.path.read_bytes().count(b"\n## ") == 1


def test_every_event_is_one_write(tmp_path: Path) -> None:
    disk = FailingDisk()
    log = WindowLog.create(tmp_path, WINDOW, START, "a", disk)
    disk.writes = 0

    log.append(*(message_event(number, "x" * 100_000) for number in range(5)))
    log.close()

    assert disk.writes == 5


def test_opening_syncs_what_a_killed_process_may_not_have(tmp_path: Path, log: WindowLog) -> None:
    log.append(message_event(1))
    log.close()
    disk = FailingDisk()

    found = WindowLog.open_newest(tmp_path, WINDOW, disk)

    assert found is not None
    found[0].close()
    assert (disk.syncs, disk.writes) == (1, 0)


def test_a_window_that_could_not_be_created_leaves_no_file(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[int] = [0, 50]
    for number, room_bytes in enumerate(cases):
        with subtests.test(room_bytes=room_bytes):
            root = tmp_path / str(number)
            root.mkdir()
            log = WindowLog.create(root, WINDOW, START, "alice")
            log.append(message_event(1, "a"))
            log.close()

            with pytest.raises(LogUnwritable):
                WindowLog.create(root, WINDOW, START, "a", FailingDisk(room_bytes))

            assert texts(root) == ["a"]
            log.close()


def test_a_new_log_is_whole_on_the_disk_before_it_has_its_name(tmp_path: Path) -> None:
    """A name without content would be an empty log, and the newest log of the window."""
    calls: list[str] = []
    disk = RecordingDisk(before=lambda call, _data: calls.append(call))
    WindowLog.create(tmp_path, WINDOW, START, "alice", disk).close()
    named = calls.index("replace")
    assert "write" not in calls[named:]
    assert calls[:named][-2:] == ["write", "sync"]
    assert "sync_folder" in calls[named:]


class KilledError(BaseException):
    """The process is killed."""


def test_the_name_of_a_log_whose_life_ended_at_its_naming_is_safe_with_the_next_life(tmp_path: Path) -> None:
    def kill(call: str, _data: bytes) -> None:
        if call == "sync_folder":
            raise KilledError

    disk = RecordingDisk(before=kill)
    with pytest.raises(KilledError):
        WindowLog.create(tmp_path, WINDOW, START, "alice", disk)
    disk.before = lambda _call, _data: None
    opened = WindowLog.open_newest(tmp_path, WINDOW, disk)
    assert opened is not None
    assert disk.at_risk(tmp_path) == set()
    opened[0].close()


@pytest.mark.req("C-24")
def test_a_log_that_somebody_else_wrote_to_is_not_written_over(tmp_path: Path, log: WindowLog) -> None:
    log.append(message_event(1, "a"))
    with log.path.open("a") as other:
        other.write("a remark\n")

    with pytest.raises(LogChanged, match="bytes long"):
        log.append(message_event(2, "b"))

    found = WindowLog.open_newest(tmp_path, WINDOW)
    assert found is not None
    found[0].append(message_event(2, "b"))
    found[0].close()
    assert texts(tmp_path) == ["a", "b"]


def test_a_log_that_was_replaced_or_removed_is_not_written_to(tmp_path: Path) -> None:
    for change, reason in ((Path.unlink, "no longer there"), (lambda path: path.write_bytes(b""), "replaced")):
        log = WindowLog.create(tmp_path, WINDOW, START, "a")
        kept = log.path.rename(log.path.with_suffix(".kept"))
        log.path.touch()
        change(log.path)

        with pytest.raises(LogChanged, match=reason):
            log.append(message_event(1))
        assert b"\n## " not in kept.read_bytes()


def test_a_log_that_was_cut_shorter_is_not_written_to(log: WindowLog) -> None:
    log.append(message_event(1))
    os.truncate(log.path, 100)

    with pytest.raises(LogChanged, match="100 bytes long"):
        log.append(message_event(2))


@pytest.mark.req("X-171")
def test_a_log_in_which_words_were_altered_is_not_written_to(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[bool] = [False, True]
    for number, is_opened_again in enumerate(cases):
        with subtests.test(is_opened_again=is_opened_again):
            root = tmp_path / str(number)
            root.mkdir()
            log = WindowLog.create(root, WINDOW, START, "alice")
            log.append(message_event(1, "the old words"))
            if is_opened_again:
                log.close()
                log, _ = WindowLog.open_newest(root, WINDOW) or pytest.fail("there is a log")
            log.append(message_event(2, "b"))
            with log.path.open("r+b") as other:
                data = other.read()
                other.seek(data.index(b"old"))
                other.write(b"new")
            os.utime(log.path)  # the clock of files may stand still for some milliseconds

            with pytest.raises(LogChanged, match="altered in its midst"):
                log.append(message_event(3, "c"))
            log.close()


def test_a_log_of_which_only_the_time_was_changed_is_written_to(tmp_path: Path, log: WindowLog) -> None:
    log.append(message_event(1, "a"))
    log.close()
    opened = WindowLog.open_newest(tmp_path, WINDOW)
    assert opened is not None
    opened[0].append(message_event(2, "b"))
    for number, at in enumerate((0, 1_000_000_000), 3):
        os.utime(opened[0].path, (at, at))
        opened[0].append(message_event(number, "c"))
    opened[0].close()

    assert texts(tmp_path) == ["a", "b", "c", "c"]


def test_a_folder_that_can_not_be_read_refuses_in_words(tmp_path: Path) -> None:
    folder = tmp_path / "logs/discord-thread"
    folder.mkdir(parents=True)
    (folder / WINDOW.id).touch()

    with pytest.raises(LogUnwritable, match="cannot be read: Not a directory"):
        WindowLog.open_newest(tmp_path, WINDOW)
    with pytest.raises(LogUnwritable, match="cannot be made: File exists"):
        WindowLog.create(tmp_path, WINDOW, START, "a")


def test_a_symbolic_link_is_not_followed(tmp_path: Path, log: WindowLog) -> None:
    log.close()
    elsewhere = log.path.rename(tmp_path / "elsewhere.md")
    log.path.symlink_to(elsewhere)

    with pytest.raises(LogUnwritable, match="cannot be opened"):
        WindowLog.open_newest(tmp_path, WINDOW)


@pytest.mark.req("S0-41", "X-54")
def test_an_ended_window_is_read_only_and_takes_no_more(log: WindowLog) -> None:
    log.append(message_event(1))
    log.end_window()

    assert stat.S_IMODE(log.path.stat().st_mode) == 0o444
    with pytest.raises(LogUnwritable, match="closed"):
        log.append(message_event(2))


def test_an_ended_window_without_a_successor_goes_on(tmp_path: Path, log: WindowLog) -> None:
    log.end_window()

    found = WindowLog.open_newest(tmp_path, WINDOW)

    assert found is not None
    found[0].append(message_event(1, "a"))
    found[0].close()
    assert texts(tmp_path) == ["a"]


@pytest.mark.req("S0-43")
def test_a_log_outside_the_log_root_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="log path"):
        WindowLog.open(tmp_path, PurePosixPath("notes/20261122T140322Z_0001.md"))


def test_an_event_that_is_refused_leaves_the_log_usable(tmp_path: Path, log: WindowLog) -> None:
    broken = message_event(1).__class__(
        id=message_event(1).id, at=START.replace(tzinfo=None), kind=message_event(1).kind, content=""
    )

    with pytest.raises(ValueError, match="UTC"):
        log.append(broken)
    log.append(message_event(1, "a"))
    log.close()

    assert texts(tmp_path) == ["a"]


def test_check_names_line_and_reason(tmp_path: Path, log: WindowLog) -> None:
    log.append(message_event(1, "a"), message_event(2, "b"))
    log.close()
    lines = log.path.read_bytes().split(b"\n")
    lines[7] = b"changed"
    log.path.write_bytes(b"\n".join(lines))

    found = check_file(log.path)

    assert [finding.line for finding in found] == [5]
    assert "does not continue the chain" in found[0].reason


def test_check_notices_a_log_under_another_name_or_in_another_folder(tmp_path: Path, log: WindowLog) -> None:
    log.close()
    renamed = log.path.rename(log.path.with_name("20261122T140323Z_0001.md"))
    assert [finding.line for finding in check_file(renamed)] == [1]

    folder = tmp_path / "logs/discord-channel/123456789012345679"
    folder.mkdir(parents=True)
    moved = renamed.rename(folder / log.path.name)
    assert ["folder" in finding.reason for finding in check_file(moved)] == [True]
    assert check_file(moved.rename(tmp_path / "copy.md")) == ()


def test_what_is_no_file_in_a_logs_place_is_refused_at_once_and_stays_as_it_is(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases: list[str] = ["pipe", "read-only pipe", "socket"]
    for number, what in enumerate(cases):
        with subtests.test(what=what):
            root = tmp_path / str(number)
            root.mkdir()
            log = WindowLog.create(root, WINDOW, START, "alice")
            log.close()
            log.path.unlink()
            if what == "socket":
                os.mknod(log.path, stat.S_IFSOCK | 0o600)
            else:
                os.mkfifo(log.path, 0o400 if what == "read-only pipe" else 0o600)
            mode = log.path.lstat().st_mode

            with pytest.raises(LogUnwritable, match="cannot be opened: it is not a regular file"):
                WindowLog.open_newest(root, WINDOW)
            assert log.path.lstat().st_mode == mode
            log.close()
