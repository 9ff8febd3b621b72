"""Rows 5, 6 and 17-20: logs that were torn or edited, disks that are full, fail, or may not be written."""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path

import pytest

from actors.context.checks import findings
from actors.context.log.data_root import DataRoot, DataRootError
from actors.context.log.file import WindowLog, check_file
from actors.part import Level
from domain.log.parser import parse
from lab.chaos.reminders.world import Channel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.context.rig import CHANNEL, THREAD, Rig, texts
from tests.actors.memory.test_faults import finds_zorro, is_well, with_zorro
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import line
from tests.domain.log.logs import START, WINDOW, message_event
from tests.e2e.stage import Process, bot_texts
from tests.matrix.loop_disk import loop_disk
from tests.patience import PATIENCE_S, eventually
from tests.recording_disk import RecordingDisk, TornWrite


def test_row_05_a_last_event_torn_at_any_byte_is_sealed_and_costs_no_other(tmp_path: Path) -> None:
    log = WindowLog.create(tmp_path, WINDOW, START, "alice")
    log.append(message_event(1, "first"), message_event(2, "second"))
    whole = log.path.stat().st_size
    log.append(message_event(3, "the last one, with `fences` ``` and\n## a heading"))
    data = log.path.read_bytes()
    log.close()

    for cut in range(whole, len(data)):
        log.path.write_bytes(data[:cut])
        opened = WindowLog.open_newest(tmp_path, WINDOW)
        assert opened is not None
        assert [logged.event.content for logged in opened[1].events] == ["first", "second"], cut
        opened[0].append(message_event(4, "told later"))
        opened[0].close()
        assert log.path.read_bytes()[:cut] == data[:cut], "nothing that was written ever changes"
        assert [logged.event.content for logged in parse(log.path.read_bytes()).events][2:] == ["told later"], cut
        assert check_file(log.path) == (), cut


@pytest.mark.parametrize("harm", ["edited", "deleted"])
def test_row_06_a_log_that_somebody_changed_is_told_once_and_troubles_no_other_window(
    tmp_path: Path, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    rig = Rig(tmp_path)
    for number, window in enumerate((CHANNEL, THREAD), 1):
        rig.say("the first words", number, window)
        rig.answer("the first answer")
        rig.deliver()
        rig.say("the second words", number + 10, window)
        rig.answer("the second answer")
        rig.deliver()
    (path,) = rig.logs(THREAD)
    other = rig.logs()[0].read_bytes()
    rig.stop()
    if harm == "edited":
        path.chmod(0o600)
        path.write_bytes(path.read_bytes().replace(b"the first words", b"the worst words"))
    else:
        path.unlink()

    again = Rig(tmp_path)
    with caplog.at_level(logging.WARNING):
        again.say("the third words", 21, THREAD)
        asked = texts(again.answer("the third answer"))
        again.deliver()
        again.say("the fourth words", 31, THREAD)
        again.answer("the fourth answer")
        again.deliver()
        again.say("the third words", 22)
        assert "the first answer" in texts(again.answer("well"))
        again.deliver()
    again.stop()

    assert "the worst words" not in asked
    assert caplog.text.count("bytes skipped") == (1 if harm == "edited" else 0)
    assert [path for path in (tmp_path / "logs").rglob("*.md") if path.read_bytes().startswith(other)] != []
    if harm == "edited":
        (found,) = [found for found in findings(tmp_path) if found.name == "logs"]
        assert (found.level, path.name in found.detail) == (Level.FAIL, True)


class Full:
    """A disk that takes so many more bytes, the last of them silently short; as a full disk does."""

    def __init__(self, disk: RecordingDisk) -> None:
        self.room: int | None = None
        disk.before = self._before

    def _before(self, call: str, data: bytes | None) -> None:
        if call != "write" or self.room is None or data is None:
            return
        part, self.room = data[: self.room], max(0, self.room - len(data))
        if len(part) < len(data):
            raise TornWrite(part, None if part else OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


@pytest.mark.parametrize("room", [0, 1, 100, 250])
def test_row_17_a_full_disk_is_told_and_not_answered_and_resumes_by_itself(tmp_path: Path, room: int) -> None:
    rig = Rig(tmp_path)
    full = Full(rig.disk)
    rig.say("before", 1)
    rig.answer("yes")
    rig.deliver()

    full.room = room
    rig.say("words that need more than is left " * 9, 2)
    assert rig.requests() == [], "what is not stored is not acted upon"
    assert "cannot store" in rig.deliver().text
    full.room = None
    rig.say("after", 3)
    asked = rig.answer("again")

    assert texts(asked) == ["before", "yes", "after"]
    assert rig.deliver().text == "again"
    assert rig.logs()
    rig.stop()


def test_row_18_a_full_disk_under_the_index_costs_rows_for_a_while_and_no_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rig = with_zorro(tmp_path)
    assert rig.memory_store is not None
    connection = rig.memory_store.index.connection
    ((pages,),) = connection.execute("PRAGMA page_count")
    list(connection.execute(f"PRAGMA max_page_count = {pages}"))
    with caplog.at_level(logging.WARNING):
        rig.exchange("A long story. " * 5_000, "I see.")
    assert len([text for text in caplog.messages if "cannot be written" in text]) == 1
    assert finds_zorro(rig)
    list(connection.execute("PRAGMA max_page_count = 1000000"))
    rig.advance(180)
    is_well(rig, 6)
    rig.stop()


def test_row_19_a_sync_that_fails_gives_the_file_up_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written or synced through a descriptor whose sync has failed: the file is opened and read anew."""
    failing, abandoned, used = [False], set[int](), list[bool]()
    sync, write, close = RecordingDisk.sync, RecordingDisk.write, WindowLog.close

    def note_sync(disk: RecordingDisk, fd: int) -> None:
        used.append(fd in abandoned)
        if failing[0]:
            abandoned.add(fd)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(disk, fd)

    def note_write(disk: RecordingDisk, fd: int, data: bytes) -> int:
        used.append(fd in abandoned)
        return write(disk, fd, data)

    def note_close(log: WindowLog) -> None:
        abandoned.discard(log._descriptor._fd)
        close(log)

    monkeypatch.setattr(RecordingDisk, "sync", note_sync)
    monkeypatch.setattr(RecordingDisk, "write", note_write)
    monkeypatch.setattr(WindowLog, "close", note_close)
    rig = Rig(tmp_path)
    rig.say("before", 1)
    rig.answer("yes")
    rig.deliver()

    failing[0] = True
    rig.say("not safe", 2)
    assert rig.requests() == []
    assert "Input/output error" in rig.deliver().text
    failing[0] = False
    rig.say("after", 3)
    rig.answer("again")

    assert rig.deliver().text == "again"
    assert used.count(True) == 0
    rig.stop()


def test_row_20_a_data_root_that_cannot_be_written_is_named_at_the_start(tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.write_text("a file where a folder belongs")
    with pytest.raises(DataRootError, match="cannot be written") as refused:
        DataRoot(root).hold()
    assert str(root) in str(refused.value)


@pytest.mark.root
def test_row_20_a_data_root_on_a_read_only_disk_is_named_at_the_start(tmp_path: Path) -> None:
    with loop_disk(tmp_path) as disk:
        disk.fail()
        with pytest.raises(DataRootError, match="Read-only file system"):
            DataRoot(disk.folder / "data").hold()


@pytest.mark.root
def test_row_20_a_disk_that_becomes_read_only_is_told_and_costs_no_process(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    """As ext4 does with an error of its own: what is open for writing takes nothing any more either."""
    with loop_disk(tmp_path) as disk:
        root = disk.folder / "data"
        root.mkdir()
        (root / "reminders.md").write_text("# Mine\n")
        process = Process(server, root)
        process.start()
        try:
            server.wait_for_reply(GENERAL_ID, after=server.say(GENERAL_ID, "before"), timeout_s=PATIENCE_S)
            disk.fail()
            server.say(GENERAL_ID, "while it is read-only")
            eventually(lambda: any("cannot store" in text for text in bot_texts(server)))
            server.say(GENERAL_ID, "later")
            eventually(lambda: sum("cannot store" in text for text in bot_texts(server)) == 2)
            assert process.is_running
        finally:
            process.kill()


@pytest.mark.crashes
@pytest.mark.parametrize(
    "catchup_hours",
    [0.0, 12.0],
)
def test_row_20_reminders_are_said_though_nothing_can_be_written(
    start: StartProcess, file: Path, channel: Channel, monkeypatch: pytest.MonkeyPatch, catchup_hours: float
) -> None:
    file.write_text(line("tea", "2026-03-28 12:03") + "\n")
    process = start(catchup_hours=catchup_hours)
    process.pass_minutes(1)
    opened = os.open

    def read_only(path: str, flags: int, *arguments: int, **options: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            refuse()
        return opened(path, flags, *arguments, **options)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as disk:
        disk.setattr(os, "open", read_only)
        for call in ("utime", "rename", "replace", "link", "unlink", "mkdir", "fsync"):
            disk.setattr(os, call, refuse)
        process.pass_minutes(9)
        assert process.system.supervisor.crashes() == {}
    assert [text for text in channel.texts() if "tea" in text] != []
