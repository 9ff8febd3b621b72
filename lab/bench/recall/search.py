"""Rankers over a conversation: the turns found for a question, in the order of display."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from domain.log.window import OWN_LOGS
from domain.memory.bm25 import Bm25
from domain.memory.first_person import speaks_of_self
from domain.memory.hybrid import (
    BEYOND_POOL,
    HITS,
    WORD_SCORES,
    CandidateRow,
    is_question,
    names,
    pool_size,
    score_rows,
    starts_episode,
)
from domain.memory.hybrid_text import keyword_text
from domain.memory.injection import CHARS_PER_TOKEN, Budget, Memory, rendered_size
from domain.memory.keywords import question_terms, question_words, telling, terms
from domain.memory.passage import Neighbour, number_turns
from domain.memory.ranking import cosines, rank_arrays, similarities
from lab.bench.recall.data import Conversation
from lab.bench.recall.vectors import Floats

NEAREST = 50
"""Number of rows passed from the similarity search to the formula."""
DAY_S = 86_400.0
AGENT_SPEAKER = "assistant"
"""Speaker of an agent's turns, in sets of talks with an agent."""
LINES_OF_EVENT = 6
"""Lines in a log for an event, beside the event's text."""
LOG = f"{OWN_LOGS}/{{:%Y%m%dT%H%M%SZ}}_0001.md"
"""Path of a window's own log as named in the window's block, since the path takes room there."""


@dataclass(frozen=True, slots=True)
class Query:
    """Question in the form for the searches."""

    text: str
    vector: Floats
    """Vector of the text."""
    unnamed: Floats | None = None
    """Vector of the text without speakers' names, for the hybrid search; None: use the vector of the text."""


class Library:
    """Conversation as the memory of a window."""

    def __init__(self, conversation: Conversation, vectors: Floats) -> None:
        """Take `vectors`, a vector for each turn."""
        self.turns = conversation.turns
        self.vectors = vectors
        self.memories = _memories(conversation)
        self._rows = np.arange(len(self.turns), dtype=np.int64)
        self._ages = np.array([(conversation.now - turn.time).total_seconds() / DAY_S for turn in self.turns])
        self._words = Bm25([terms(keyword_text(turn.speaker, turn.time, turn.text)) for turn in self.turns])

    def keyword_scores(self, question: str) -> dict[int, float]:
        """Row -> BM25 by the searched words of `question`."""
        looked_up = telling(question_words(question), self._rows_with, len(self.turns))
        return self._words.scores(terms(" ".join(looked_up)))

    def candidates(self, query: Query, hits: int = HITS, most_words: int = WORD_SCORES) -> list[CandidateRow]:
        """Candidates of the hybrid search: the best `hits` by cosine and by words, and the neighbouring rows."""
        by_cosine = cosines(self.vectors, query.vector if query.unnamed is None else query.unnamed)
        best = _best(self.keyword_scores(query.text), most_words)
        by_words = dict(best)
        nearest = np.argsort(-by_cosine, kind="stable")[:hits].tolist()
        around = {row + step for row in (*nearest, *(row for row, _ in best[:hits])) for step in (-1, 0, 1)}
        rows = [row for row in sorted(around) if 0 <= row < len(self.turns)]
        return [
            CandidateRow(
                row=row,
                cosine=float(by_cosine[row]),
                keyword=by_words.get(row, 0.0),
                before=row - 1 if row else None,
                after=row + 1 if row + 1 < len(self.turns) else None,
                episode=self._episodes[row],
                is_named=names(query.text, self.turns[row].speaker),
                is_question=is_question(self.turns[row].text),
                is_agents=self.turns[row].speaker == AGENT_SPEAKER,
                is_self=speaks_of_self(self.turns[row].text),
                chars=len(self.turns[row].text),
            )
            for row in rows
        ]

    def formula(
        self, query: Query, rows: Sequence[int], count: int, sims: NDArray[np.float64] | None = None
    ) -> list[int]:
        """The first `count` of `rows` by the source's formula, over `sims` or else over cosines."""
        chosen = np.array(rows, np.int64)
        if sims is None:
            sims = similarities(self.vectors[chosen], query.vector)
        no_pins = np.zeros(len(chosen), np.bool_)
        picks = rank_arrays(chosen, sims, self._ages[chosen], no_pins, self.vectors[chosen], count)
        return [int(chosen[pick.index]) for pick in picks]

    def nearest(self, query: Query) -> list[int]:
        """All rows, the nearest first."""
        near: NDArray[np.float64] = cosines(self.vectors, query.vector)
        return [int(row) for row in np.argsort(-near, kind="stable")]

    @cached_property
    def all_rows(self) -> list[int]:
        """Every row."""
        return self._rows.tolist()

    @cached_property
    def _rows_with(self) -> dict[str, int]:
        return self._words.rows_with()

    @cached_property
    def _episodes(self) -> list[int]:
        """For each row the first row of its episode."""
        episodes: list[int] = []
        for row, turn in enumerate(self.turns):
            begins = starts_episode(self.turns[row - 1].time if row else None, turn.time)
            episodes.append(row if begins else episodes[-1])
        return episodes


def hybrid(library: Library, query: Query, budget: Budget) -> list[int]:
    """The pool of the hybrid search by the formula."""
    order = score_rows(library.candidates(query))
    words = question_terms(query.text)
    sizes = (rendered_size(library.memories[one.row], words, budget, place) for place, one in enumerate(order))
    size = pool_size(sizes, budget.total_tokens * CHARS_PER_TOKEN)
    parts = order[:size], order[size : size + BEYOND_POOL]
    return [
        row
        for part in parts
        for row in library.formula(
            query, [one.row for one in part], len(part), np.array([one.similarity for one in part])
        )
    ]


def similarity(library: Library, query: Query, _budget: Budget) -> list[int]:
    """The nearest rows by the formula."""
    return library.formula(query, library.nearest(query)[:NEAREST], NEAREST)


def exhaustive(library: Library, query: Query, budget: Budget) -> list[int]:
    """All rows by the formula."""
    return library.formula(query, library.all_rows, budget.most)


def bm25(library: Library, query: Query, _budget: Budget) -> list[int]:
    """Rows with a word of the question, by BM25 alone."""
    return [row for row, _ in _best(library.keyword_scores(query.text), len(library.turns))]


def cosine(library: Library, query: Query, _budget: Budget) -> list[int]:
    """All rows by cosine alone."""
    return library.nearest(query)


Search = Callable[[Library, Query, Budget], list[int]]
RANKERS: MappingProxyType[str, Search] = MappingProxyType(
    {"hybrid": hybrid, "similarity": similarity, "exhaustive": exhaustive, "bm25": bm25, "cosine": cosine}
)


def _best(scores: dict[int, float], count: int) -> list[tuple[int, float]]:
    """The greatest scores, with their rows; equals: the newer first."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], -pair[0]))[:count]


def _memories(conversation: Conversation) -> list[Memory]:
    """Turns at their places in a log."""
    path = LOG.format(conversation.turns[0].time)
    numbers = number_turns(
        Neighbour(row, row - 1, max(0, row - 2), round(turn.time.timestamp() * 1000))
        for row, turn in enumerate(conversation.turns, 1)
    )
    memories, line = [], 1
    for row, turn in enumerate(conversation.turns, 1):
        memories.append(Memory(path, line, turn.text, numbers[row]))
        line += LINES_OF_EVENT + turn.text.count("\n")
    return memories
