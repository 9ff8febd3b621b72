"""Hybrid similarity: how much a turn bears on a question, by meaning, by words and by what stands beside it.

A turn's own part is made of its cosine and its BM25, each scaled to [0, 1] by the greatest among the candidates. To
that it borrows from the turns around it, for an answer often stands beside the words that were asked for, and from the
best of its episode. The sum as a share of its greatest possible value is the similarity: it chooses the pool, and is
the `sim` of the formula that orders it. It is computed over candidates, never over all rows: the `HITS` nearest rows by
cosine, as many by BM25, and the row before and after each of these in its window. With 3,000 rows, 50 to 400 of them
put as much of the evidence into the block as computing all rows does, within 2 %.

The parameters were chosen on development conversations, by the figures that `agent bench recall` prints.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence, Set
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from domain.memory.keywords import question_words, words
from domain.memory.letters import plain_letters

HITS = 100
"""Number of rows that each of the two searches contributes, before the rows beside them."""
WORD_SCORES = 1000
"""So many of the best BM25 scores count, for rows that are candidates for whatever reason."""
WEIGHT_COSINE = 0.5
FROM_BEFORE = 0.3
"""Share of the previous turn's own score that a turn borrows."""
FROM_AFTER = 0.2
FROM_SECOND = 0.075
"""Share of the own scores of the turn before the previous one and of the turn after the next one."""
FROM_EPISODE = 0.3
"""Share of the best own score of its episode."""
NAMED = 0.3
"""Gain of a turn when the question names its author."""
SELF = 0.15
"""Gain of a turn beside `NAMED`, when its author speaks of themself: that, and no greeting, is asked for."""
ASKING = 0.15
"""Loss of a turn that only asks."""
ANSWERING = 0.3
"""Loss of a turn of the agent's: what people said is the source of it."""
LENGTH = 0.3
"""Gain of a long turn, which says more than a greeting does; by the logarithm of its length."""
SHORT_CHARS, LONG_CHARS = 5, 400
"""Lengths of a turn that gain nothing and all of `LENGTH`."""
MOST = 1.0 + FROM_BEFORE + FROM_AFTER + 2 * FROM_SECOND + FROM_EPISODE + NAMED + SELF + LENGTH
"""Sum of a turn that is best in all."""
EPISODE_GAP = timedelta(hours=1)
"""A silence longer than this ends an episode."""
POOL_LEAST = 8
"""Rows of the pool, at least; else the pool that the formula ranks is what the block has room for."""
BEYOND_POOL = 20
"""Rows after the pool, ranked among themselves: for room that is left, and as the best that a block does not show."""
_NOWHERE = -1
_WORD = re.compile(r"\b(\w+)(?:['`\u2019]s\b)?")
Number = TypeVar("Number", np.int64, np.float64)


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
        is_agents: Whether the agent said it.
        is_self: See `speaks_of_self`; it counts where `is_named`.
        chars: Length of its text; more than `LONG_CHARS` counts as that.
    """

    row: int
    cosine: float
    keyword: float
    before: int | None
    after: int | None
    episode: int
    is_named: bool
    is_question: bool
    is_agents: bool = False
    is_self: bool = False
    chars: int = SHORT_CHARS


class Scored(NamedTuple):
    """A row with its similarity in [0, 1], and the two halves of its own part, both before what it borrows.

    Attributes:
        row: Its number in the index.
        similarity: Of the whole; its greatest possible value is 1.
        meaning: Of its cosine, at most `WEIGHT_COSINE`.
        words: Of its BM25, at most the rest of 1.
    """

    row: int
    similarity: float
    meaning: float
    words: float


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
    answering: NDArray[np.bool_]
    selves: NDArray[np.bool_]
    chars: NDArray[np.int64]


class Scores(NamedTuple):
    """Columns of `Scored`, best first; equals: greater cosine, then the higher row, which is the newer."""

    rows: NDArray[np.int64]
    similarities: NDArray[np.float64]
    meaning: NDArray[np.float64]
    words: NDArray[np.float64]


def score_rows(candidates: Sequence[CandidateRow]) -> list[Scored]:
    """`scores` row by row.

    Raises:
        ValueError: A row occurs twice.
    """
    if not candidates:
        return []
    rows, cosines, keywords, before, after, episodes, named, asking, answering, selves, chars = zip(
        *candidates, strict=True
    )
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
            np.array(answering, np.bool_),
            np.array(selves, np.bool_),
            np.array(chars, np.int64),
        )
    )
    return [Scored(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


def scores(candidates: Candidates) -> Scores:
    """All of `candidates` with their similarities.

    Raises:
        ValueError: A row occurs twice.
    """
    by_row = np.argsort(candidates.rows, kind="stable")
    ordered = candidates.rows[by_row]
    if (ordered[1:] == ordered[:-1]).any():
        raise ValueError(f"{len(ordered)} candidates, {len(np.unique(ordered))} rows: each row must occur once")
    near = _positive(candidates.cosines)
    meaning = WEIGHT_COSINE * _share(near)
    by_words = (1 - WEIGHT_COSINE) * _share(_positive(candidates.keywords))
    own = meaning + by_words
    total = own + FROM_EPISODE * _best_of_episode(candidates.episodes, own)
    for share, second, neighbours in (
        (FROM_BEFORE, FROM_SECOND, candidates.before),
        (FROM_AFTER, FROM_SECOND, candidates.after),
    ):
        total += share * _loans(neighbours, ordered, own[by_row])
        beyond = _loans(neighbours, ordered, neighbours[by_row], _NOWHERE)
        total += second * _loans(beyond, ordered, own[by_row])
    total += NAMED * candidates.named - ASKING * candidates.asking - ANSWERING * candidates.answering
    total += SELF * (candidates.named & candidates.selves)
    total += LENGTH * _long(candidates.chars)
    shares = np.clip(total / MOST, 0.0, 1.0)
    order = np.lexsort((-candidates.rows, -near, -shares))
    return Scores(candidates.rows[order], shares[order], meaning[order], by_words[order])


def pool_size(sizes: Iterable[int], budget: int) -> int:
    """Number of the best rows that the formula ranks.

    Args:
        sizes: Rendered size of each row's memory, best row first.
        budget: Of the whole block, in the same unit.
    """
    used = count = 0
    for size in sizes:
        used += size
        if used > budget and count >= POOL_LEAST:
            break
        count += 1
    return count


def starts_episode(previous_at: datetime | None, at: datetime) -> bool:
    """True if a turn at `at` begins an episode; `previous_at` is the time of the window's previous turn."""
    return previous_at is None or at - previous_at > EPISODE_GAP


def names(question: str, author: str) -> bool:
    """True if `question` holds a word of `author`'s display name; words of one letter do not count."""
    return not name_words(author).isdisjoint(name_words(question))


def without_names(question: str, known: Set[str]) -> str:
    """The question to embed: without the names of authors, which draw turns that name a person, not that person's own.

    The gain of `names` stands for the names. A question of nothing else stays as it is.

    Args:
        question: As asked.
        known: The `name_words` of authors.
    """
    rest = _WORD.sub(lambda match: "" if known & name_words(match[1]) else match[0], question)
    return " ".join(rest.split()) if question_words(rest) else question


def is_question(text: str) -> bool:
    """True if `text` ends with a question."""
    return are_questions((text,))[0]


def are_questions(texts: Iterable[str]) -> list[bool]:
    """`is_question` of each."""
    return [("?" in text or "\uff1f" in text) and text.rstrip().endswith(("?", "\uff1f")) for text in texts]


@lru_cache(maxsize=4096)
def name_words(text: str) -> frozenset[str]:
    """Words by which a display name is recognised in a question: those of two letters or more."""
    return frozenset(word for word in words(plain_letters(text)) if len(word) > 1)


def _positive(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values` with 0 for negative and unknown values."""
    return np.fmax(values, 0.0)


def _share(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values` as shares of the greatest."""
    return values / (values.max(initial=0.0) or 1.0)


def _loans(
    neighbours: NDArray[np.int64], rows: NDArray[np.int64], values: NDArray[Number], missing: int = 0
) -> NDArray[Number]:
    """Value of each of `neighbours`; `missing` for a neighbour that is no candidate. `rows`, of `values`, ascend."""
    if not len(rows):
        return np.full(len(neighbours), missing, values.dtype)
    at = np.minimum(np.searchsorted(rows, neighbours), len(rows) - 1)
    return np.asarray(np.where(rows[at] == neighbours, values[at], missing), values.dtype)


def _long(chars: NDArray[np.int64]) -> NDArray[np.float64]:
    """0 for texts of `SHORT_CHARS`, 1 for those of `LONG_CHARS`, and between by the logarithm."""
    within = np.clip(chars, SHORT_CHARS, LONG_CHARS)
    return np.log(within / SHORT_CHARS) / math.log(LONG_CHARS / SHORT_CHARS)


def _best_of_episode(episodes: NDArray[np.int64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each candidate the best own score of its episode."""
    _, group = np.unique(episodes, return_inverse=True)
    best = np.zeros(len(own))
    np.maximum.at(best, group, own)
    return best[group]
