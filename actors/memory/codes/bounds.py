"""One question put to all codes: upper bounds of every cosine, made tighter where it matters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.file import CodesFile
from actors.memory.codes.records import Records
from actors.memory.codes.scan import Recency
from actors.memory.codes.table import CodesTable
from domain.memory import vector_codes
from domain.memory.vector_codes import Question

_SAMPLE = 16
"""One in so many places says how high a bound the best have."""


@dataclass(frozen=True, slots=True)
class Details:
    """Places, and the second file's records of them."""

    places: NDArray[np.int64]
    records: Records

    def only(self, kept: NDArray[np.bool_]) -> Details:
        """Those that are kept."""
        return Details(self.places[kept], self.records[kept])


class Search:
    """What is known about the cosine of each place to a question.

    Attributes:
        uppers: float32: no cosine is above it; minus infinity where a place is not asked about (any more).
        scores: The same for the formula's score without redundancy; None if nobody wants to know.
    """

    def __init__(
        self,
        table: CodesTable,
        file: CodesFile,
        query: NDArray[np.float32],
        asked: NDArray[np.bool_],
        recency: Recency | None = None,
    ) -> None:
        self._table = table
        self._file = file
        self._recency = recency
        self.question: Question = vector_codes.asked(file.frame, query)
        self.scores: NDArray[np.float32] | None
        if self.question.has_direction:
            self.uppers, self.scores = table.look(self.question, asked, recency)
        else:
            self.uppers = np.where(asked, np.float32(0.0), np.float32(-np.inf))
            self.scores = None if recency is None else recency.scores(self.uppers, slice(None))

    def refine(self, places: NDArray[np.int64]) -> tuple[Details, NDArray[np.float32]]:
        """Make the bounds at `places` as tight as the fine codes can; these, and what the cosines probably are.

        A place whose fine codes are not sound keeps its bound and is left out.
        """
        details = self._details(places)
        if not self.question.has_direction:
            return details, np.zeros(len(details.places), np.float32)
        records = details.records
        guesses = self._table.fine_products(records, self.question.turned[None])[0][:, 0]
        uppers = guesses + vector_codes.fine_errors(records["errors"], self.question)
        tighter = np.minimum(self.uppers[details.places], uppers)
        self.uppers[details.places] = tighter
        if self.scores is not None and self._recency is not None:
            self.scores[details.places] = self._recency.scores(tighter, details.places)
        return details, guesses

    def floors(self, records: Records, chosen: Records) -> NDArray[np.float32]:
        """Lower bounds of the cosine of each of `records` to each of `chosen`, (n, m)."""
        frame, codes = self._file.frame, (chosen["factor"], chosen["errors"])
        others = vector_codes.decoded(frame, chosen["head"], chosen["fine"], chosen["factor"])
        floors, sizes = self._table.fine_products(records, others)
        return floors - vector_codes.pair_errors(frame, (sizes, records["errors"]), others, codes)

    def settle(self, places: NDArray[np.int64]) -> None:
        """Ask no more about `places`."""
        self.uppers[places] = -np.inf
        if self.scores is not None:
            self.scores[places] = -np.inf

    def _details(self, places: NDArray[np.int64]) -> Details:
        is_sound, records = self._file.details(places)
        is_sound &= records["row"] == self._table.rows[places]
        found = Details(places, records)
        return found if is_sound.all() else found.only(is_sound)


def greatest(values: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Places of about the `count` greatest finite `values`, at least so many when there are; a quick look, unsorted."""
    if len(values) > 4 * count * _SAMPLE:
        sample = values[::_SAMPLE]
        wanted = 2 * count // _SAMPLE + 8
        floor = np.partition(sample, len(sample) - wanted)[len(sample) - wanted]
        places = np.flatnonzero(values >= floor) if np.isfinite(floor) else np.empty(0, np.int64)
        if count <= len(places) <= 8 * count:
            return places
    places = np.flatnonzero(np.isfinite(values))
    if len(places) <= count:
        return places
    return places[np.argpartition(-values[places], count - 1)[:count]]
