"""Recall of each search: how much of what answers a question stands in the block that is injected for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean

from actors.embedder.local import LocalModel
from domain.memory.hybrid_text import embedded_text
from domain.memory.injection import Budget, inject
from domain.memory.keywords import question_terms
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.machine import cache_folder
from lab.bench.measure import Figures
from lab.bench.recall import facts, workspace
from lab.bench.recall.data import Case, Conversation, files, read
from lab.bench.recall.observations import read as read_observations
from lab.bench.recall.search import RANKERS, Library, Query
from lab.bench.recall.vectors import KeptVectors

BUDGET = Budget()
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
        told = read_observations(observations)
        rows |= facts.evidence(conversations, told, vectors, say)
        rows |= workspace.evidence(conversations, told, vectors, say)
    return rows


def ask_questions(
    conversations: Iterable[Conversation], vectors: KeptVectors, say: Say = lambda _: None
) -> dict[str, Figures]:
    """Ask every question of `conversations`, each of a memory that holds its own conversation.

    Raises:
        ValueError: No question counts.
    """
    answers: dict[str, list[Figures]] = {name: [] for name in RANKERS}
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
        name: {"questions": len(each), **{figure: fmean(row[figure] for row in each) for figure in each[0]}}
        for name, each in answers.items()
    }


def _prepare_library(conversation: Conversation, vectors: KeptVectors, say: Say) -> tuple[Library, list[Query]]:
    turns = [embedded_text(turn.speaker, turn.time, turn.text) for turn in conversation.turns]
    questions = [case.question.text for case in conversation.cases]
    made = vectors.vectors(turns + questions, lambda done, new: say(f"{conversation.name}: text {done} of {new} new"))
    queries = [Query(text, vector) for text, vector in zip(questions, made[len(turns) :], strict=True)]
    return Library(conversation, made[: len(turns)]), queries


def _answer(library: Library, name: str, case: Case, query: Query) -> Figures:
    """Shares of the evidence turns in the block and among the first of the search's order, and the reciprocal rank."""
    order, evidence = RANKERS[name](library, query, BUDGET), case.evidence
    block = inject([library.memories[row] for row in order], question_terms(query.text), BUDGET)
    places = [place for place, row in enumerate(order, 1) if row in evidence]
    return {
        "block": len(evidence & {order[item.index] for item in block.items}) / len(evidence),
        "recall_5": len(evidence & set(order[:5])) / len(evidence),
        "recall_10": len(evidence & set(order[:10])) / len(evidence),
        "mrr": 1 / places[0] if places else 0.0,
    }


RECALL = Benchmark(
    name="recall",
    measure=measure,
    targets=(Target("evidence in the block", "block", 0.81, "hybrid", at_least=True, is_speed=True),),
    columns=(
        Column("questions", "questions", ",.0f"),
        Column("in the block", "block", ".3f"),
        Column("recall@5", "recall_5", ".3f"),
        Column("recall@10", "recall_10", ".3f"),
        Column("MRR", "mrr", ".3f"),
        Column("characters", "chars", ",.0f"),
        Column("beyond the memory's", "gain", "+.3f"),
        Column("+-", "gain_error", ".3f"),
    ),
    promises=frozenset(),
    note=f"Means over questions; a block has {BUDGET.total_tokens:,} tokens unless its row says otherwise.",
)
