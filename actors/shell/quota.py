"""Disk quota of a working directory: beyond it no more commands are run there."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from actors.shell.refused import RefusedError

MOST_BYTES = 1024**3
MOST_FILES = 100_000
LEAST_FREE_BYTES = 512 * 1024**2
_BLOCK_BYTES = 512
_WORTH = 20
"""A measurement holds for so many times as long as it took, so that measuring takes a twentieth of the time at most."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Disk usage of a directory; a count stops when it is beyond the limit."""

    files: int
    bytes: int


class Quota:
    """Disk quota, looked at before each command; safe to use from any one thread at a time.

    What was measured holds for a while, so that measuring takes a twentieth of the time at most.
    """

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        most_bytes: int = MOST_BYTES,
        most_files: int = MOST_FILES,
        least_free_bytes: int = LEAST_FREE_BYTES,
    ) -> None:
        """Nothing is measured yet.

        Args:
            monotonic: Seconds that never go back.
            most_bytes: In one directory, by the blocks that its files take.
            most_files: In one directory, folders and links counted.
            least_free_bytes: On its disk.
        """
        self._monotonic = monotonic
        self._most_bytes = most_bytes
        self._most_files = most_files
        self._least_free_bytes = least_free_bytes
        self._good_until: dict[Path, float] = {}

    def check(self, folder: Path) -> None:
        """See that a command may run in `folder`; takes up to about a second if there are very many files.

        Raises:
            RefusedError: it holds too much, or the disk is full.
        """
        self.check_disk(folder)
        began = self._monotonic()
        if began < self._good_until.get(folder, began):
            return
        self._good_until.pop(folder, None)
        usage = self._measure(folder)
        if usage.bytes > self._most_bytes:
            self._refuse(folder, f"{_size(usage.bytes)}; at most {_size(self._most_bytes)} may be there")
        if usage.files > self._most_files:
            self._refuse(folder, f"more than {self._most_files:,} files, which is the most there may be")
        now = self._monotonic()
        self._good_until[folder] = now + _WORTH * (now - began)

    def check_disk(self, folder: Path) -> None:
        """See that the disk of `folder` has room.

        Raises:
            RefusedError: it has not.
        """
        disk = os.statvfs(folder)
        free = disk.f_bavail * disk.f_frsize
        if free < self._least_free_bytes:
            raise RefusedError(
                f"The disk has only {_size(free)} free; below {_size(self._least_free_bytes)} no command is run."
            )

    def _measure(self, folder: Path) -> Usage:
        """Count what lies in `folder`, without following links, until it is too much."""
        files = used = 0
        left = [str(folder)]
        while left and files <= self._most_files and used <= self._most_bytes:
            try:
                with os.scandir(left.pop()) as entries:
                    for entry in entries:
                        files += 1
                        used += entry.stat(follow_symlinks=False).st_blocks * _BLOCK_BYTES
                        if entry.is_dir(follow_symlinks=False):
                            left.append(entry.path)
                        if files > self._most_files:
                            break
            except FileNotFoundError:
                continue
            except OSError as error:  # shut by a command, or nested deeper than a path can be
                self._refuse(folder, f"a folder that cannot be looked into ({error.strerror})")
        return Usage(files, used)

    def _refuse(self, folder: Path, what: str) -> NoReturn:
        raise RefusedError(f"The working directory {folder} holds {what}. The operator has to clear it.")


def _size(count: int) -> str:
    return f"{count / 1024**2:,.1f} MiB"
