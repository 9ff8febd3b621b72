"""Vector engine, the interface of this room: exact nearest-neighbour search over, and in step with, the index.

Trouble with the engine's side files costs time, never an answer: callers check `is_open` first, else read the index.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes import scan
from actors.memory.codes.nearest import Allowed, Nearest, VectorSource
from actors.memory.codes.tuning import MEASURED, Tuning

__all__ = ["FILE", "MEASURED", "EngineSpace", "Tuning", "VectorEngine", "VectorSource", "is_compiled"]

log = logging.getLogger(__name__)

FILE = "codes"
"""Name of the first side file; the names of the rest begin the same way."""


def is_compiled() -> bool:
    """True if searches use the compiled pass; without the pass numpy does the work, several times slower."""
    return scan.is_available()


@dataclass(frozen=True, slots=True)
class EngineSpace:
    """Location of an engine's files, and the kind of their vectors."""

    folder: Path
    name: str
    """Different for each model and each life of row numbers."""
    dimensions: int


class VectorEngine:
    """Search engine over vectors of a space; feeds its files from the index, or rebuilds the files if better."""

    def __init__(self, space: EngineSpace, source: VectorSource, tuning: Tuning = MEASURED) -> None:
        """Open existing codes, or make new codes.

        Args:
            space: Vector space of the codes.
            source: The index's vectors.
            tuning: Speed and memory; no answer depends on the tuning.
        """
        self._space = space
        self._source = source
        self._tuning = tuning
        self._fitted = 0
        self._count = 0
        self._nearest: Nearest | None = None
        self.trouble = ""
        """Reason why the codes are behind the index; empty for codes in step."""
        self.reopen()

    @classmethod
    def copy_of(
        cls, original: Path, space: EngineSpace, source: VectorSource, tuning: Tuning = MEASURED
    ) -> VectorEngine:
        """An engine with files of its own, copied from any existing files in the folder `original`."""
        for file in original.glob(f"{FILE}*"):
            shutil.copyfile(file, space.folder / file.name)
        return cls(space, source, tuning)

    @property
    def is_open(self) -> bool:
        """True if the engine can be searched; if not, `trouble` says why."""
        return self._nearest is not None

    @property
    def fetched(self) -> int:
        """Vectors fetched from the index by the last search."""
        return self._require_open().fetched

    def append(self, rows: NDArray[np.int64]) -> None:
        """Take in rows that now have a vector in the index."""
        nearest = self._nearest
        if nearest is None or not len(rows):
            return
        self._attempt(lambda: nearest.append(rows, self._source.fetch(rows), self._source.times(rows)))
        self._count += len(rows)
        tuning = self._tuning
        least = tuning.refit_factor * max(self._fitted, tuning.least_fit_rows)
        if self._fitted < tuning.fit_rows and self._count > least:
            self.close()
            self._attempt(self._discard)
            self._attempt(self._open)

    def remove(self, rows: NDArray[np.int64]) -> None:
        """Find rows no more."""
        nearest = self._nearest
        if nearest is not None and len(rows):
            self._attempt(lambda: nearest.remove(rows))

    def erase_gone(self) -> None:
        """Erase the codes of removed rows from the files.

        Raises:
            OSError: the files could not be written.
        """
        if self._nearest is None or self.trouble:
            self.close()
            self._discard()
            self.reopen()
        else:
            self._nearest.erase_gone()

    def top(
        self, query: NDArray[np.float32], count: int, allowed: Allowed | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The `count` rows with the greatest cosines to `query`, and the cosines; equals: newer, then lower row.

        Args:
            query: float32 (dimensions,).
            count: Most rows wanted, from 0.
            allowed: Allowed row numbers, in any order, or (much faster for many rows) a flag for each row, by row
                number; None allows all.

        Raises:
            ValueError: `count` is negative.
            RuntimeError: the engine is not open.
        """
        return self._require_open().top(query, count, allowed)

    def reopen(self) -> None:
        """Open the codes anew, to repair codes behind the index."""
        self.close()
        self._attempt(self._open)

    def close(self) -> None:
        """Give the files back. Idempotent."""
        if self._nearest is not None:
            self._nearest.close()
            self._nearest = None

    def _require_open(self) -> Nearest:
        if self._nearest is None:
            raise RuntimeError(f"the codes of the memory's vectors are not open: {self.trouble or 'closed'}")
        return self._nearest

    def _discard(self) -> None:
        for file in self._space.folder.glob(f"{FILE}*"):
            file.unlink()

    def _open(self) -> None:
        space, tuning = self._space, self._tuning
        if len(self._source.rows()) <= tuning.refit_factor * tuning.least_fit_rows:
            self._discard()  # made in no time, and better fitted than what began with none
        self._nearest = Nearest.open(space.folder / FILE, space.name, space.dimensions, self._source, tuning)
        self._fitted = self._count = len(self._nearest.rows)
        self.trouble = ""

    def _attempt(self, act: Callable[[], None]) -> None:
        try:
            act()
        except OSError as error:
            if not self.trouble:
                log.warning("the codes of the memory's vectors cannot be kept: %s", error)
            self.trouble = str(error)
