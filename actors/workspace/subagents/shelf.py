"""Shelf of runs: a folder with one file of each, so that a later life can say what became of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from actors.linux.disk import Disk, RealDisk, put_whole
from actors.linux.private_folder import make_private
from actors.linux.safe_open import read_beneath

LONGEST_FILE_BYTES = 1024 * 1024
MOST_FILES = 200
SUFFIX = ".json"
_NAME = re.compile(r"[a-z0-9]{1,64}\.json")


class Shelf(Protocol):
    """Storage of runs; all methods access the disk."""

    def write(self, run: str, data: bytes) -> None:
        """Keep what is known of a run.

        Raises:
            OSError: the run cannot be written.
        """

    def read(self) -> Iterator[tuple[str, bytes]]:
        """Every run that is kept.

        Raises:
            OSError: the runs cannot be read.
        """

    def remove(self, run: str) -> None:
        """Keep a run no longer.

        Raises:
            OSError: the run cannot be removed.
        """


class RunFolder:
    """A folder of the agent's own, which no command sees; made when a run is first kept."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        """Begin without a folder.

        Args:
            folder: Absolute.
            disk: What stores; the system's own by default.
        """
        self._folder = folder
        self._disk = disk or RealDisk()

    def write(self, run: str, data: bytes) -> None:
        """As `Shelf.write`; whatever happens meanwhile, the file is the earlier or the later one."""
        make_private(self._folder)
        put_whole(self._disk, self._folder / f"{run}{SUFFIX}", data)

    def read(self) -> Iterator[tuple[str, bytes]]:
        """As `Shelf.read`."""
        with suppress(FileNotFoundError):
            names = sorted(name for name in os.listdir(self._folder) if _NAME.fullmatch(name))  # noqa: PTH208
            for name in names[:MOST_FILES]:
                if data := self._data(name):
                    yield name.removesuffix(SUFFIX), data

    def remove(self, run: str) -> None:
        """As `Shelf.remove`."""
        (self._folder / f"{run}{SUFFIX}").unlink(missing_ok=True)

    def _data(self, name: str) -> bytes:
        """Content of a file; empty if unreadable or not the agent's."""
        try:
            return read_beneath(self._folder, name, LONGEST_FILE_BYTES)
        except (ValueError, OSError):
            return b""


class NoShelf:
    """Shelf that keeps nothing: for a window without stored data."""

    def write(self, run: str, data: bytes) -> None:
        """As `Shelf.write`."""

    def read(self) -> Iterator[tuple[str, bytes]]:
        """As `Shelf.read`."""
        yield from ()

    def remove(self, run: str) -> None:
        """As `Shelf.remove`."""
