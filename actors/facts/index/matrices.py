"""Vectors of conversations in memory: one matrix each, loaded for a search, the longest unused evicted first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from messages.facts import EntryRole

MOST_BYTES = 64 * 1024 * 1024
MOST_ALWAYS = 2
"""Matrices that stay regardless of their size: a question concerns two conversations."""
SPARE = 16
"""Spare rows in a lengthened matrix, at least."""
ROW_BYTES = 250
"""Approximate bytes of a row besides its vector."""
UNIT = 1e-4
"""Allowed deviation of a vector's length from 1."""
_NUMBER = np.dtype("<f4")
_ROUNDING = float(np.finfo(np.float32).eps) / 2
N = TypeVar("N", bound=np.generic)
_CODE_OF = {role: code for code, role in enumerate(EntryRole)}
Key = tuple[str, str, int]
"""Conversation, vector space, and bytes of a vector."""


class VectorError(ValueError):
    """The bytes are not a vector of unit length; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class VectorRow:
    """Vector of one entry."""

    number: int
    """Number of the row in the database."""
    id: str
    role: EntryRole
    at: int
    """Time of creation: of equals the newest is found first."""
    vector: bytes


def vector_of(data: bytes) -> NDArray[np.float32]:
    """Numbers of a vector.

    Args:
        data: Little-endian float32.

    Raises:
        VectorError: `data` is no vector, or not of unit length.
    """
    if not data or len(data) % _NUMBER.itemsize:
        raise VectorError(
            f"{len(data)} bytes are not a vector: a multiple of {_NUMBER.itemsize} is required, and not 0"
        )
    vector = np.frombuffer(data, dtype=_NUMBER)
    length = float(vector @ vector) ** 0.5
    if not abs(length - 1.0) <= UNIT:
        raise VectorError(f"a vector of the length {length:g} is not allowed: 1 is required")
    return vector


def _resize(column: NDArray[N], rows: int) -> NDArray[N]:
    """Copy of a column with room for more rows, or fewer; it has a row for each place."""
    other = np.zeros((rows, *column.shape[1:]), dtype=column.dtype)
    count = min(rows, len(column))
    other[:count] = column[:count]
    return other


class Matrix:
    """Vectors of one conversation, of equal size, without gaps and in no order."""

    def __init__(self, size_bytes: int, rows: Iterable[VectorRow] = ()) -> None:
        """Take rows in.

        Raises:
            VectorError: a row's vector is invalid.
        """
        self._ids: list[str] = []
        self._places: dict[str, int] = {}
        self._vectors: NDArray[np.float32] = np.zeros((SPARE, size_bytes // _NUMBER.itemsize), dtype=_NUMBER)
        self._numbers: NDArray[np.int64] = np.zeros(SPARE, dtype=np.int64)
        self._times: NDArray[np.int64] = np.zeros(SPARE, dtype=np.int64)
        self._roles: NDArray[np.int8] = np.zeros(SPARE, dtype=np.int8)
        for row in rows:  # one at a time: all of them at once would be there twice
            self.put(row)

    @property
    def size_bytes(self) -> int:
        """Of everything, about."""
        return self._vectors.nbytes + ROW_BYTES * len(self._vectors)

    def put(self, row: VectorRow) -> None:
        """Take a vector in, replacing a vector of the same id.

        Raises:
            VectorError: the vector is invalid.
        """
        vector = vector_of(row.vector)
        place = self._places.setdefault(row.id, len(self._ids))
        if place == len(self._ids):
            self._ids.append(row.id)
            if place == len(self._vectors):
                self._resize(place + max(SPARE, place // 4))
        self._vectors[place] = vector
        self._numbers[place], self._times[place], self._roles[place] = row.number, row.at, _CODE_OF[row.role]

    def drop(self, entry_id: str) -> None:
        """Forget a vector; the last vector takes the place."""
        place = self._places.pop(entry_id, None)
        if place is None:
            return
        last = len(self._ids) - 1
        moved = self._ids.pop()
        if place != last:
            self._ids[place] = moved
            self._places[moved] = place
            for column in (self._vectors, self._numbers, self._times, self._roles):
                column[place] = column[last]
        if last < len(self._vectors) // 2 - SPARE:
            self._resize(last)

    def nearest(
        self, question: NDArray[np.float32], count: int, roles: Collection[EntryRole], without: Collection[str]
    ) -> list[tuple[int, float]]:
        """Numbers of the nearest rows, and their cosines, the nearest first; of equals the newer, then by id.

        Args:
            question: Vector of unit length, with the dimensions of the matrix.
            count: Most rows.
            roles: Roles of the rows to search.
            without: Ids of rows to leave out.
        """
        places = self._mask(roles, without)
        if len(places) > count:
            near = (self._vectors[: len(self._ids)] @ question)[places]
            edge = np.partition(near, len(near) - count)[len(near) - count]
            places = places[near >= edge - self._doubt]
        cosines = self._cosines(places, question).tolist()
        scores = zip(cosines, self._times[places].tolist(), places.tolist(), strict=True)
        best = sorted(scores, key=lambda each: (-each[0], -each[1], self._ids[each[2]]))
        return [(int(self._numbers[place]), cosine) for cosine, _, place in best[:count]]

    def _mask(self, roles: Collection[EntryRole], without: Collection[str]) -> NDArray[np.intp]:
        is_wanted = np.array([role in roles for role in _CODE_OF])
        is_allowed = is_wanted[self._roles[: len(self._ids)]]
        is_allowed[[place for each in without if (place := self._places.get(each)) is not None]] = False
        return np.flatnonzero(is_allowed)

    @property
    def _doubt(self) -> float:
        """Error bound of products in single precision: products further apart have the order of the cosines."""
        return 2 * (UNIT + int(self._vectors.shape[1]) * _ROUNDING)

    def _cosines(self, places: NDArray[np.intp], question: NDArray[np.float32]) -> NDArray[np.float64]:
        """Cosines in double precision, row by row: equal vectors have equal cosines, wherever they stand."""
        rows, vector = self._vectors[places].astype(np.float64), question.astype(np.float64)
        lengths = np.sqrt((rows * rows).sum(axis=1)) * np.sqrt((vector * vector).sum())
        cosines: NDArray[np.float64] = np.clip((rows * vector).sum(axis=1) / lengths, -1.0, 1.0)
        return cosines

    def _resize(self, rows: int) -> None:
        self._vectors = _resize(self._vectors, rows)
        self._numbers = _resize(self._numbers, rows)
        self._times = _resize(self._times, rows)
        self._roles = _resize(self._roles, rows)


class Matrices:
    """Recently used matrices."""

    def __init__(self, load: Callable[[Key], Iterable[VectorRow]], most_bytes: int = MOST_BYTES) -> None:
        """Begin without loaded matrices.

        Args:
            load: Gives a conversation's vectors of one space.
            most_bytes: Of all together; the `MOST_ALWAYS` that were used last may have more.
        """
        self._load = load
        self._most_bytes = most_bytes
        self._loaded: OrderedDict[Key, Matrix] = OrderedDict()

    @property
    def size_bytes(self) -> int:
        """Bytes of all loaded matrices."""
        return sum(matrix.size_bytes for matrix in self._loaded.values())

    def of(self, key: Key) -> Matrix:
        """Matrix of a conversation.

        Raises:
            VectorError: the loaded data is no vector.
        """
        matrix = self._loaded.get(key)
        if matrix is None:
            matrix = self._loaded[key] = Matrix(key[2], self._load(key))
        self._loaded.move_to_end(key)
        self._bound()
        return matrix

    def put(self, key: Key, row: VectorRow) -> None:
        """Note a vector now in the database."""
        if (matrix := self._loaded.get(key)) is not None:
            matrix.put(row)

    def drop(self, key: Key, entry_id: str) -> None:
        """Note that a vector is no longer there."""
        if (matrix := self._loaded.get(key)) is not None:
            matrix.drop(entry_id)

    def _bound(self) -> None:
        left = self.size_bytes
        while left > self._most_bytes and len(self._loaded) > MOST_ALWAYS:
            _, gone = self._loaded.popitem(last=False)
            left -= gone.size_bytes
