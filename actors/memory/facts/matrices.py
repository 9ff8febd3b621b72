"""Vectors of conversations in memory: one matrix each, loaded when it is searched, the longest unused let go first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

MOST_BYTES = 64 * 1024 * 1024
SPARE = 64
"""Rows for which a matrix has room when it is made longer, at least."""
Key = tuple[str, str, int]
"""Conversation, vector space, and bytes of a vector."""


@dataclass(frozen=True, slots=True)
class VectorRow:
    """One entry's vector."""

    number: int
    """Of its row in the database."""
    id: str
    role: str
    at: float
    """When it was made, seconds since 1970: of equals the newest is found first."""
    vector: bytes


class Matrix:
    """Vectors of one conversation, of one size."""

    def __init__(self, size_bytes: int, rows: Iterable[VectorRow] = ()) -> None:
        each = list(rows)
        self._size = size_bytes
        self._rows: list[VectorRow | None] = []
        self._places: dict[str, int] = {}
        self._vectors = np.zeros((len(each) + SPARE, size_bytes // 4), dtype="<f4")
        for row in each:
            self.put(row)

    @property
    def size_bytes(self) -> int:
        """Of the vectors; the rest is counted with them."""
        return self._vectors.nbytes + 200 * len(self._rows)

    def put(self, row: VectorRow) -> None:
        """Take a vector in, in place of one of the same id."""
        self.drop(row.id)
        if len(row.vector) != self._size:
            return
        place = len(self._rows)
        if place == len(self._vectors) and len(self._places) < place // 2:
            self._close_ranks()
            place = len(self._rows)
        if place == len(self._vectors):
            more = np.zeros((place + max(SPARE, place // 4), self._size // 4), dtype="<f4")
            more[:place] = self._vectors
            self._vectors = more
        self._vectors[place] = np.frombuffer(row.vector, dtype="<f4")
        self._rows.append(VectorRow(row.number, row.id, row.role, row.at, b""))
        self._places[row.id] = place

    def _close_ranks(self) -> None:
        """Give the places of forgotten vectors back."""
        live = [place for place, row in enumerate(self._rows) if row is not None]
        self._vectors[: len(live)] = self._vectors[live]
        self._vectors[len(live) :] = 0
        self._rows = [self._rows[place] for place in live]
        self._places = {row.id: place for place, row in enumerate(self._rows) if row is not None}

    def drop(self, entry_id: str) -> None:
        """Forget a vector."""
        place = self._places.pop(entry_id, None)
        if place is not None:
            self._rows[place] = None
            self._vectors[place] = 0

    def nearest(
        self, vector: bytes, count: int, roles: Sequence[str], without: frozenset[str]
    ) -> list[tuple[VectorRow, float]]:
        """The nearest entries by cosine, with it; the newer of equals first."""
        used = len(self._rows)
        if not used or len(vector) != self._size:
            return []
        cosines = self._vectors[:used] @ np.frombuffer(vector, dtype="<f4")
        found: list[tuple[VectorRow, float]] = []
        wanted = min(used, count + len(without) + 8)
        while True:
            best = np.argpartition(-cosines, wanted - 1)[:wanted] if wanted < used else np.arange(used)
            edge = float(cosines[best].min()) if wanted < used else -np.inf
            found = [
                (row, float(cosines[place]))
                for place in best
                if (row := self._rows[int(place)]) is not None and row.role in roles and row.id not in without
            ]
            found.sort(key=lambda each: (-each[1], -each[0].at, each[0].id))
            # Ties at the edge may have been cut off in any order, and rows of other roles may have taken places.
            if wanted == used or (len(found) > count and found[count - 1][1] > edge):
                return found[:count]
            wanted = min(used, 4 * wanted)


class Matrices:
    """Matrices that were used lately."""

    def __init__(self, load: Callable[[Key], Iterable[VectorRow]], most_bytes: int = MOST_BYTES) -> None:
        """None is loaded.

        Args:
            load: Gives a conversation's vectors of one space.
            most_bytes: Of all together; one alone may have more.
        """
        self._load = load
        self._most_bytes = most_bytes
        self._loaded: OrderedDict[Key, Matrix] = OrderedDict()

    @property
    def size_bytes(self) -> int:
        """Of all that are loaded."""
        return sum(matrix.size_bytes for matrix in self._loaded.values())

    def of(self, key: Key) -> Matrix:
        """The matrix of a conversation."""
        matrix = self._loaded.get(key)
        if matrix is None:
            matrix = self._loaded[key] = Matrix(key[2], self._load(key))
            while len(self._loaded) > 1 and self.size_bytes > self._most_bytes:
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(key)
        return matrix

    def put(self, key: Key, row: VectorRow) -> None:
        """Note a vector that is in the database now."""
        if (matrix := self._loaded.get(key)) is not None:
            matrix.put(row)

    def drop(self, conversation: str, entry_id: str) -> None:
        """Note that an entry is no longer there."""
        for (name, _, _), matrix in self._loaded.items():
            if name == conversation:
                matrix.drop(entry_id)

    def clear(self) -> None:
        """Let go of all."""
        self._loaded.clear()
