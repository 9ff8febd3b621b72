"""Maximal marginal relevance (MMR) with recency over the results of a search, pinned first.

`score = 0.7 * sim + 0.2 * exp(-age_days / 14) - 0.1 * redundancy`, where `sim` is the cosine to the question and
`redundancy` the greatest cosine to the candidates already chosen, both cut at 0 (agent specification, 6.4.1).

Rules beyond the source:

- Pinned candidates come first: greatest `sim` first, candidates of unknown `sim` last. Pins count towards `count`, but
  leave a quarter to the other candidates, or as much of a quarter as the other candidates can fill.
- After a pin every further pick is the best score. Without a pin the first pick is the greatest `sim`.
- Equals, everywhere: the newer first, then the lower row.
- A zero vector, or a vector with NaN or infinity, has cosine 0 with every vector. An age below 0 counts as 0.

Each cosine is summed in float64 over one pair of vectors, in an order independent of the other candidates, so
a candidate has the same score to the last bit in every pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WEIGHT_SIM = 0.7
WEIGHT_RECENCY = 0.2
WEIGHT_REDUNDANCY = 0.1
RECENCY_DAYS = 14.0
FOUND_SHARE = 4
"""Of the places this part, a quarter, is not for pins."""
_BLOCK = 256
"""Vectors widened to float64 at a time: few enough to stay in the cache."""
_GRAM = 320
"""Most candidates to compare all at once, which is quicker than a comparison at each choice."""
_TOLERANCE = 2e-5
"""More than the float32 guess of a score can be wrong, twice."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Memory found by a search.

    Attributes:
        row: Row number in the index.
        sim: Cosine to the question; below 0 counts as 0, NaN as unknown.
        age_days: Days since the turn.
        is_pinned: True if a user asked to remember the memory.
        vector: Embedding of the memory; zeros while there is no embedding.
    """

    row: int
    sim: float
    age_days: float
    is_pinned: bool
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Parts:
    """Components of a score, each in [0, 1] and before weighting."""

    sim: float
    recency: float
    redundancy: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chosen candidate, with the score at the moment of the choice."""

    candidate: Candidate
    score: float
    parts: Parts
    is_pinned: bool


@dataclass(frozen=True, slots=True)
class Pick:
    """Chosen candidate of `rank_arrays`: place in the arrays, score, and True for a choice as a pin."""

    index: int
    score: float
    parts: Parts
    is_pinned: bool


def rank(candidates: Sequence[Candidate], count: int) -> list[Ranked]:
    """Best `count` candidates in the order of choice.

    Raises:
        ValueError: `count` is negative, vectors differ in size, or a row occurs twice.
    """
    if not candidates:
        _check_count(count)
        return []
    picks = rank_arrays(
        np.array([candidate.row for candidate in candidates], np.int64),
        np.array([candidate.sim for candidate in candidates], np.float64),
        np.array([candidate.age_days for candidate in candidates], np.float64),
        np.array([candidate.is_pinned for candidate in candidates], np.bool_),
        _matrix([candidate.vector for candidate in candidates]),
        count,
    )
    return [Ranked(candidates[pick.index], pick.score, pick.parts, pick.is_pinned) for pick in picks]


def rank_arrays(
    rows: NDArray[np.int64],
    sims: NDArray[np.float64],
    ages: NDArray[np.float64],
    pinned: NDArray[np.bool_],
    vectors: NDArray[np.float32],
    count: int,
) -> list[Pick]:
    """`rank` over columns: element i of each array, and row i of `vectors`, describe candidate i.

    float32 products say which few candidates may be the best of a step; only their redundancies are summed exactly.

    Raises:
        ValueError: `count` is negative, lengths differ, a row occurs twice, or an age is NaN.
    """
    _check(rows, sims, ages, pinned, vectors, count)
    choice = _Selection(rows, sims, ages, pinned, vectors, count).choice()
    chosen = choice.indexes
    parts = zip(
        np.clip(np.nan_to_num(sims[chosen]), 0.0, 1.0).tolist(),
        recencies(ages[chosen]).tolist(),
        choice.redundancies.tolist(),
        strict=True,
    )
    picks = zip(chosen.tolist(), choice.scores.tolist(), parts, pinned[chosen].tolist(), strict=True)
    return [Pick(index, score, Parts(*of), is_pinned) for index, score, of, is_pinned in picks]


@dataclass(frozen=True, slots=True)
class _Choice:
    """Places of the chosen candidates in the arrays, in order, with the exact scores at each choice."""

    indexes: NDArray[np.int64]
    scores: NDArray[np.float64]
    redundancies: NDArray[np.float64]


def recencies(ages: NDArray[np.float64]) -> NDArray[np.float64]:
    """`exp(-age_days / 14)` of each, 1 for ages below 0."""
    return np.exp(np.maximum(ages, 0.0) / -RECENCY_DAYS)


def similarities(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cosine of each row of `vectors` to `query`, cut to [0, 1]."""
    return np.clip(cosines(vectors, query), 0.0, 1.0)


def cosines(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cosine of each row of `vectors` to `query`, summed in float64; 0 where either has no direction.

    Raises:
        ValueError: their sizes differ.
    """
    if vectors.ndim != 2 or query.shape != vectors.shape[1:]:
        raise ValueError(f"vectors of shape {vectors.shape} have no cosine to a query of shape {query.shape}")
    wide, size = _widen_vector(query)
    products = np.zeros(len(vectors))
    for begin in range(0, len(vectors), _BLOCK):
        block = vectors[begin : begin + _BLOCK].astype(np.float64)
        sizes = np.sqrt(np.einsum("ij,ij->i", block, block))
        has_none = ~np.isfinite(sizes) | (sizes == 0.0)
        if has_none.any():
            block[has_none] = 0.0
            sizes[has_none] = np.inf
        products[begin : begin + _BLOCK] = np.einsum("ij,j->i", block, wide) / (sizes * size)
    return products


def _widen_vector(vector: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    """`vector` in float64 and the vector's length; zeros and infinity for a vector without direction."""
    wide = vector.astype(np.float64)
    size = float(np.sqrt(np.einsum("ij,ij->i", wide[None], wide[None])[0]))
    return (wide, size) if 0.0 < size < np.inf else (np.zeros_like(wide), np.inf)


class _Selection:
    """One choice in progress; see `rank_arrays`."""

    def __init__(
        self,
        rows: NDArray[np.int64],
        sims: NDArray[np.float64],
        ages: NDArray[np.float64],
        pinned: NDArray[np.bool_],
        vectors: NDArray[np.float32],
        count: int,
    ) -> None:
        self._rows = rows
        self._ages = np.maximum(ages, 0.0)
        self._pinned = pinned
        self._vectors = vectors
        self._count = count
        self._is_unknown = np.isnan(sims)
        self._sims = np.clip(np.where(self._is_unknown, 0.0, sims), 0.0, 1.0)
        self._recencies = recencies(ages)
        self._bases = WEIGHT_SIM * self._sims + WEIGHT_RECENCY * self._recencies
        self._redundancies = np.zeros(len(rows))
        self._compared = np.zeros(len(rows), np.int64)
        self._picks: list[int] = []

    def choice(self) -> _Choice:
        """The choice."""
        self._picks.extend(self._pins())
        rest = np.flatnonzero(~self._pinned)
        if len(self._picks) < self._count and not self._picks and len(rest):
            first = self._first(rest, self._sims[rest])
            self._picks.append(first)
            rest = rest[rest != first]
        self._choose_by_score(self._promising(rest))
        redundancies = self._chosen_redundancies()
        indexes = np.array(self._picks, np.int64)
        return _Choice(indexes, self._bases[indexes] - WEIGHT_REDUNDANCY * redundancies, redundancies)

    def _pins(self) -> list[int]:
        """Pinned candidates with a possible place, in order."""
        places = np.flatnonzero(self._pinned)
        most = self._count - min(self._count // FOUND_SHARE, len(self._pinned) - len(places))
        order = np.lexsort((self._rows[places], self._ages[places], -self._sims[places], self._is_unknown[places]))
        return [int(index) for index in places[order[:most]]]

    def _first(self, places: NDArray[np.int64], values: NDArray[np.float64]) -> int:
        """Place of `places` with the greatest value; among equals the newer, then the lower row."""
        equal = places[values == values.max()]
        return int(equal[np.lexsort((self._rows[equal], self._ages[equal]))[0]])

    def _promising(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Places that can still be chosen by score.

        While n are to be chosen, a candidate of the n best without redundancy is left, and loses at most 0.1 by
        redundancy.
        """
        missing = self._count - len(self._picks)
        if not 0 < missing < len(places):
            return places if missing else places[:0]
        bases = self._bases[places]
        least = np.partition(bases, len(bases) - missing)[len(bases) - missing]
        promising: NDArray[np.int64] = places[bases >= least - WEIGHT_REDUNDANCY - _TOLERANCE]
        return promising

    def _choose_by_score(self, places: NDArray[np.int64]) -> None:
        """Fill up from `places` with the best scores."""
        units = _units(self._vectors[places])
        bases = self._bases[places]
        guesses = bases.copy()
        for unit in _units(self._vectors[self._picks]):
            np.minimum(guesses, _reduced_scores(bases, units @ unit), out=guesses)
        every = _reduced_scores(bases, units @ units.T) if len(places) <= _GRAM else None
        for _ in range(min(self._count - len(self._picks), len(places))):
            place = int(guesses.argmax())
            least = guesses[place] - _TOLERANCE
            guesses[place] = -np.inf
            if guesses[guesses.argmax()] >= least:
                place = self._best(places, guesses, place, least)
            self._picks.append(int(places[place]))
            reduced = _reduced_scores(bases, units @ units[place]) if every is None else every[place]
            np.minimum(guesses, reduced, out=guesses)

    def _best(self, places: NDArray[np.int64], guesses: NDArray[np.float64], place: int, least: np.float64) -> int:
        """Place with the best exact score, among `place` and all places whose guess is at least `least`.

        The result is taken out of the guesses, and the former `place` is put back.
        """
        close = np.append(np.flatnonzero(guesses >= least), place)
        rivals = places[close]
        self._compare(rivals)
        best = self._first(rivals, self._bases[rivals] - WEIGHT_REDUNDANCY * self._redundancies[rivals])
        index = int(close[rivals == best][0])
        guesses[place] = least + _TOLERANCE
        guesses[index] = -np.inf
        return index

    def _compare(self, places: NDArray[np.int64]) -> None:
        """Sum the redundancies of `places` exactly, with regard to all chosen candidates."""
        count = len(self._picks)
        for number in range(int(self._compared[places].min(initial=count)), count):
            late = places[self._compared[places] <= number]
            sims = similarities(self._vectors[late], self._vectors[self._picks[number]])
            self._redundancies[late] = np.maximum(self._redundancies[late], sims)
        self._compared[places] = count

    def _chosen_redundancies(self) -> NDArray[np.float64]:
        """Exact redundancy of each chosen candidate with regard to earlier choices.

        float32 products show the possible nearest; as a rule a single candidate, so a single cosine is summed exactly.
        """
        chosen = self._vectors[self._picks]
        units = _units(chosen)
        guesses = units @ units.T
        guesses[np.triu_indices(len(chosen))] = -np.inf
        late, early = np.nonzero(guesses >= guesses.max(axis=1, initial=-2.0, keepdims=True) - _TOLERANCE)
        sims = np.zeros(guesses.shape)
        sims[late, early] = _pair_cosines(chosen, late, early)
        redundancies: NDArray[np.float64] = np.minimum(sims.max(axis=1, initial=0.0), 1.0)
        return redundancies


def _reduced_scores(bases: NDArray[np.float64], cosines: NDArray[np.float32]) -> NDArray[np.float64]:
    """Scores of candidates next to a chosen candidate with the given cosines."""
    return bases - WEIGHT_REDUNDANCY * np.maximum(cosines, np.float32(0.0))


def _pair_cosines(
    vectors: NDArray[np.float32], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Cosine of `vectors[left[i]]` to `vectors[right[i]]` for every i, summed as `cosines` does."""
    wide = vectors.astype(np.float64)
    sizes = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    has_none = ~np.isfinite(sizes) | (sizes == 0.0)
    wide[has_none], sizes[has_none] = 0.0, np.inf
    products = np.empty(len(left))
    for begin in range(0, len(left), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        products[part] = np.einsum("ij,ij->i", wide[left[part]], wide[right[part]])
    return np.asarray(products / (sizes[left] * sizes[right]))


def _units(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """About unit vectors: right to some millionths; zeros where there is no direction."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        scaled = vectors / np.abs(vectors).max(axis=1, initial=0.0, keepdims=True)
        sizes = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
        scaled /= sizes[:, None]
    scaled[~np.isfinite(sizes)] = 0.0
    units: NDArray[np.float32] = scaled.astype(np.float32, copy=False)
    return units


def _matrix(vectors: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Vectors stacked as rows."""
    if len({vector.shape for vector in vectors}) != 1 or vectors[0].ndim != 1:
        raise ValueError(f"vectors of shapes {sorted({vector.shape for vector in vectors})} cannot be compared")
    return np.stack(vectors).astype(np.float32, copy=False)


def _check_count(count: int) -> None:
    if count < 0:
        raise ValueError(f"cannot choose {count} memories: the count must not be negative")


def _check(
    rows: NDArray[np.int64],
    sims: NDArray[np.float64],
    ages: NDArray[np.float64],
    pinned: NDArray[np.bool_],
    vectors: NDArray[np.float32],
    count: int,
) -> None:
    _check_count(count)
    lengths = {len(rows), len(sims), len(ages), len(pinned), len(vectors)}
    if len(lengths) != 1 or vectors.ndim != 2:
        raise ValueError(f"columns of lengths {sorted(lengths)} do not describe the same candidates")
    if len(np.unique(rows)) != len(rows):
        raise ValueError("a row occurs twice among the candidates")
    if np.isnan(ages).any():
        raise ValueError("an age is NaN")
