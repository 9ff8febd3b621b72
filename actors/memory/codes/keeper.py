"""The codes of the index's vectors, kept in step; trouble with their file costs time, never an answer."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.nearest import Nearest
from actors.memory.index.vectors import IndexVectors

log = logging.getLogger(__name__)

FILE = "codes"
_LEAST_FIT = 64
_REFIT = 4
"""Codes are made anew when there are so many times the vectors they were fitted to ..."""
_WELL_FITTED = 16_384
"""... until they were fitted to so many."""


class CodesKeeper:
    """Opens the codes, feeds them, and opens them anew when that is better."""

    def __init__(self, folder: Path, space: str, dimensions: int, source: IndexVectors) -> None:
        """Open what is there, or make it.

        Args:
            folder: Where the file is.
            space: Another one for each model and each life of row numbers.
            dimensions: Of the vectors.
            source: The index's vectors.
        """
        self._path = folder / FILE
        self._space = space
        self._dimensions = dimensions
        self._source = source
        self._fitted = 0
        self._count = 0
        self.trouble = ""
        """Why the codes are behind the index; empty when they are not."""
        self.nearest: Nearest | None = None
        self.reopen()

    @classmethod
    def copied(cls, original: Path, folder: Path, space: str, dimensions: int, source: IndexVectors) -> CodesKeeper:
        """Codes of one's own in `folder`, from the file beside the index where there is one."""
        for file in original.glob(f"{FILE}*"):
            shutil.copyfile(file, folder / file.name)
        return cls(folder, space, dimensions, source)

    def reopen(self) -> None:
        """Open anew, which mends what is behind."""
        self.close()
        self._attempt(self._open)

    def append(self, rows: NDArray[np.int64]) -> None:
        """Take in rows that have a vector in the index now."""
        nearest = self.nearest
        if nearest is None or not len(rows):
            return
        self._attempt(lambda: nearest.append(rows, self._source.fetch(rows), self._source.times(rows)))
        self._count += len(rows)
        if self._fitted < _WELL_FITTED and self._count > _REFIT * max(self._fitted, _LEAST_FIT):
            self.close()
            self._attempt(self._discard)
            self._attempt(self._open)

    def remove(self, rows: NDArray[np.int64]) -> None:
        """Find rows no more."""
        nearest = self.nearest
        if nearest is not None and len(rows):
            self._attempt(lambda: nearest.remove(rows))

    def close(self) -> None:
        """Give the file back; again, nothing."""
        if self.nearest is not None:
            self.nearest.close()
            self.nearest = None

    def _discard(self) -> None:
        for file in self._path.parent.glob(f"{FILE}*"):
            file.unlink()

    def _open(self) -> None:
        if len(self._source.rows()) <= _REFIT * _LEAST_FIT:
            self._discard()  # made in no time, and better fitted than what began with none
        self.nearest = Nearest.open(self._path, self._space, self._dimensions, self._source)
        self._fitted = self._count = len(self.nearest.rows)
        self.trouble = ""

    def _attempt(self, act: Callable[[], None]) -> None:
        try:
            act()
        except OSError as error:
            if not self.trouble:
                log.warning("the codes of the memory's vectors cannot be kept: %s", error)
            self.trouble = str(error)
