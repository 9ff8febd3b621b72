from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from actors.linux.nameless import NamelessFiles, nameless_files

MIB = 1 << 20
PRELUDE = """
import ctypes, os, socket, sys, threading
def nameless():
    file = os.open("x", os.O_CREAT | os.O_RDWR | os.O_EXCL); os.unlink("x"); os.write(file, bytes(1 << 20)); return file
def wait(): print("ready", flush=True); sys.stdin.read()
"""
HOLDERS = {
    "open": "nameless(); wait()",
    "open twice": "os.dup(nameless()); wait()",
    "of a thread with a table of its own": """
def hold():
    ctypes.CDLL(None).unshare(0x400); nameless(); wait()
threading.Thread(target=hold).start()
""",
    "of a process whose first thread has ended": """
threading.Thread(target=lambda: (nameless(), wait(), os._exit(0))).start(); ctypes.CDLL(None).pthread_exit(None)
""",
    "of a child of such a one": """
def hold():
    if os.fork() == 0: nameless(); wait()
    else: os.wait()
    os._exit(0)
threading.Thread(target=hold).start(); ctypes.CDLL(None).pthread_exit(None)
""",
}


@contextmanager
def holder(folder: Path, code: str) -> Iterator[None]:
    command = [sys.executable, "-I", "-S", "-c", PRELUDE + code]
    nowhere, pipe = subprocess.DEVNULL, subprocess.PIPE  # pytest's files have no name either
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=nowhere) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == b"ready\n"
        yield
        process.stdin.close()


def count_nameless(folder: Path) -> NamelessFiles:
    return list(nameless_files(os.getpid(), folder.stat().st_dev))[-1]


def test_what_is_held_without_a_name_is_found_once(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, code in enumerate(HOLDERS.values()):
        with subtests.test(code=code):
            root = tmp_path / str(number)
            root.mkdir()
            before = count_nameless(root)
            with holder(root, code):
                found = count_nameless(root)
            assert (found.files - before.files, found.unseen - before.unseen) == (1, 0)
            assert found.bytes - before.bytes >= MIB


def test_what_nobody_can_look_at_is_told(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, code in enumerate(
        [
            "a, b = socket.socketpair(); f = nameless(); socket.send_fds(a, [b'x'], [f]); os.close(f); wait()",
            "f = nameless(); ctypes.CDLL(None).mmap(None, 4096, 1, 2, f, 0); os.close(f); wait()",
        ]
    ):
        with subtests.test(code=code):
            root = tmp_path / str(number)
            root.mkdir()
            before = count_nameless(root)
            with holder(root, code):
                found = count_nameless(root)
            assert found.unseen + found.files - before.unseen - before.files == 1


def test_files_with_names_and_those_of_another_disk_are_none(tmp_path: Path) -> None:
    (tmp_path / "named").touch()
    before = count_nameless(tmp_path)
    with holder(tmp_path, "f = open('named'); g = os.memfd_create('m'); wait()"):
        assert count_nameless(tmp_path) == before
    with holder(tmp_path, "nameless(); wait()"):
        assert list(nameless_files(os.getpid(), 0))[-1].files == 0


def test_the_search_pauses(tmp_path: Path) -> None:
    with holder(tmp_path, "f = [os.dup(0) for _ in range(900)]; wait()"):
        assert len(list(nameless_files(os.getpid(), 0))) > 1


def test_a_process_that_is_shut_may_hold_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = os.listdir

    def shut(folder: str) -> list[str]:
        if folder.endswith("/fd"):
            raise PermissionError
        return listed(folder)

    with holder(tmp_path, "wait()"):
        monkeypatch.setattr(os, "listdir", shut)
        assert count_nameless(tmp_path).unseen >= 1_000
