"""One question put to all codes: upper bounds of every cosine, made tighter where it matters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes import CodesFile
from actors.memory.codes_table import CodesTable
from domain import vector_codes
from domain.vector_codes import Codes, Question

_TIGHT, _DEEP = 1, 2
"""How much of the codes a bound has seen: the head alone (0), what is in memory, all."""

_PART = 4096
"""Places looked at together: what that takes of memory stays small."""
_SAMPLE = 16
"""One in so many places says how high a bound the best have."""


@dataclass(frozen=True, slots=True)
class Details:
    """Places with their decoded vectors and the errors of these."""

    places: NDArray[np.int64]
    decoded: NDArray[np.float32]
    errors: NDArray[np.float32]


class Search:
    """What is known about the cosine of each place to a question.

    Attributes:
        uppers: float32: no cosine is above it; minus infinity where a place is not asked about (any more).
    """

    def __init__(
        self,
        table: CodesTable,
        file: CodesFile,
        query: NDArray[np.float32],
        asked: NDArray[np.bool_],
    ) -> None:
        self._table = table
        self._file = file
        self.question: Question = vector_codes.asked(file.frame, query)
        self.uppers = np.empty(table.count, np.float32)
        self._depth = np.zeros(table.count, np.uint8)
        if self.question.has_direction:
            self._bound_all()
        else:
            self.uppers.fill(0.0)
            self._depth.fill(_TIGHT)
        self.uppers[~asked] = -np.inf

    def _bound_all(self) -> None:
        """Bounds from the heads."""
        step = np.float32(self.question.head_step)
        for begin, products in self._table.products(self.question):
            end = begin + len(products)
            part = self.uppers[begin:end]
            np.multiply(products, step, out=part)
            part += vector_codes.head_errors(self._table.lengths[begin:end], self.question)

    def tighten(self, places: NDArray[np.int64]) -> None:
        """Make the bounds at `places` as tight as the codes in memory can."""
        loose = places[self._depth[places] < _TIGHT]
        for begin in range(0, len(loose), _PART):
            part = loose[begin : begin + _PART]
            lengths = self._table.lengths[part]
            guesses = self.uppers[part] - vector_codes.head_errors(lengths, self.question)
            guesses += vector_codes.middle_products(self._table.middle[part], self.question.middle)
            guesses += vector_codes.middle_errors(lengths, self.question)
            self.uppers[part] = np.minimum(self.uppers[part], guesses)
        self._depth[loose] = _TIGHT

    def deepen(self, places: NDArray[np.int64]) -> None:
        """Make the bounds at `places` as tight as the codes in the files can; what is not sound there stays."""
        shallow = places[self._depth[places] < _DEEP]
        self._depth[shallow] = _DEEP
        if not self.question.has_direction:
            return
        for begin in range(0, len(shallow), _PART):
            part, codes = self._codes(shallow[begin : begin + _PART])
            guesses = vector_codes.decoded_products(self._file.frame, codes, self.question.target)
            guesses += vector_codes.decoded_errors(codes) @ self.question.weights + np.float32(vector_codes.MARGIN)
            self.uppers[part] = np.minimum(self.uppers[part], guesses)

    def details(self, places: NDArray[np.int64]) -> Details:
        """What the files say of `places`; those that are not sound there are left out."""
        places, codes = self._codes(places)
        return Details(places, vector_codes.decode(self._file.frame, codes), vector_codes.decoded_errors(codes))

    def _codes(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], Codes]:
        """Those of `places` that are sound in the files, and all codes of them."""
        is_sound, records = self._file.details(places)
        is_sound &= records["row"] == self._table.rows[places]
        if not is_sound.all():
            places, records = places[is_sound], records[is_sound]
        middle, lengths = self._table.middle[places], self._table.lengths[places]
        return places, Codes(records["head"], middle, lengths, records["rest"], records["rest_error"])

    def guesses(self, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """What the cosines at `places` probably are; they are tightened."""
        self.tighten(places)
        if not self.question.has_direction:
            return self.uppers[places]
        return self.uppers[places] - vector_codes.middle_errors(self._table.lengths[places], self.question)

    def settle(self, places: NDArray[np.int64]) -> None:
        """Ask no more about `places`."""
        self.uppers[places] = -np.inf


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
