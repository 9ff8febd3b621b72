"""Disk quota of a working directory: no command starts in a full directory, and a running command is watched."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from actors.linux.folder import MOST_LEVELS, TooDeepError, Usage, open_folder, usage
from actors.shell.job import Limits
from actors.shell.refused import RefusedError

MOST_BYTES = 1024**3
MOST_FILES = 100_000
LEAST_FREE_BYTES = 512 * 1024**2
LEAST_FREE_NAMES = 20_000
_WORTH = 20
"""Validity of a measurement in multiples of its duration, so measuring takes a twentieth of the time at most."""
_SLACK = 64
"""Divisor of a folder's quota: a measurement expires once the disk has lost a 64th, perhaps to a command."""
_SHARE = 8
"""Share of a small disk: a folder may take an eighth, and an eighth must stay free."""
_HARD = 2
"""Divisor of the free space required for a start: below the half, a running command is killed."""
SHARED_MOST_BYTES = 64 * 1024**2
SHARED_MOST_FILES = 10_000
"""Most files in a shared folder that commands may change; the contributor looks through the folder, too."""
EMPTY_IT = "People can have it emptied: /empty in this channel or thread."
_MAKE_ROOM = "People can make room: /empty removes what the commands of its channel or thread have left."


@dataclass(frozen=True, slots=True)
class _Measurement:
    usage: Usage
    good_until: float
    free_bytes: int
    free_names: int


class Quota:
    """Disk quota, checked before each command; safe to use from any single thread at a time.

    A measurement stays valid for a while, so measuring takes a twentieth of the time at most.
    """

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        most_bytes: int = MOST_BYTES,
        most_files: int = MOST_FILES,
        least_free_bytes: int | None = None,
        statvfs: Callable[[Path], os.statvfs_result] = os.statvfs,
        refusal: str = f"The working directory {{folder}} holds {{what}}. {EMPTY_IT}",
    ) -> None:
        """Begin without a measurement.

        Args:
            monotonic: Seconds of a clock that never goes back.
            most_bytes: Most bytes in a directory, by the blocks of its files; less on a small disk.
            most_files: Most files in a directory, folders and links counted.
            least_free_bytes: Free bytes required on the disk; None for the usual number, less on a small disk.
            statvfs: State of the disk of a folder, as `os.statvfs`.
            refusal: Text about a `folder` with too much of `what`.
        """
        self._monotonic = monotonic
        self._most_bytes = most_bytes
        self._most_files = most_files
        self._is_strict = least_free_bytes is not None
        self._least_free_bytes = LEAST_FREE_BYTES if least_free_bytes is None else least_free_bytes
        self._refusal = refusal
        self._statvfs = statvfs
        self._measured: dict[Path, _Measurement] = {}

    def for_shared(self) -> Quota:
        """Quota for shared folders, on disks with the same required free space."""
        return Quota(
            self._monotonic,
            most_bytes=min(self._most_bytes, SHARED_MOST_BYTES),
            most_files=min(self._most_files, SHARED_MOST_FILES),
            least_free_bytes=self._least_free_bytes if self._is_strict else None,
            statvfs=self._statvfs,
            refusal="it holds {what}",
        )

    def check(self, folder: Path) -> Limits:
        """Check that a command may run in `folder`; takes up to about a second with very many files.

        Returns:
            Bounds during the run.

        Raises:
            RefusedError: the folder holds too much, or the disk is full.
        """
        disk = self._statvfs(folder)
        most_bytes, least_free_bytes = self._check_disk(disk)
        most_files, least_free_names = self._check_names(disk)
        used = self._usage(folder, disk)
        if used.bytes > most_bytes:
            self._refuse(folder, f"{_size(used.bytes)}; at most {_size(most_bytes)} may be there")
        if used.files > most_files:
            self._refuse(folder, f"more than {most_files:,} files, which is the most there may be")
        return Limits(
            folder=str(folder),
            most_bytes=most_bytes,
            most_files=most_files,
            used_bytes=used.bytes,
            used_files=used.files,
            least_free_bytes=least_free_bytes // _HARD,
            least_free_names=least_free_names // _HARD,
        )

    def forget(self, folder: Path) -> None:
        """Measure anew before the next command there; required after a kill for excessive use."""
        self._measured.pop(folder, None)

    def _check_disk(self, disk: os.statvfs_result) -> tuple[int, int]:
        """Most bytes of a folder on this disk, and how many must be free there before a command is begun."""
        share = disk.f_blocks * disk.f_frsize // _SHARE
        least = self._least_free_bytes if self._is_strict else min(self._least_free_bytes, share)
        free = disk.f_bavail * disk.f_frsize
        if free < least:
            raise RefusedError(
                f"The disk has only {_size(free)} free; below {_size(least)} no command is run. {_MAKE_ROOM}"
            )
        return min(self._most_bytes, share), least

    def _check_names(self, disk: os.statvfs_result) -> tuple[int, int]:
        """Most names in a folder on this disk, and how many must be free there; 0 where a disk has no end of them."""
        if not disk.f_files:
            return self._most_files, 0
        share = disk.f_files // _SHARE
        least = min(LEAST_FREE_NAMES, share)
        if disk.f_favail < least:
            raise RefusedError(
                f"The disk has room for {disk.f_favail:,} more files; below {least:,} no command is run. {_MAKE_ROOM}"
            )
        return min(self._most_files, share), least

    def _usage(self, folder: Path, disk: os.statvfs_result) -> Usage:
        began = self._monotonic()
        free_bytes, free_names = disk.f_bavail * disk.f_frsize, disk.f_favail
        known = self._measured.get(folder)
        if (
            known is not None
            and began < known.good_until
            and known.free_bytes - free_bytes <= self._most_bytes // _SLACK
            and known.free_names - free_names <= self._most_files // _SLACK
        ):
            return known.usage
        measured = self._measure(folder)
        now = self._monotonic()
        self._measured[folder] = _Measurement(measured, now + _WORTH * (now - began), free_bytes, free_names)
        return measured

    def _measure(self, folder: Path) -> Usage:
        """Count the content of `folder`, up to an excess."""
        measured = Usage()
        try:
            opened = open_folder(str(folder))
            try:
                for measured in usage(opened, self._most_files):
                    if measured.bytes > self._most_bytes:
                        break
            finally:
                os.close(opened)
        except TooDeepError:
            self._refuse(folder, f"folders nested deeper than {MOST_LEVELS}")
        except OSError as error:
            self._refuse(folder, f"a folder that cannot be looked into ({error.strerror})")
        return measured

    def _refuse(self, folder: Path, what: str) -> NoReturn:
        self.forget(folder)
        raise RefusedError(self._refusal.format(folder=folder, what=what))


def _size(count: int) -> str:
    return f"{count / 1024**2:,.1f} MiB"
