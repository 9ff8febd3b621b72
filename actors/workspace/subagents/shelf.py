"""Shelf of runs: a folder with one file of each, so that a later life can say what became of them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from actors.linux.private_folder import make_private

LONGEST_FILE_BYTES = 1024 * 1024
MOST_FILES = 200
SUFFIX = ".json"
_NAME = re.compile(r"[a-z0-9]{1,64}\.json")
_UNFINISHED = ".unfinished"
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


class Shelf(Protocol):
    """Where runs are kept; all of it looks at the disk."""

    def write(self, run: str, data: bytes) -> None:
        """Keep what is known of a run.

        Raises:
            OSError: that cannot be done.
        """

    def read(self) -> Iterator[tuple[str, bytes]]:
        """Every run that is kept.

        Raises:
            OSError: that cannot be done.
        """

    def remove(self, run: str) -> None:
        """Keep a run no longer.

        Raises:
            OSError: that cannot be done.
        """


class RunFolder:
    """A folder of the agent's own, which no command sees; made when a run is first kept."""

    def __init__(self, folder: Path) -> None:
        """Nothing is opened yet."""
        self._folder = folder

    def write(self, run: str, data: bytes) -> None:
        """As `Shelf.write`; whatever happens meanwhile, the file is the earlier or the later one."""
        make_private(self._folder)
        place = self._folder / f"{run}{SUFFIX}"
        beside = place.with_suffix(_UNFINISHED)
        with os.fdopen(os.open(beside, _WRITE, 0o600), "wb") as file:
            file.write(data)
        beside.replace(place)

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
        """What a file says; nothing where it is none of ours."""
        try:
            opened = os.open(self._folder / name, _READ)
        except OSError:
            return b""
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LONGEST_FILE_BYTES:
            os.close(opened)
            return b""
        with os.fdopen(opened, "rb") as file:
            return file.read(LONGEST_FILE_BYTES)


class NoShelf:
    """Keeps nothing: of a window that nothing is kept of."""

    def write(self, run: str, data: bytes) -> None:
        """As `Shelf.write`."""

    def read(self) -> Iterator[tuple[str, bytes]]:
        """As `Shelf.read`."""
        yield from ()

    def remove(self, run: str) -> None:
        """As `Shelf.remove`."""
