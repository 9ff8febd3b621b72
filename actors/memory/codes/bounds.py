"""Upper bound of each cosine to one question, made tighter where it matters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.file import CodesFile
from actors.memory.codes.recency import Recency
from actors.memory.codes.records import Records
from actors.memory.codes.table import CodesTable
from domain.memory import vector_codes
from domain.memory.vector_codes import FramedQuery

_SAMPLE = 16
"""One in so many slots says how high the bounds of the best are."""


@dataclass(frozen=True, slots=True)
class Details:
    """Slots, and the second file's records of them."""

    slots: NDArray[np.int64]
    records: Records

    def only(self, kept: NDArray[np.bool_]) -> Details:
        """Those that are kept."""
        return Details(self.slots[kept], self.records[kept])


class Search:
    """Upper bound of each slot's cosine to a question, and of its score.

    Attributes:
        uppers: float32: no cosine is above it; minus infinity where a slot is not asked about (any more).
        scores: The same for the formula's score without redundancy; None if nobody wants to know.
    """

    def __init__(
        self,
        table: CodesTable,
        file: CodesFile,
        query: NDArray[np.float32],
        mask: NDArray[np.bool_],
        recency: Recency | None = None,
    ) -> None:
        self._table = table
        self._file = file
        self._recency = recency
        self.question: FramedQuery = vector_codes.frame_query(file.frame, query)
        self.scores: NDArray[np.float32] | None
        if self.question.has_direction:
            self.uppers, self.scores = table.look(self.question, mask, recency)
        else:
            self.uppers = np.where(mask, np.float32(0.0), np.float32(-np.inf))
            self.scores = None if recency is None else recency.scores(self.uppers, slice(None))

    def refine(self, slots: NDArray[np.int64]) -> tuple[Details, NDArray[np.float32]]:
        """Make the bounds at `slots` as tight as the fine codes can; these, and what the cosines probably are.

        A slot whose fine codes are not sound keeps its bound and is left out.
        """
        details = self._details(slots)
        if not self.question.has_direction:
            return details, np.zeros(len(details.slots), np.float32)
        records = details.records
        guesses = self._table.fine_products(records, self.question.turned[None])[0][:, 0]
        uppers = guesses + vector_codes.fine_errors(records["errors"], self.question)
        tighter = np.minimum(self.uppers[details.slots], uppers)
        self.uppers[details.slots] = tighter
        if self.scores is not None and self._recency is not None:
            self.scores[details.slots] = self._recency.scores(tighter, details.slots)
        return details, guesses

    def floors(self, records: Records, chosen: Records) -> NDArray[np.float32]:
        """Lower bounds of the cosine of each of `records` to each of `chosen`, (n, m)."""
        frame, codes = self._file.frame, (chosen["factor"], chosen["errors"])
        others = vector_codes.decoded(frame, chosen["head"], chosen["fine"], chosen["factor"])
        floors, sizes = self._table.fine_products(records, others)
        return floors - vector_codes.pair_errors(frame, (sizes, records["errors"]), others, codes)

    def settle(self, slots: NDArray[np.int64]) -> None:
        """Ask no more about `slots`."""
        self.uppers[slots] = -np.inf
        if self.scores is not None:
            self.scores[slots] = -np.inf

    def _details(self, slots: NDArray[np.int64]) -> Details:
        is_sound, records = self._file.details(slots)
        is_sound &= records["row"] == self._table.rows[slots]
        details = Details(slots, records)
        return details if is_sound.all() else details.only(is_sound)


def greatest(values: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Slots of about the `count` greatest finite `values`, at least so many when there are; a quick look, unsorted."""
    if len(values) > 4 * count * _SAMPLE:
        sample = values[::_SAMPLE]
        most = 2 * count // _SAMPLE + 8
        floor = np.partition(sample, len(sample) - most)[len(sample) - most]
        slots = np.flatnonzero(values >= floor) if np.isfinite(floor) else np.empty(0, np.int64)
        if count <= len(slots) <= 8 * count:
            return slots
    slots = np.flatnonzero(np.isfinite(values))
    if len(slots) <= count:
        return slots
    return slots[np.argpartition(-values[slots], count - 1)[:count]]
