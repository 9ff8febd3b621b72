"""Output file: the whole output of a command on disk, when the model sees only the end."""

from __future__ import annotations

import logging
import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from actors.linux.disk import Disk, RealDisk

log = logging.getLogger(__name__)

MAX_FILE_BYTES = 8 * 1024 * 1024
KEPT_FILES = 16
"""Most files per window; an older file goes when a new file is made."""


class OutputFile:
    """Output file in a folder of the agent's own, made with the first write; commands can read it and no more."""

    def __init__(self, folder: Path, name: str, disk: Disk | None = None) -> None:
        """Begin without an open file.

        Args:
            folder: Existing folder of the file.
            name: Name of the file, without its suffix.
            disk: Disk to write to; None for the real disk.
        """
        self._folder = folder
        self._disk = disk or RealDisk()
        self._name = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] + ".log"
        self._folder_fd: int | None = None
        self._file_fd: int | None = None
        self.kept_bytes = 0
        self.lost_bytes = 0
        self.fault = ""
        """Reason for missing output; empty if only `MAX_FILE_BYTES` was exceeded."""

    @property
    def path(self) -> str:
        """Absolute; empty if there is no file."""
        return str(self._folder / self._name) if self._file_fd is not None else ""

    def write(self, piece: bytes) -> None:
        """Keep `piece` as far as there is room; count the rest."""
        room = MAX_FILE_BYTES - self.kept_bytes
        written = 0 if self.fault or self.lost_bytes else self._write(memoryview(piece)[: max(0, room)])
        self.kept_bytes += written
        self.lost_bytes += len(piece) - written

    def close(self, *, keep: bool) -> None:
        """Close the file, removed or safe from a power loss; a second call has no effect.

        Safe, since a log is about to name the file.
        """
        file_fd, self._file_fd = self._file_fd, None
        folder_fd, self._folder_fd = self._folder_fd, None
        try:
            if file_fd is not None:
                self._close_file(file_fd, keep=keep)
                if not keep:
                    os.unlink(self._name, dir_fd=folder_fd)
        except FileNotFoundError:
            log.debug("a command's output file was removed by another program")
        except OSError as error:  # what the command said is worth more than its file
            self.fault = self.fault or error.strerror or str(error)
            log.warning("the file of a command's output is not left as it should be: %s", self.fault)
        finally:
            if folder_fd is not None:
                os.close(folder_fd)

    def _close_file(self, fd: int, *, keep: bool) -> None:
        try:
            if keep:
                self._disk.sync(fd)
                self._disk.sync_folder(self._folder)
        finally:
            os.close(fd)

    def _write(self, piece: memoryview) -> int:
        """Bytes written; fewer than given after a fault."""
        written = 0
        try:
            if self._file_fd is None:
                self._file_fd = self._open()
            while written < len(piece):
                written += os.write(self._file_fd, piece[written:])
        except OSError as error:
            self.fault = error.strerror or str(error)
            log.warning("a command's output is not kept whole: %s", self.fault)
        return written

    def _open(self) -> int:
        folder_fd = self._folder_fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        _prune(folder_fd)
        with suppress(FileNotFoundError):
            os.unlink(self._name, dir_fd=folder_fd)
        path = Path(f"/proc/self/fd/{folder_fd}", self._name)
        return self._disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)


def _prune(folder_fd: int) -> None:
    """Make room for a file by removing the oldest surplus files."""
    ages: list[tuple[int, str]] = []
    with os.scandir(folder_fd) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(".log") and stat.S_ISREG(status.st_mode):
                    ages.append((status.st_mtime_ns, entry.name))
    for _, name in sorted(ages)[: max(0, len(ages) - KEPT_FILES + 1)]:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder_fd)
