"""Hybrid retrieval scores: which turns bear on a question, by meaning, by words and by what stands beside them.

A turn's own score is made of its cosine and its BM25, each scaled to [0, 1] by the greatest among the candidates. To
that it borrows from the turns around it, for an answer often stands beside the words that were asked for, and from the
best of its episode. It is computed over candidates, never over all rows: the `HITS` nearest rows by cosine, as many by
BM25, and the row before and after each of these in its window. With 3,000 rows, 50 to 400 of them put as much of the
evidence into the block as computing all rows does, within 2 %.

The parameters were chosen on development conversations, by the figure that `agent bench recall` calls `block`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain.memory.keywords import words

HITS = 100
"""Number of rows that each of the two searches contributes, before the rows beside them."""
WORD_SCORES = 1000
"""So many of the best BM25 scores count, for rows that are candidates for whatever reason."""
WEIGHT_COSINE = 0.45
FROM_BEFORE = 0.3
"""Share of the previous turn's own score that a turn borrows."""
FROM_AFTER = 0.2
FROM_EPISODE = 0.5
"""Share of the best own score of its episode."""
NAMED = 0.1
"""Gain of a turn when the question names its author."""
ASKING = 0.2
"""Loss of a turn that only asks."""
EPISODE_GAP = timedelta(hours=1)
"""A silence longer than this ends an episode."""
POOL_FACTOR = 1.25
"""The pool that the formula ranks is cut where its rows would take this many times the block's budget."""
POOL_LEAST = 24
"""But it never has fewer rows, so on small memories the formula ranks everything."""
_NOWHERE = -1


class CandidateRow(NamedTuple):
    """A row that the search looks at.

    Attributes:
        row: Its number in the index.
        cosine: Cosine to the question; below 0, and NaN for unknown, count as 0.
        keyword: BM25, greater is better (FTS5's with its sign turned); 0 where no word was found.
        before: Row of the previous turn in the same window, None if there is none; it need not be a candidate.
        after: Row of the next turn in the same window.
        episode: Names its episode: equal for the turns of one, unique among windows.
        is_named: Whether the question names its author, see `names`.
        is_question: See `is_question`.
    """

    row: int
    cosine: float
    keyword: float
    before: int | None
    after: int | None
    episode: int
    is_named: bool
    is_question: bool


class Scored(NamedTuple):
    """A row with its score, and its own part of the score."""

    row: int
    score: float
    own: float


class Candidates(NamedTuple):
    """Columns of `CandidateRow`; for `before` and `after` any number that is no row stands for none."""

    rows: NDArray[np.int64]
    cosines: NDArray[np.float64]
    keywords: NDArray[np.float64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    episodes: NDArray[np.int64]
    named: NDArray[np.bool_]
    asking: NDArray[np.bool_]


class Scores(NamedTuple):
    """Columns of `Scored`, best first; equals: greater cosine, then the higher row, which is the newer."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    own: NDArray[np.float64]


def scored(candidates: Sequence[CandidateRow]) -> list[Scored]:
    """`scores` row by row.

    Raises:
        ValueError: A row occurs twice.
    """
    if not candidates:
        return []
    rows, cosines, keywords, before, after, episodes, named, asking = zip(*candidates, strict=True)
    columns = scores(
        Candidates(
            np.array(rows, np.int64),
            np.array(cosines, np.float64),
            np.array(keywords, np.float64),
            np.array([_NOWHERE if row is None else row for row in before], np.int64),
            np.array([_NOWHERE if row is None else row for row in after], np.int64),
            np.array(episodes, np.int64),
            np.array(named, np.bool_),
            np.array(asking, np.bool_),
        )
    )
    return [Scored(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


def scores(candidates: Candidates) -> Scores:
    """All of `candidates` with their scores.

    Raises:
        ValueError: A row occurs twice.
    """
    by_row = np.argsort(candidates.rows, kind="stable")
    ordered = candidates.rows[by_row]
    if (ordered[1:] == ordered[:-1]).any():
        raise ValueError(f"{len(ordered)} candidates, {len(np.unique(ordered))} rows: each row must occur once")
    near = _positive(candidates.cosines)
    own = WEIGHT_COSINE * _scaled(near) + (1 - WEIGHT_COSINE) * _scaled(_positive(candidates.keywords))
    total = own + FROM_EPISODE * _best_of_episode(candidates.episodes, own)
    total += FROM_BEFORE * _lent(candidates.before, ordered, own[by_row])
    total += FROM_AFTER * _lent(candidates.after, ordered, own[by_row])
    total += NAMED * candidates.named.astype(np.float64) - ASKING * candidates.asking.astype(np.float64)
    order = np.lexsort((-candidates.rows, -near, -total))
    return Scores(candidates.rows[order], total[order], own[order])


def pool_size(sizes: Iterable[int], budget: int) -> int:
    """Number of the best rows that the formula ranks.

    Args:
        sizes: Rendered size of each row's memory, best row first.
        budget: Of the whole block, in the same unit.
    """
    used = count = 0
    for size in sizes:
        used += size
        if used > POOL_FACTOR * budget and count >= POOL_LEAST:
            break
        count += 1
    return count


def starts_episode(previous_at: datetime | None, at: datetime) -> bool:
    """True if a turn at `at` begins an episode; `previous_at` is the time of the window's previous turn."""
    return previous_at is None or at - previous_at > EPISODE_GAP


def names(question: str, author: str) -> bool:
    """True if `question` holds a word of `author`'s display name; words of one letter do not count."""
    return not _words_of(author).isdisjoint(_words_of(question))


def is_question(text: str) -> bool:
    """True if `text` ends with a question."""
    return are_questions((text,))[0]


def are_questions(texts: Iterable[str]) -> list[bool]:
    """`is_question` of each."""
    return [("?" in text or "\uff1f" in text) and text.rstrip().endswith(("?", "\uff1f")) for text in texts]


@lru_cache(maxsize=4096)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if len(word) > 1)


def _positive(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values` with 0 for negative and unknown values."""
    return np.fmax(values, 0.0)


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values` as shares of the greatest."""
    return values / (values.max(initial=0.0) or 1.0)


def _lent(neighbours: NDArray[np.int64], rows: NDArray[np.int64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Own score of each of `neighbours`; one that is no candidate lends nothing. `rows`, of `own`, ascend."""
    if not len(rows):
        return np.zeros(len(neighbours))
    at = np.minimum(np.searchsorted(rows, neighbours), len(rows) - 1)
    lent: NDArray[np.float64] = np.where(rows[at] == neighbours, own[at], 0.0)
    return lent


def _best_of_episode(episodes: NDArray[np.int64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each candidate the best own score of its episode."""
    _, group = np.unique(episodes, return_inverse=True)
    best = np.zeros(len(own))
    np.maximum.at(best, group, own)
    return best[group]
