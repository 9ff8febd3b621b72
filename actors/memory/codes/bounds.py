"""Upper bound of each cosine to a question, tightened as far as needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.file import CodesFile
from actors.memory.codes.records import Records
from actors.memory.codes.table import CodesTable
from domain.memory import vector_codes
from domain.memory.vector_codes import FramedQuery

_SAMPLE = 16
"""Sampling interval of slots, for an estimate of the best bounds."""


@dataclass(frozen=True, slots=True)
class Details:
    """Slots, and their records in the second file."""

    slots: NDArray[np.int64]
    records: Records

    def only(self, mask: NDArray[np.bool_]) -> Details:
        """Slots kept by the mask, with their records."""
        return Details(self.slots[mask], self.records[mask])


class Search:
    """Upper bound of each slot's cosine to a question.

    Attributes:
        uppers: float32: no cosine is above it; minus infinity where a slot is not asked about (any more).
    """

    def __init__(
        self,
        table: CodesTable,
        file: CodesFile,
        query: NDArray[np.float32],
        mask: NDArray[np.bool_],
    ) -> None:
        self._table = table
        self._file = file
        self.question: FramedQuery = vector_codes.frame_query(file.frame, query)
        if self.question.has_direction:
            self.uppers = table.look(self.question, mask)
        else:
            self.uppers = np.where(mask, np.float32(0.0), np.float32(-np.inf))

    def refine(self, slots: NDArray[np.int64]) -> tuple[Details, NDArray[np.float32]]:
        """Make the bounds at `slots` as tight as the fine codes can; the details, and estimates of the cosines.

        A slot with unsound fine codes keeps its bound and is left out.
        """
        details = self._details(slots)
        if not self.question.has_direction:
            return details, np.zeros(len(details.slots), np.float32)
        records = details.records
        guesses = self._table.fine_products(records, self.question.turned)
        uppers = guesses + vector_codes.fine_errors(records["errors"], self.question)
        self.uppers[details.slots] = np.minimum(self.uppers[details.slots], uppers)
        return details, guesses

    def settle(self, slots: NDArray[np.int64]) -> None:
        """Ask no more about `slots`."""
        self.uppers[slots] = -np.inf

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
