"""An ext4 of its own in a file, by which a disk can fail and a power cut be played; for root on Linux."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SIZE_MIB = 48


class LoopDisk:
    """A mounted file system in a file."""

    def __init__(self, image: Path, folder: Path) -> None:
        self.image = image
        self.folder = folder

    def fail(self) -> None:
        """Let the file system meet an error, over which it becomes read-only, also for what is open."""
        device = Path(_run("findmnt", "-no", "SOURCE", str(self.folder)).strip()).name
        Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("1")

    def cut_power(self, into: Path) -> None:
        """The disk as it would come back if the power went out now: only what reached the device, nothing of the caches.

        The loop device reads and writes its file directly, so the file's bytes are the device's.
        """
        into.unlink(missing_ok=True)
        _run("cp", "--sparse=always", str(self.image), str(into))


@contextmanager
def loop_disk(folder: Path) -> Iterator[LoopDisk]:
    """A fresh file system below `folder`; skips the test where there can be none."""
    image, place = folder / "disk.img", folder / "disk"
    with image.open("wb") as file:
        file.truncate(SIZE_MIB << 20)
    _need("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(image))
    with mounted(image, place):
        yield LoopDisk(image, place)


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[Path]:
    """The image's file system at `place`; its journal is replayed, as after a power cut."""
    place.mkdir(exist_ok=True)
    device = _need("losetup", "--direct-io=on", "--show", "-f", str(image)).strip()
    try:
        _need("mount", "-o", "errors=remount-ro,commit=600", device, str(place))
        try:
            yield place
        finally:
            _run("umount", "-l", str(place))
    finally:
        _run("losetup", "-d", device)


def _need(*command: str) -> str:
    """Run what only root can do on a machine that has it; skips the test where it cannot be done."""
    if os.geteuid() != 0 or shutil.which(command[0]) is None:
        pytest.skip(f"needs root and {command[0]}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout


def _run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
