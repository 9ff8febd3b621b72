"""Edits of a real file: what stays, and what happens where files cannot change names."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from actors.edited_file.access import EDITED_BYTES, FileRefusedError
from actors.edited_file.file import EditedFile
from actors.edited_file.rewriting import Edit, Rewriting, Waits
from actors.linux.disk import Disk, RealDisk
from domain.edit.lines import EditRefusedError
from domain.reminder.document import append
from tests.recording_disk import RecordingDisk

LINE = '- [ ] date=2030-01-01 time=09:00 recur=none msg="x" id=rid_X'
NOBODY = 2**32 - 1
"""Of an entry of an access list that names no user."""
NO_WAIT = Waits(settle_s=0.0, verify_s=0.0)


class WithoutExchange(RealDisk):
    """A file system without RENAME_EXCHANGE."""

    def exchange(self, path: Path, other: Path, /) -> bool:
        assert path.exists()
        assert other.exists()
        return False


def add(data: bytes) -> bytes:
    return append(data, LINE)


def rewrite(path: Path, edit: Edit = add, disk: Disk | None = None, between: Callable[[], object] = int) -> Rewriting:
    """Make an edit; `between` runs in every wait."""
    rewriting = Rewriting(EditedFile(path, path.parent / "spare", disk), edit, NO_WAIT)
    while rewriting.step() is not None:
        between()
    return rewriting


def test_words_of_a_person_are_safe_before_they_are_displaced(tmp_path: Path) -> None:
    path, safe = tmp_path / "r.md", list[bytes | None]()
    disk = RecordingDisk()
    fd = disk.open(path, os.O_WRONLY | os.O_CREAT)
    disk.write(fd, b"mine\n")
    os.close(fd)
    disk.sync_folder(tmp_path)
    disk.before = lambda call, _data: safe.append(disk.surviving(path)) if call == "exchange" else None
    EditedFile(path, tmp_path / "spare", disk).put(b"mine\nother\n", b"mine\n")
    assert safe == [b"mine\n"]


disks = pytest.mark.parametrize("disk", [RealDisk(), WithoutExchange()], ids=["exchange", "replace"])


@disks
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\n", f"a\n{LINE}\n".encode()),
        (b"a\r\nb", f"a\r\nb\r\n{LINE}".encode()),
        (b"\xef\xbb\xbfa\n", f"\ufeffa\n{LINE}\n".encode()),
        (b"\xff\0a\r\n\n", b"\xff\0a\r\n\n" + LINE.encode() + b"\n"),
        (b"", f"{LINE}\n".encode()),
    ],
)
def test_an_edit_leaves_all_other_bytes(tmp_path: Path, disk: Disk, before: bytes, after: bytes) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(before)
    rewrite(path, disk=disk)
    assert path.read_bytes() == after
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.md", "spare"]
    assert (tmp_path / "spare" / "r.before.md").read_bytes() == before


@disks
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_the_mode_stays(tmp_path: Path, disk: Disk, mode: int) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    path.chmod(mode)
    rewrite(path, disk=disk)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@disks
def test_extended_attributes_stay_and_a_list_of_readers_among_them(tmp_path: Path, disk: Disk) -> None:
    """zim-desktop-wiki/zim-desktop-wiki#188, linuxmint/xed#619: a new file in the place of the old one had none."""
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    try:
        os.setxattr(path, "user.tag", b"home")
    except OSError:
        pytest.skip("this file system has no attributes")
    readers = struct.pack("<I" + "HHI" * 5, 2, 1, 6, NOBODY, 2, 4, 12345, 4, 4, NOBODY, 16, 4, NOBODY, 32, 0, NOBODY)
    with suppress(OSError):  # some file systems have attributes, but no such list
        os.setxattr(path, "system.posix_acl_access", readers)
    before = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    rewrite(path, disk=disk)
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == before


@disks
def test_a_symbolic_link_stays_one(tmp_path: Path, disk: Disk) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "real.md").write_bytes(b"a\n")
    link = tmp_path / "r.md"
    link.symlink_to(vault / "real.md")
    rewrite(link, disk=disk)
    assert link.is_symlink()
    assert LINE.encode() in (vault / "real.md").read_bytes()
    assert [p.name for p in vault.iterdir()] == ["real.md"]


@disks
def test_an_edit_that_changes_nothing_does_not_touch_the_file(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    before = path.stat()
    rewrite(path, lambda data: data, disk)
    assert path.stat() == before


def test_a_file_that_is_missing_is_made_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    rewrite(path)
    assert path.read_text() == LINE + "\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_somebody_makes_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    file = EditedFile(path, tmp_path / "spare")
    path.write_bytes(b"theirs\n")
    assert file.create(b"ours\n") is False
    assert path.read_bytes() == b"theirs\n"


@disks
def test_a_refused_edit_changes_nothing(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")

    def refuse(_data: bytes) -> bytes:
        raise EditRefusedError("no")

    with pytest.raises(EditRefusedError):
        rewrite(path, refuse, disk)
    assert path.read_bytes() == b"a\n"


def test_a_write_protected_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    path.chmod(0o444)
    with pytest.raises(FileRefusedError, match="write-protected"):
        rewrite(path)
    assert path.read_bytes() == b"a\n"


def test_a_pipe_in_the_files_place_does_not_stop_the_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "r.md")
    with pytest.raises(FileRefusedError, match="not a regular file"):
        EditedFile(tmp_path / "r.md", tmp_path).look()


def once(act: Callable[[], object], at: int) -> Callable[[], None]:
    """Call `act` in one certain wait."""
    waits = iter(range(100))

    def between() -> None:
        if next(waits) == at:
            act()

    return between


@pytest.mark.req("S0-110", "X-42")
@pytest.mark.parametrize("at", range(2))
@pytest.mark.parametrize("by_rename", [True, False])
def test_what_a_person_saves_at_any_moment_is_kept_and_so_is_ours(tmp_path: Path, at: int, by_rename: bool) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\nb\n")

    def save() -> None:
        data = path.read_bytes().replace(b"b\n", b"human\nb\n")
        if by_rename:
            (tmp_path / "tmp").write_bytes(data)
            (tmp_path / "tmp").replace(path)
        else:
            path.write_bytes(data)

    rewrite(path, between=once(save, at))
    lines = path.read_bytes().split(b"\n")
    assert lines[0] == b"a"
    assert b"human" in lines
    assert LINE.encode() in lines


def test_a_stale_save_right_after_ours_is_edited_again(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    rewrite(path, between=once(lambda: path.write_bytes(b"a\nhuman\n"), 1))
    assert path.read_text() == f"a\nhuman\n{LINE}\n"


def test_a_file_that_a_save_takes_away_for_a_moment_is_edited_when_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    rewrite(path, lambda data: data.replace(b"a", b"b"))
    path.unlink()
    rewriting = Rewriting(EditedFile(path, tmp_path / "spare"), add, NO_WAIT)
    for _ in range(5):
        rewriting.step()
    path.write_bytes(b"b\nhuman\n")
    rewriting.run(int)
    assert path.read_text() == f"b\nhuman\n{LINE}\n"


@pytest.mark.parametrize("by_rename", [True, False])
def test_a_save_right_after_the_file_was_made_is_edited_again(tmp_path: Path, by_rename: bool) -> None:
    path = tmp_path / "r.md"
    rewriting = Rewriting(EditedFile(path, tmp_path / "spare"), add, NO_WAIT)
    while not path.exists():
        rewriting.step()
    draft = tmp_path / "tmp" if by_rename else path
    draft.write_bytes(b"human\n")
    draft.replace(path)
    rewriting.run(int)
    assert path.read_text() == f"human\n{LINE}\n"


def test_who_wrote_into_the_displaced_version_is_heard_even_later(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    slow = os.open(path, os.O_WRONLY)
    rewriting = rewrite(path)
    os.write(slow, b"a\nhuman\n")
    os.close(slow)
    (hunk,) = rewriting.debts()
    assert hunk.added == (b"human",)


def test_a_writer_that_never_rests_is_given_up_on_and_keeps_its_words(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"0\n")
    numbers = iter(range(1, 1000))
    with pytest.raises(FileRefusedError, match="is being changed too quickly"):
        rewrite(path, between=lambda: path.write_bytes(b"%d\n" % next(numbers)))
    assert int(path.read_bytes().split()[0]) >= 100


def test_a_file_that_goes_away_for_good_is_given_up_on(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    with pytest.raises(FileRefusedError, match="keeps changing"):
        rewrite(path, between=once(path.unlink, 1))


def test_no_folder_is_made_for_the_file_where_a_vault_may_not_be_mounted(tmp_path: Path) -> None:
    with pytest.raises(FileRefusedError, match="its folder does not exist"):
        rewrite(tmp_path / "vault" / "notes" / "r.md")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_there_is_not_begun_anew_below_an_empty_mount_point(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    file = EditedFile(vault / "r.md", tmp_path / "spare")
    Rewriting(file, add, NO_WAIT).run(int)
    Rewriting(file, lambda data: append(data, "more"), NO_WAIT).run(int)
    for each in vault.iterdir():
        each.unlink()
    with pytest.raises(FileRefusedError, match="mount the disk"):
        Rewriting(file, add, NO_WAIT).run(int)
    (vault / "r.md").touch()
    Rewriting(file, add, NO_WAIT).run(int)
    assert (vault / "r.md").read_text() == LINE + "\n"


@disks
def test_no_edit_makes_a_file_that_could_not_be_edited_again(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    with pytest.raises(FileRefusedError, match="can be edited"):
        rewrite(path, lambda data: data + bytes(EDITED_BYTES), disk)
    with pytest.raises(FileRefusedError, match="can be edited"):
        rewrite(tmp_path / "none.md", lambda data: data + bytes(EDITED_BYTES + 1), disk)
    assert path.read_bytes() == b"a\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["r.md"]


def test_an_edit_that_is_refused_after_it_was_made_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")

    class Late(RealDisk):
        """An editor saves at the last moment, and leaves no room for the edit."""

        def exchange(self, path: Path, other: Path, /) -> bool:
            if b"human" not in other.read_bytes():
                other.write_bytes(b"a\nhuman\n")
            return super().exchange(path, other)

    def small(data: bytes) -> bytes:
        if b"human" in data:
            raise EditRefusedError("no room")
        return add(data)

    with pytest.raises(EditRefusedError, match="no room"):
        rewrite(path, small, Late())
    assert path.read_bytes() == b"a\nhuman\n"
    assert [each.name for each in tmp_path.iterdir() if each.name.endswith(".agent")] == []


def test_what_the_file_is_expected_to_hold_is_safe_before_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    kept: list[bytes | None] = []

    def look(call: str, _data: bytes) -> None:
        if call == "exchange":
            kept.extend(disk.surviving(each) for each in (tmp_path / "spare").glob("*.base"))

    disk = RecordingDisk(before=look)
    rewrite(path, disk=disk)
    assert kept == [b"a\n"]


class Killed(BaseException):
    """The process ends in a call of the disk."""


@pytest.mark.parametrize("error", [OSError(errno.EIO, "bad disk"), Killed()])
def test_what_the_file_is_expected_to_hold_is_safe_though_a_sync_ended_the_first_edit(
    tmp_path: Path, error: BaseException
) -> None:
    path, kept = tmp_path / "r.md", list[bytes | None]()
    path.write_bytes(b"a\n")

    def end(call: str, _data: bytes) -> None:
        if call == "sync_folder":
            raise error

    def look(call: str, _data: bytes) -> None:
        if call == "exchange":
            kept.extend(disk.surviving(each) for each in (tmp_path / "spare").glob("*.base"))

    disk = RecordingDisk(before=end)
    with pytest.raises(type(error)):
        rewrite(path, disk=disk)
    disk.before = look
    rewrite(path, disk=disk)
    assert kept == [b"a\n"]


def open_files(folder: Path) -> int:
    """Number of descriptors of files below `folder`; those of other threads may come and go meanwhile."""
    count = 0
    for place in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            count += place.readlink().is_relative_to(folder)
    return count


def test_what_was_displaced_is_let_go_of_when_nothing_of_it_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")
    before = open_files(tmp_path)
    rewriting = rewrite(path)
    assert open_files(tmp_path) == before + 1
    assert rewriting.debts() == ()
    assert open_files(tmp_path) == before


def test_two_saves_in_the_last_moment_are_both_kept_and_the_edit_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\ntea\n")
    saves = iter((b"a\nfirst\ntea\n", b"a\nsecond\n"))

    class Late(RealDisk):
        """An editor saves at the last moment, twice."""

        def exchange(self, path: Path, other: Path, /) -> bool:
            if (save := next(saves, None)) is not None:
                other.write_bytes(save)
            return super().exchange(path, other)

    def take_tea_out(data: bytes) -> bytes:
        if b"tea\n" not in data:
            raise EditRefusedError("there is no tea")
        return data.replace(b"tea\n", b"")

    rewrite(path, take_tea_out, Late())
    assert sorted(path.read_bytes().split()) == [b"a", b"first", b"second"]


class Unsafe(EditedFile):
    """A file whose last sync fails, so many times."""

    times = 1

    def make_durable(self) -> None:
        if self.times:
            self.times -= 1
            raise OSError(errno.EIO, "bad disk")
        super().make_durable()


def test_a_promise_of_what_the_file_has_already_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_text(LINE + "\n")
    rewriting = Rewriting(file := Unsafe(path, tmp_path / "spare"), add, NO_WAIT)
    rewriting.run(int)
    assert file.times == 0
    assert path.read_text() == LINE + "\n"


def test_what_somebody_saved_is_still_owed_while_no_promise_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"a\n")

    class Late(RealDisk):
        """An editor saves at the last moment."""

        def exchange(self, path: Path, other: Path, /) -> bool:
            if other.read_bytes() == b"a\n":
                other.write_bytes(b"a\nhuman\n")
            return super().exchange(path, other)

    file = Unsafe(path, tmp_path / "spare", Late())
    file.times = 100
    rewriting = Rewriting(file, add, NO_WAIT)
    with pytest.raises(FileRefusedError, match="may already be in the file"):
        rewriting.run(int)
    assert [hunk.added for hunk in rewriting.debts()] == [(b"human",)]
    rewriting.abandon()
