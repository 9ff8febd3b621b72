"""Hybrid similarity: relevance of a turn to a question, by meaning, by words and by neighbouring turns.

A turn's own part is made of the turn's cosine and BM25, each scaled to [0, 1] by the greatest among the candidates.
The turn borrows from the turns around, since an answer often stands beside the words of the question, and from the
best of the episode. The sum as a share of the greatest possible value is the similarity: the similarity chooses the
pool, and is the `sim` of the ordering formula. Only candidates are computed, never all rows: the `HITS` nearest rows by
cosine, as many by BM25, and the row before and after each of these in the window. With 3,000 rows, 50 to 400 candidates
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
"""Number of rows from each of the two searches, before neighbouring rows are added."""
WORD_SCORES = 1000
"""Number of best BM25 scores that count, for rows that are candidates for any reason."""
WEIGHT_COSINE = 0.5
FROM_BEFORE = 0.3
"""Share of the previous turn's own score borrowed by a turn."""
FROM_AFTER = 0.2
FROM_SECOND = 0.075
"""Share borrowed from the own scores of the second turn before and the second turn after."""
FROM_EPISODE = 0.3
"""Share of the best own score of the episode."""
NAMED = 0.3
"""Gain of a turn when the question names the author."""
SELF = 0.15
"""Gain of a turn beside `NAMED`, when the author speaks in the first person: a question seeks such turns, not
greetings."""
ASKING = 0.15
"""Loss of a turn that only asks."""
ANSWERING = 0.3
"""Loss of a turn of the agent's: the source of an answer is a person's words."""
LENGTH = 0.3
"""Gain of a long turn, more informative than a greeting; by the logarithm of the length."""
SHORT_CHARS, LONG_CHARS = 5, 400
"""Lengths of a turn without gain and with all of `LENGTH`."""
MOST = 1.0 + FROM_BEFORE + FROM_AFTER + 2 * FROM_SECOND + FROM_EPISODE + NAMED + SELF + LENGTH
"""Sum of a turn that is best in all parts."""
EPISODE_GAP = timedelta(hours=1)
"""A silence longer than this ends an episode."""
POOL_LEAST = 8
"""Fewest rows of the pool; otherwise the pool for the formula has as many rows as the block has room for."""
BEYOND_POOL = 20
"""Rows after the pool, ranked separately: for leftover room, and as the best rows outside a block."""
_NOWHERE = -1
_WORD = re.compile(r"\b(\w+)(?:['`\u2019]s\b)?")
Number = TypeVar("Number", np.int64, np.float64)


class CandidateRow(NamedTuple):
    """Row under consideration in the search.

    Attributes:
        row: Row number in the index.
        cosine: Cosine to the question; below 0, and NaN for unknown, count as 0.
        keyword: BM25, greater is better (FTS5's with the sign turned); 0 without a matching word.
        before: Row of the previous turn in the same window, None without a previous turn; not necessarily a candidate.
        after: Row of the next turn in the same window.
        episode: Name of the episode: equal for the turns of an episode, unique among windows.
        is_named: True if the question names the author, see `names`.
        is_question: See `is_question`.
        is_agents: True for a turn of the agent's.
        is_self: See `speaks_of_self`; counts together with `is_named`.
        chars: Length of the text; more than `LONG_CHARS` counts as `LONG_CHARS`.
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
    """Row with the similarity in [0, 1], and the two halves of the row's own part, both before borrowing.

    Attributes:
        row: Row number in the index.
        similarity: Similarity of the whole; the greatest possible value is 1.
        meaning: Part of the cosine, at most `WEIGHT_COSINE`.
        words: Part of the BM25, at most the rest of 1.
    """

    row: int
    similarity: float
    meaning: float
    words: float


class Candidates(NamedTuple):
    """Columns of `CandidateRow`; in `before` and `after` any number that is no row means no neighbour."""

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
    """Columns of `Scored`, best first; of equals the greater cosine, then the higher row, as the newer."""

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
    """Question to embed: without authors' names, which favour turns naming a person over the person's turns.

    The gain of `names` stands for the names. A question made only of names stays unchanged.

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
    """Words by which a display name is recognised in a question: words of two letters or more."""
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
    """Value of each of `neighbours`; `missing` for a neighbour outside the candidates. `rows`, of `values`, ascend."""
    if not len(rows):
        return np.full(len(neighbours), missing, values.dtype)
    at = np.minimum(np.searchsorted(rows, neighbours), len(rows) - 1)
    return np.asarray(np.where(rows[at] == neighbours, values[at], missing), values.dtype)


def _long(chars: NDArray[np.int64]) -> NDArray[np.float64]:
    """0 for texts of `SHORT_CHARS`, 1 for texts of `LONG_CHARS`, and between by the logarithm."""
    within = np.clip(chars, SHORT_CHARS, LONG_CHARS)
    return np.log(within / SHORT_CHARS) / math.log(LONG_CHARS / SHORT_CHARS)


def _best_of_episode(episodes: NDArray[np.int64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Best own score of the episode, for each candidate."""
    _, group = np.unique(episodes, return_inverse=True)
    best = np.zeros(len(own))
    np.maximum.at(best, group, own)
    return best[group]
