"""Recall of each search: the share of a question's answer in the block injected for the question."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from time import process_time

import numpy as np

from actors.embedder.local import LocalModel
from domain.memory.excerpt import MARK, collapse
from domain.memory.hybrid import name_words, without_names
from domain.memory.hybrid_text import embedded_text
from domain.memory.injection import Budget, inject
from domain.memory.keywords import STOP_TERMS, question_terms, terms
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.machine import cache_folder
from lab.bench.measure import Figures
from lab.bench.recall import facts, workspace
from lab.bench.recall.data import Case, Conversation, files, read
from lab.bench.recall.observations import read as read_observations
from lab.bench.recall.search import RANKERS, Library, Query
from lab.bench.recall.vectors import KeptVectors

BUDGET = Budget()
FIGURES = ("answer", "text", "block", "session_1", "session_5", "session_10", "recall_10", "mrr", "cpu_ms")
"""Means over questions, of the content shown in the block.

`answer`: share of the answer's words, by their stems and without stop words, of questions whose set names an answer.
`text`: share of the evidence turns' characters. `block`: share of the evidence turns shown at least in part.
`session_N`: 1 where one of the first N sessions, in the order shown, has evidence. `recall_10`, `mrr`: of the search's
order. `cpu_ms`: of search and block; the question's vector is made before.
"""
Say = Callable[[str], object]


def measure(
    say: Say,
    *,
    data: Path,
    names: tuple[str, ...] = (),
    limit: int | None = None,
    observations: Path | None = None,
    cache: Path | None = None,
) -> Rows:
    """Figures of each search, and with `observations` of the blocks of two layers.

    Raises:
        ValueError: a file is none of a conversation, or no question counts.
        OSError: a file cannot be read.
    """
    conversations = [read(file, limit) for file in files(data, names)]
    vectors = KeptVectors(LocalModel.load(), cache or cache_folder())
    rows = ask_questions(conversations, vectors, say)
    if observations is not None:
        observed = read_observations(observations)
        rows |= facts.evidence(conversations, observed, vectors, say)
        rows |= workspace.evidence(conversations, observed, vectors, say)
    return rows


def ask_questions(
    conversations: Iterable[Conversation], vectors: KeptVectors, say: Say = lambda _: None
) -> dict[str, Figures]:
    """Ask every question of `conversations`, each in a memory of its own conversation.

    Raises:
        ValueError: No question counts.
    """
    answers: dict[str, list[dict[str, float]]] = {name: [] for name in RANKERS}
    for conversation in conversations:
        if not conversation.cases:
            continue
        library, queries = _prepare_library(conversation, vectors, say)
        for number, (case, query) in enumerate(zip(conversation.cases, queries, strict=True), 1):
            say(f"{conversation.name}: question {number} of {len(queries)}")
            for name, of_ranker in answers.items():
                of_ranker.append(_answer(library, name, case, query))
    if not any(answers.values()):
        raise ValueError("no question of these conversations counts")
    return {
        name: {
            "questions": len(each),
            **{
                figure: fmean(values)
                for figure in FIGURES
                if (values := [row[figure] for row in each if figure in row])
            },
        }
        for name, each in answers.items()
    }


def _prepare_library(conversation: Conversation, vectors: KeptVectors, say: Say) -> tuple[Library, list[Query]]:
    turns = [embedded_text(turn.speaker, turn.time, turn.text) for turn in conversation.turns]
    questions = [case.question.text for case in conversation.cases]
    known = frozenset(word for turn in conversation.turns for word in name_words(turn.speaker))
    without = [without_names(question, known) for question in questions]
    texts = turns + questions + without
    embedded = vectors.vectors(texts, lambda done, new: say(f"{conversation.name}: text {done} of {new} new"))
    whole, unnamed = np.split(embedded[len(turns) :], 2)
    queries = [Query(*each) for each in zip(questions, whole, unnamed, strict=True)]
    return Library(conversation, embedded[: len(turns)]), queries


def _answer(library: Library, name: str, case: Case, query: Query) -> dict[str, float]:
    """Figures of a question; see `FIGURES`."""
    begin = process_time()
    order, evidence = RANKERS[name](library, query, BUDGET), case.evidence
    block = inject([library.memories[row] for row in order], question_terms(query.text), BUDGET, question=query.text)
    cpu_s = process_time() - begin
    excerpts = {order[item.index]: item.excerpt for item in block.items}
    sessions = list(dict.fromkeys(library.turns[row].session for row in excerpts))
    wanted = {library.turns[row].session for row in evidence}
    first = next((place for place, session in enumerate(sessions, 1) if session in wanted), math.inf)
    places = [place for place, row in enumerate(order, 1) if row in evidence]
    figures = {
        "block": len(evidence & excerpts.keys()) / len(evidence),
        "text": fmean(shown_share(excerpts.get(row, ""), library.turns[row].text) for row in evidence),
        **{f"session_{count}": float(first <= count) for count in (1, 5, 10)},
        "recall_10": len(evidence & set(order[:10])) / len(evidence),
        "mrr": 1 / places[0] if places else 0.0,
        "cpu_ms": 1000 * cpu_s,
    }
    if words := frozenset(terms(str(case.question.answer))) - STOP_TERMS:
        seen = frozenset(term for excerpt in excerpts.values() for term in terms(excerpt))
        figures["answer"] = len(words & seen) / len(words)
    return figures


def shown_share(excerpt: str, text: str) -> float:
    """Share of a turn's characters shown by the excerpt, not counting omission marks."""
    whole = collapse(text)
    return min(1.0, len(excerpt.strip(f"{MARK} ")) / len(whole)) if whole else 0.0


RECALL = Benchmark(
    name="recall",
    measure=measure,
    targets=tuple(
        Target(heading, figure, least, "hybrid", at_least=True, is_speed=True)
        for heading, figure, least in (
            ("answer's words in the block", "answer", 0.65),
            ("evidence's text in the block", "text", 0.72),
            ("evidence in the block", "block", 0.80),
            ("its session first", "session_1", 0.74),
            ("among the first 5", "session_5", 0.94),
            ("among the first 10", "session_10", 0.97),
        )
    ),
    columns=(
        Column("questions", "questions", ",.0f"),
        Column("answer words", "answer", ".3f"),
        Column("text", "text", ".3f"),
        Column("evidence", "block", ".3f"),
        Column("session@1", "session_1", ".3f"),
        Column("@5", "session_5", ".3f"),
        Column("@10", "session_10", ".3f"),
        Column("recall@10", "recall_10", ".3f"),
        Column("MRR", "mrr", ".3f"),
        Column("CPU ms", "cpu_ms", ".1f"),
        Column("characters", "chars", ",.0f"),
        Column("beyond the memory's", "gain", "+.3f"),
        Column("+-", "gain_error", ".3f"),
    ),
    promises=frozenset(),
    note=f"Means over questions; a block has {BUDGET.total_tokens:,} tokens unless its row says otherwise.",
)
