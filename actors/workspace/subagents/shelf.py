"""Shelf of runs: a folder with one file of each, so that a later life can say what became of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from actors.linux.disk import Disk
from actors.linux.notebook import NoteFolder

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
        self._notes = NoteFolder(folder, disk, most_bytes=LONGEST_FILE_BYTES)

    def write(self, run: str, data: bytes) -> None:
        """As `Shelf.write`; whatever happens meanwhile, the file is the earlier or the later one."""
        self._notes.put(f"{run}{SUFFIX}", data)

    def read(self) -> Iterator[tuple[str, bytes]]:
        """As `Shelf.read`."""
        names = [name for name in self._notes.names() if _NAME.fullmatch(name)]
        for name in names[:MOST_FILES]:
            if data := self._notes.read(name):
                yield name.removesuffix(SUFFIX), data

    def remove(self, run: str) -> None:
        """As `Shelf.remove`."""
        self._notes.remove(f"{run}{SUFFIX}")


class NoShelf:
    """Shelf that keeps nothing: for a window without stored data."""

    def write(self, run: str, data: bytes) -> None:
        """As `Shelf.write`."""

    def read(self) -> Iterator[tuple[str, bytes]]:
        """As `Shelf.read`."""
        yield from ()

    def remove(self, run: str) -> None:
        """As `Shelf.remove`."""
