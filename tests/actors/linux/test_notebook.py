"""The notebook: lines and notes that survive kills and power losses, whatever the disk refuses."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.linux.notebook import Notebook, NoteFolder
from tests.recording_disk import RecordingDisk, TornWrite

MOST_BYTES = 1_000


def refusing(*calls: str, code: int = errno.EIO) -> Callable[[str, bytes], None]:
    def before(call: str, _data: bytes) -> None:
        if call in calls:
            raise OSError(code, os.strerror(code))

    return before


def tearing(length: int) -> Callable[[str, bytes], None]:
    def before(call: str, data: bytes) -> None:
        if call == "write":
            raise TornWrite(data[:length], OSError(errno.ENOSPC, "No space left on device"))

    return before


def allow(_call: str, _data: bytes) -> None:
    """Refuse no call."""


def test_durable_lines_survive_a_power_loss_and_the_others_after_a_sync(tmp_path: Path) -> None:
    disk = RecordingDisk()
    book = Notebook(tmp_path / "private" / "book", disk)
    book.append(b"a\n", b"b\n", is_durable=True)
    book.append(b"c\n", is_durable=False)
    assert book.lines() == [b"a", b"b", b"c"]
    assert disk.surviving(book.path) in (None, b"a\nb\n")
    assert book.path.parent.stat().st_mode & 0o777 == 0o700
    assert book.path.stat().st_mode & 0o777 == 0o600
    disk.sync_folder(tmp_path)
    assert disk.surviving(book.path) == b"a\nb\n"
    book.sync()
    assert disk.surviving(book.path) == b"a\nb\nc\n"


def test_a_rewritten_file_survives_a_power_loss(tmp_path: Path) -> None:
    disk = RecordingDisk()
    Notebook(tmp_path / "book", disk, lambda: [b"a\n"]).rewrite()
    assert disk.at_risk(tmp_path) == set()


def test_the_name_of_a_file_that_an_earlier_life_made_is_synced_with_the_first_line(tmp_path: Path) -> None:
    disk = RecordingDisk()
    Notebook(tmp_path / "book", disk).append(b"a\n", is_durable=False)
    book = Notebook(tmp_path / "book", disk)
    book.append(b"b\n", is_durable=True)
    assert disk.surviving(book.path) == b"a\nb\n"


def test_no_part_of_a_refused_addition_stays(tmp_path: Path) -> None:
    failures = []
    refusals = [refusing(call, code=code) for call in ("open", "write", "sync") for code in (errno.ENOSPC, errno.EROFS)]
    for number, before in enumerate([*refusals, *map(tearing, range(6))]):
        disk = RecordingDisk()
        book = Notebook(tmp_path / str(number), disk)
        book.append(b"a\n", is_durable=True)
        disk.before = before
        with pytest.raises(OSError, match=r"space|Read-only"):
            book.append(b"bb\n", b"cc\n", is_durable=True)
        disk.before = allow
        after = book.path.read_bytes()
        book.append(b"d\n", is_durable=True)
        if (after, disk.surviving(book.path)) != (b"a\n", b"a\nd\n"):
            failures.append((number, after, disk.surviving(book.path)))
    assert not failures


def test_the_name_of_a_new_file_is_synced_again_if_that_failed(tmp_path: Path) -> None:
    disk = RecordingDisk(before=refusing("sync_folder"))
    book = Notebook(tmp_path / "book", disk)
    with pytest.raises(OSError, match="Input/output error"):
        book.append(b"a\n", is_durable=True)
    disk.before = allow
    book.append(b"b\n", is_durable=True)
    assert disk.surviving(book.path) == b"b\n"


def test_an_end_without_a_line_feed_is_no_line_and_swallows_none(tmp_path: Path) -> None:
    failures = []
    for torn in (b"", b"half", b"x" * 70_000, b"x" * 65_535):
        for before in (b"", b"a\n", b"a\n" * 40_000):
            book = Notebook(tmp_path / "book")
            book.path.write_bytes(before + torn)
            lines = book.lines()
            book.append(b"b\n", is_durable=True)
            if lines != before.split() or book.path.read_bytes() != before + b"b\n":
                failures.append((before[:2], torn[:4]))
    assert not failures


def test_damage_is_told_once_and_costs_no_other_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    book = Notebook(tmp_path / "book")
    assert book.records(int) == []
    book.append(b"1\n", b"x\n", b"\xff\n", b"\n", b"2\n", is_durable=True)
    assert book.records(int) == [1, 2]
    (record,) = caplog.records
    assert "unreadable lines are skipped: 2" in record.getMessage()


def test_a_long_file_is_compacted_unless_that_saves_little(tmp_path: Path) -> None:
    disk, kept = RecordingDisk(), dict[int, bytes]()
    book = Notebook(tmp_path / "book", disk, kept.values, long_bytes=20)
    for _ in range(1_000):
        book.append(b"1\n", is_durable=True)
        kept[1] = b"1\n"
    assert len(book.path.read_bytes()) < 30
    kept.update({number: b"%d\n" % number for number in range(1_000)})
    book.rewrite()
    synced = 0

    def count(call: str, _data: bytes) -> None:
        nonlocal synced
        synced += call == "replace"

    disk.before = count
    for _ in range(100):
        book.append(b"1\n", is_durable=True)
    assert synced == 0


def test_a_file_that_cannot_be_compacted_takes_lines_all_the_same(tmp_path: Path) -> None:
    disk = RecordingDisk()
    book = Notebook(tmp_path / "book", disk, lambda: [b"1\n"], long_bytes=10)
    book.path.write_bytes(b"1\n")
    tries = 0

    def refuse(call: str, _data: bytes) -> None:
        nonlocal tries
        tries += call == "replace"
        refusing("replace")(call, b"")

    disk.before = refuse
    for _ in range(39):
        book.append(b"1\n", is_durable=True)
    assert book.lines() == [b"1"] * 40
    assert tries <= 3, "each try waits for the disk, so the size doubles before the next"
    disk.before = allow
    for _ in range(100):
        book.append(b"1\n", is_durable=True)
    assert len(book.lines()) < 60


def test_a_file_that_was_removed_is_written_anew_with_what_counts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk, kept = RecordingDisk(), [b"a\n"]
    book = Notebook(tmp_path / "in" / "book", disk, lambda: kept)
    book.append(b"a\n", is_durable=True)
    book.path.unlink()
    book.path.parent.rmdir()
    disk.before = refusing("write")
    with pytest.raises(OSError, match="Input/output error"):
        book.append(b"b\n", is_durable=True)
    disk.before = allow
    book.append(b"c\n", is_durable=True)
    assert book.lines() == [b"a", b"c"]
    assert "no longer exists: it is written again" in caplog.text


def test_the_name_of_a_file_or_folder_that_is_made_again_is_synced_again(tmp_path: Path) -> None:
    disk = RecordingDisk()
    book, notes = Notebook(tmp_path / "book", disk), folder(tmp_path, disk)
    book.append(b"a\n", is_durable=True)
    notes.put("a", b"1", is_durable=True)
    book.path.unlink()
    disk.sync_folder(tmp_path)
    disk.unlink(notes.folder / "a")
    notes.folder.rmdir()
    disk.sync_folder(notes.folder.parent)
    book.append(b"b\n", is_durable=True)
    assert disk.surviving(book.path) == b"b\n"
    notes.put("b", b"2", is_durable=True)
    assert disk.surviving(notes.folder / "b") == b"2"


@pytest.mark.parametrize("stops_at", ["open", "write", "sync", "replace"])
def test_a_file_that_cannot_be_rewritten_stays_as_it_was(tmp_path: Path, stops_at: str) -> None:
    disk = RecordingDisk()
    book = Notebook(tmp_path / "book", disk, lambda: [b"b\n"])
    book.path.write_bytes(b"a\nb\n")
    disk.before = refusing(stops_at)
    with pytest.raises(OSError, match="Input/output error"):
        book.rewrite()
    assert disk.surviving(book.path) == b"a\nb\n"
    disk.before = allow
    book.rewrite()
    assert disk.surviving(book.path) == b"b\n"


def test_nothing_is_read_from_or_written_to_a_pipe_or_a_link(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "target").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match=r"not a regular file|symbolic links"):
            Notebook(tmp_path / name).append(b"a\n", is_durable=True)
    with pytest.raises(OSError, match="not a regular file"):
        Notebook(tmp_path / "pipe").lines()
    assert (tmp_path / "target").read_bytes() == b""


def folder(path: Path, disk: RecordingDisk) -> NoteFolder:
    return NoteFolder(path / "spare" / "notes", disk, most_bytes=MOST_BYTES, above=path)


@pytest.mark.parametrize("fails_at", [None, 1, 2, 3])
def test_a_durable_note_survives_a_power_loss_with_its_folders(tmp_path: Path, fails_at: int | None) -> None:
    disk, calls = RecordingDisk(), 0

    def fail(call: str, _data: bytes) -> None:
        nonlocal calls
        calls += call == "sync_folder"
        if call == "sync_folder" and calls == fails_at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    disk.before = fail
    notes = folder(tmp_path, disk)
    if fails_at is not None:
        with pytest.raises(OSError, match="Input/output error"):
            notes.put("a", b"1", is_durable=True)
    notes.put("a", b"1", is_durable=True)
    disk.lose_power()
    assert folder(tmp_path, disk).read("a") == b"1"
    assert notes.folder.stat().st_mode & 0o777 == 0o700


def test_a_note_that_cannot_be_replaced_stays_as_it_was(tmp_path: Path) -> None:
    disk = RecordingDisk()
    notes = folder(tmp_path, disk)
    notes.put("a", b"1", is_durable=True)
    for call in ("open", "write", "sync", "replace"):
        disk.before = refusing(call)
        with pytest.raises(OSError, match="Input/output error"):
            notes.put("a", b"2", is_durable=True)
        disk.before = allow
        assert disk.surviving(notes.folder / "a") == b"1"
    notes.put("a", b"3", is_durable=False)
    assert (disk.surviving(notes.folder / "a"), notes.read("a")) == (b"1", b"3")


def test_notes_are_listed_removed_and_kept_again_when_their_folder_was_removed(tmp_path: Path) -> None:
    notes = folder(tmp_path, RecordingDisk())
    assert (notes.names(), notes.read("a")) == ([], None)
    notes.put("b/c", b"1", is_durable=False)
    notes.put("a", b"1", is_durable=True)
    assert notes.names() == ["a", "b"]
    notes.remove("a")
    notes.remove("a")
    notes.remove("b/c")
    (notes.folder / "b").rmdir()
    notes.folder.rmdir()
    notes.put("a", b"2", is_durable=True)
    assert notes.read("a") == b"2"


def test_a_note_that_is_not_the_agents_own_counts_as_missing_with_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notes = folder(tmp_path, RecordingDisk())
    notes.put("large", b"x" * (MOST_BYTES + 1), is_durable=True)
    (notes.folder / "folder").mkdir()
    (notes.folder / "link").symlink_to(notes.folder / "large")
    os.link(notes.folder / "large", notes.folder / "second")
    for name in ("large", "folder", "link", "second"):
        assert notes.read(name) is None
    assert len(caplog.records) == 4
