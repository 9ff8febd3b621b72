"""Edits in a folder to which somebody hostile writes at the same time: nothing there leads the agent elsewhere."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actors.edited_file.access import Access, FileRefusedError
from actors.edited_file.displaced import draft_path, leftover_path
from actors.edited_file.file import EditedFile
from actors.edited_file.rewriting import Rewriting, Waits
from actors.linux.disk import Disk, RealDisk

NO_WAIT = Waits(settle_s=0.0, verify_s=0.0)
WORDS = b"the secret's words\n"
OURS, THEIRS = b"ours", b"theirs"
DIGEST = "0123456789abcdef" * 2


Trap = Callable[[Path, "Folder"], object]


class Folder:
    """A sandbox's folder with the agent's file, and a secret beside the folder."""

    def __init__(self, root: Path) -> None:
        self.work, self.spare, self.secret = root / "work", root / "spare", root / "secret.md"
        self.path = self.work / "r.md"
        self.work.mkdir(parents=True)
        self.secret.write_bytes(WORDS)
        self.secret.chmod(0o640)
        self.path.write_bytes(THEIRS + b"\n")
        self._before = self.secret.stat()

    def file(self, disk: Disk | None = None, **how: Any) -> EditedFile:
        return EditedFile(self.path, self.spare, disk, follows_links=False, **how)

    def edit(self, disk: Disk | None = None, between: Callable[[], object] = int, word: bytes = OURS) -> Rewriting:
        """Add a word; gives the edit that is done."""
        rewriting = Rewriting(self.file(disk), adding(word), NO_WAIT)
        try:
            while rewriting.step() is not None:
                between()
        except OSError:
            assert rewriting.debts() == ()
            rewriting.abandon()
            raise
        return rewriting

    def check_secret(self) -> None:
        """Nothing of it is anywhere else, and it is as it was."""
        status = self.secret.stat()
        for name in ("st_mode", "st_uid", "st_gid", "st_mtime_ns", "st_size", "st_ino"):
            assert getattr(status, name) == getattr(self._before, name), name
        assert self.secret.read_bytes() == WORDS
        for each in (*self.work.rglob("*"), *self.spare.rglob("*")):
            if stat.S_ISREG(each.lstat().st_mode) and not each.samefile(self.secret):
                assert b"secret" not in each.read_bytes(), each

    def agents_names(self) -> list[Path]:
        return [each for each in self.work.iterdir() if ".agent" in each.name]


def adding(word: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data if word in data.split(b"\n") else data + word + b"\n"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def put_link(path: Path, folder: Folder) -> None:
    path.symlink_to(folder.secret)


def put_dangling_link(path: Path, folder: Folder) -> None:
    path.symlink_to(folder.work.parent / "nothing")


def put_pipe(path: Path, _folder: Folder) -> None:
    os.mkfifo(path)


def put_socket(path: Path, _folder: Folder) -> None:
    os.mknod(path, stat.S_IFSOCK | 0o600)


def put_folder(path: Path, _folder: Folder) -> None:
    path.mkdir()


def put_hard_link(path: Path, folder: Folder) -> None:
    path.hardlink_to(folder.secret)


TRAPS: dict[Trap, str] = {
    put_link: "is a symbolic link, which is not followed here",
    put_dangling_link: "is a symbolic link, which is not followed here",
    put_pipe: "is a pipe, no regular file",
    put_socket: "is a socket or a device, no regular file",
    put_folder: "is a folder, no regular file",
    put_hard_link: "has 2 names",
}
traps = pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)


def clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)


def swap(path: Path, trap: Trap, folder: Folder) -> None:
    """Put a trap where something was, or nothing."""
    clear(path)
    trap(path, folder)


# at the file's name


@traps
def test_a_trap_at_the_files_name_is_refused_and_stays(folder: Folder, trap: Trap) -> None:
    swap(folder.path, trap, folder)
    kind = stat.S_IFMT(folder.path.lstat().st_mode)
    file = folder.file()
    for act in (
        file.look,
        file.read,
        file.make_durable,
        folder.edit,
        lambda: file.put(b"ours\n", THEIRS + b"\n"),
    ):
        with pytest.raises(FileRefusedError, match=TRAPS[trap]):
            act()
    assert file.create(b"ours\n") is False
    assert stat.S_IFMT(folder.path.lstat().st_mode) == kind
    assert folder.agents_names() == []
    folder.check_secret()


def test_a_device_is_refused() -> None:
    with pytest.raises(FileRefusedError, match="is a device, no regular file"):
        Access(RealDisk(), follows_links=False).open(Path("/dev/null"))


def test_a_file_from_elsewhere_that_was_linked_only_while_it_was_opened_is_not_read(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap(folder.path, put_hard_link, folder)
    fstat = os.fstat

    def unlinked_first(fd: int) -> os.stat_result:
        folder.path.unlink(missing_ok=True)
        return fstat(fd)

    monkeypatch.setattr(os, "fstat", unlinked_first)
    assert folder.file().read() is None


def test_a_name_that_goes_to_another_file_each_time_is_given_up_on(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    fstat = os.fstat

    def replaced_first(fd: int) -> os.stat_result:
        (folder.work / "fresh").write_bytes(b"x")
        (folder.work / "fresh").replace(folder.path)
        return fstat(fd)

    monkeypatch.setattr(os, "fstat", replaced_first)
    with pytest.raises(FileRefusedError, match="too quickly to be opened"):
        folder.file().read()


def test_no_permission_is_taken_over_but_reading_and_writing(folder: Folder) -> None:
    folder.path.chmod(0o7775)
    folder.edit()
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o664


def test_a_file_that_is_too_large_is_refused_before_it_is_read(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    with folder.path.open("r+b") as file:
        file.truncate(4097)
    with monkeypatch.context() as patch:
        patch.delattr(os, "pread")
        with pytest.raises(FileRefusedError, match="has more than 4,096 bytes"):
            folder.file(most_bytes=4096).read()
    look = folder.file(most_bytes=4096).look()
    assert look is not None
    assert (look.data, look.left_out_bytes) == (THEIRS + b"\n", 4097 - len(THEIRS) - 1)
    folder.path.write_bytes(b"a\n")
    with pytest.raises(FileRefusedError, match="at most 4,096 can be edited"):
        folder.file(most_bytes=4096).put(bytes(4097), b"a\n")


# at any moment


class Moments(RealDisk):
    """A disk before each of whose calls, and before each call of the system's, somebody may act once."""

    def __init__(self, at: int, act: Callable[[], object]) -> None:
        self._left = at
        self._act = act

    @property
    def has_acted(self) -> bool:
        return self._left < 0

    def pass_one(self) -> None:
        self._left -= 1
        if self._left == -1:
            self._act()

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        for name in ("open", "fstat", "stat", "lstat", "readlink", "replace", "unlink", "fchmod", "link", "listdir"):
            patch.setattr(os, name, self._watched(getattr(os, name)))

    def _watched(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **how: Any) -> Any:
            self.pass_one()
            return call(*args, **how)

        return watched

    def exchange(self, path: Path, other: Path, /) -> bool:
        self.pass_one()
        is_exchanged = super().exchange(path, other)
        self.pass_one()
        return is_exchanged


def swapped_at_every_moment(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Folder], object],
    *,
    begins_empty: bool = False,
) -> Iterator[tuple[Folder, bool]]:
    """Folders after an edit during which `act` happened, each time a moment later, and whether the edit was done."""
    for moment in range(1000):
        folder = Folder(tmp_path / str(moment))
        if begins_empty:
            folder.path.unlink()
        disk = Moments(moment, partial(act, folder))
        is_done = False
        with monkeypatch.context() as patch:
            disk.watch(patch)
            with suppress(OSError):
                rewriting = folder.edit(disk, disk.pass_one)
                is_done = True
                assert rewriting.debts() == ()
                rewriting.abandon()
        if not disk.has_acted:
            assert moment > 15, "each call is a moment"
            return
        folder.check_secret()
        yield folder, is_done


@traps
@pytest.mark.parametrize("begins_empty", [False, True])
def test_a_trap_that_comes_to_the_files_name_at_any_moment_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: Trap, begins_empty: bool
) -> None:
    def act(folder: Folder) -> None:
        swap(folder.path, trap, folder)

    for folder, _ in swapped_at_every_moment(tmp_path, monkeypatch, act, begins_empty=begins_empty):
        holds_ours = stat.S_ISREG(folder.path.lstat().st_mode) and OURS in folder.path.read_bytes()
        if not holds_ours:
            clear(folder.path)
            folder.path.touch()  # an empty folder may be that of a disk which is not there
        assert folder.file().leftovers() == []
        folder.edit(word=b"more").abandon()
        folder.check_secret()
        assert b"more" in folder.path.read_bytes()
        assert folder.agents_names() == []


@traps
@pytest.mark.parametrize("begins_empty", [False, True])
def test_a_trap_that_comes_to_a_name_of_the_agents_at_any_moment_leads_nowhere_and_no_words_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: Trap, begins_empty: bool
) -> None:
    def act(folder: Folder) -> None:
        for each in folder.agents_names():
            swap(each, trap, folder)

    for folder, is_done in swapped_at_every_moment(tmp_path, monkeypatch, act, begins_empty=begins_empty):
        if not is_done and not begins_empty:
            assert THEIRS in folder.path.read_bytes()
        if not is_done and begins_empty:
            clear(folder.path)  # a trap, if anything
        folder.file().leftovers()
        folder.edit().abandon()
        folder.check_secret()
        assert begins_empty or THEIRS in folder.path.read_bytes()
        assert OURS in folder.path.read_bytes()
        assert folder.agents_names() == []


def test_a_folder_with_words_of_somebodys_at_any_moment_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(folder: Folder) -> None:
        folder.path.rename(folder.work / "aside")
        folder.path.mkdir()
        (folder.path / "precious").write_bytes(b"precious")

    for folder, _ in swapped_at_every_moment(tmp_path, monkeypatch, act):
        assert [each.read_bytes() for each in folder.work.glob("**/precious")] == [b"precious"]
        assert THEIRS in (folder.work / "aside").read_bytes()


def test_a_regular_file_that_is_saved_at_any_moment_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(folder: Folder) -> None:
        (folder.work / "fresh").write_bytes(THEIRS + b"\nhuman\n")
        (folder.work / "fresh").replace(folder.path)

    for folder, is_done in swapped_at_every_moment(tmp_path, monkeypatch, act):
        assert b"human" in folder.path.read_bytes()
        assert is_done


def test_a_link_that_was_displaced_is_put_right_and_the_edit_is_done(folder: Folder) -> None:
    class Late(RealDisk):
        def exchange(self, path: Path, other: Path, /) -> bool:
            swap(other, put_link, folder)
            return super().exchange(path, other)

    folder.edit(Late()).abandon()
    assert folder.path.read_bytes() == THEIRS + b"\n" + OURS + b"\n"
    assert folder.agents_names() == []
    folder.check_secret()


def test_a_link_in_the_place_of_our_new_version_is_put_right_and_the_edit_is_done(folder: Folder) -> None:
    class Late(RealDisk):
        times = 2

        def exchange(self, path: Path, other: Path, /) -> bool:
            self.times -= 1
            if self.times == 1:
                swap(path, put_link, folder)
            return super().exchange(path, other)

    folder.edit(Late()).abandon()
    assert folder.path.read_bytes() == THEIRS + b"\n" + OURS + b"\n"
    assert folder.agents_names() == []
    folder.check_secret()


def test_a_displaced_version_that_got_another_name_is_not_looked_at_and_holds_no_file_open(folder: Folder) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    file = folder.file()
    displaced = file.put(b"ours\n", THEIRS + b"\n")
    assert displaced is not None
    (beside,) = folder.agents_names()
    (folder.work / "other").hardlink_to(beside)
    (folder.work / "other").write_bytes(b"changed\n")
    assert displaced.read() == THEIRS + b"\n"
    assert displaced.open() is None
    displaced.discard()
    assert (folder.work / "other").read_bytes() == b"changed\n"
    assert folder.agents_names() == []
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_displaced_version_whose_name_went_to_another_file_is_read_and_the_other_stays(folder: Folder) -> None:
    displaced = folder.file().put(b"ours\n", THEIRS + b"\n")
    assert displaced is not None
    (beside,) = folder.agents_names()
    swap(beside, lambda path, _folder: path.write_bytes(b"precious"), folder)
    assert displaced.read() == THEIRS + b"\n"
    displaced.discard()
    displaced.close()
    assert beside.read_bytes() == b"precious"


# what lies beside it at a start


@traps
def test_traps_at_names_of_the_agents_are_taken_away_at_a_start(folder: Folder, trap: Trap) -> None:
    leftover = leftover_path(folder.path, DIGEST)
    trap(leftover, folder)
    trap(draft_path(leftover), folder)
    assert folder.file().leftovers() == []
    assert folder.agents_names() == []
    folder.check_secret()


def test_a_folder_that_passes_for_a_leftover_stays_with_what_is_in_it(
    folder: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    leftover = leftover_path(folder.path, DIGEST)
    for each in (leftover, draft_path(leftover)):
        each.mkdir()
        (each / "precious").write_bytes(b"precious")
    file = folder.file()
    assert file.leftovers() == file.leftovers() == []
    assert (leftover / "precious").read_bytes() == b"precious"
    assert (draft_path(leftover) / "precious").read_bytes() == b"precious"
    assert len([each for each in caplog.records if "can't be compared" in each.message]) <= 1


def test_so_many_leftovers_are_looked_at_in_one_go(folder: Folder) -> None:
    for number in range(20):
        leftover_path(folder.path, f"{number:032x}").write_bytes(b"x\n")
    file = folder.file()
    counts = []
    while leftovers := file.leftovers():
        counts.append(len(leftovers))
        for leftover in leftovers:
            file.forget(leftover.path)
    assert counts == [16, 4]


# all the time


FLIPPER = """
import itertools, os, sys, time
os.chdir(sys.argv[1])
secret = sys.argv[2]

def put(make, name):
    try:
        make(secret, "aside")
        os.replace("aside", name)
    except OSError:
        pass
    if os.path.lexists("aside"):
        os.unlink("aside")

def save(_secret, name):
    with open(name, "w") as file:
        file.write("flip\\n")

print("begun", flush=True)
for number in itertools.count():
    put((os.symlink, os.link)[number % 2], "r.md")
    put(save, "r.md")
    if number % 3 == 0:
        for name in os.listdir():
            if ".agent" in name:
                put((os.symlink, os.link)[number % 2], name)
    time.sleep(number % 7 / 10_000)
"""
"""Puts a link, a hard link and a regular file to the file's name, and links to the agent's, as long as it runs."""


@contextmanager
def flipping(folder: Folder) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", FLIPPER, folder.work, folder.secret], stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        yield
        assert process.poll() is None, "it gave up"
    finally:
        process.kill()
        process.communicate()


def test_the_secret_stays_where_it_is_while_names_are_flipped_and_the_agent_edits_thousands_of_times(
    folder: Folder,
) -> None:
    done = refused = 0
    with flipping(folder):
        for number in range(3000):
            rewriting = Rewriting(folder.file(), adding(b"ours %d" % number), NO_WAIT)
            try:
                rewriting.run(int)
                done += 1
            except OSError as error:
                refused += isinstance(error, FileRefusedError)
            for hunk in rewriting.debts():
                assert b"secret" not in b"".join(hunk.added)
            rewriting.abandon()
            if number % 100 == 0:
                folder.file().leftovers()
    assert done > 0
    assert refused > 0
    folder.check_secret()
