"""Edits in a folder with a hostile writer: no entry there leads the agent elsewhere."""

from __future__ import annotations

import itertools
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from actors.edited_file.access import Access, FileRefusedError
from actors.edited_file.displaced import draft_path, leftover_path
from actors.edited_file.rewriting import Rewriting
from actors.linux.disk import RealDisk
from tests.actors.edited_file.hostile_folder import (
    NO_WAIT,
    THEIRS,
    TRAPS,
    Folder,
    Trap,
    adding,
    put_hard_link,
    swap,
    traps,
)
from tests.patience import PATIENCE_S

DIGEST = "0123456789abcdef" * 2


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
    with pytest.raises(FileRefusedError, match="is a device, not a regular file"):
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
    deadline = time.monotonic() + PATIENCE_S
    with flipping(folder):
        for number in itertools.count():
            if number >= 3000 and ((done and refused) or time.monotonic() > deadline):
                break  # a machine at work elsewhere may leave the flipper without a turn during thousands of edits
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
