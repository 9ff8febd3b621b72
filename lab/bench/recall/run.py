"""Recall of each search: how much of what answers a question stands in the block that is injected for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from types import MappingProxyType

from domain.memory.excerpt import MARK, collapse
from domain.memory.hybrid_text import embedded_text
from domain.memory.injection import Budget, Injected, inject
from domain.memory.keywords import question_terms
from lab.bench.recall.data import Case, Conversation
from lab.bench.recall.search import RANKERS, Library, Query
from lab.bench.recall.vectors import KeptVectors

BUDGET = Budget()
TARGET = 0.81
"""Target of `hybrid` for `block` on the development conversations."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Recall figures of one search; means over questions, each in [0, 1]."""

    block: float
    """Share of the evidence turns that stand in the block."""
    block_text: float
    """Share of the evidence turns' text that the block shows: less, where turns are cut."""
    recall_5: float
    """Share of the evidence turns among the first five of the search's order."""
    recall_10: float
    mrr: float
    """One by the place of the first evidence turn, 0 when it was not found."""


@dataclass(frozen=True, slots=True)
class Results:
    """Measurements of a run."""

    model: str
    questions: int
    left_out: int
    rankers: Mapping[str, Recall]
    by_conversation: Mapping[str, Mapping[str, float]]
    """Conversation -> search -> `block`."""
    by_category: Mapping[str, Mapping[str, float]]
    """Category of questions -> search -> `block`."""


def run(
    conversations: Iterable[Conversation], vectors: KeptVectors, on_progress: Callable[[str], object] = lambda _: None
) -> Results:
    """Ask every question of `conversations`, each of a memory that holds its own conversation.

    Raises:
        ValueError: No question counts.
    """
    answers: dict[tuple[str, str, str], list[Recall]] = defaultdict(list)
    left_out = 0
    for conversation in conversations:
        left_out += conversation.left_out
        if not conversation.cases:
            continue
        library, queries = _prepared(conversation, vectors, on_progress)
        for number, (case, query) in enumerate(zip(conversation.cases, queries, strict=True), 1):
            on_progress(f"{conversation.name}: question {number} of {len(queries)}")
            for name in RANKERS:
                answers[conversation.name, case.question.category, name].append(_answer(library, name, case, query))
    if not answers:
        raise ValueError("no question of these conversations counts")
    return _results(vectors.model, left_out, answers)


def as_document(results: Results) -> dict[str, object]:
    """The results as JSON has them, rounded to four places."""
    return {
        "questions": results.questions,
        "left_out": results.left_out,
        "model": results.model,
        "budget_tokens": BUDGET.total_tokens,
        "rankers": {name: _rounded(asdict(recall)) for name, recall in results.rankers.items()},
        "block_by_conversation": {name: _rounded(row) for name, row in results.by_conversation.items()},
        "block_by_category": {name: _rounded(row) for name, row in results.by_category.items()},
    }


def _prepared(
    conversation: Conversation, vectors: KeptVectors, on_progress: Callable[[str], object]
) -> tuple[Library, list[Query]]:
    turns = [embedded_text(turn.speaker, turn.time, turn.text) for turn in conversation.turns]
    questions = [case.question.text for case in conversation.cases]
    texts_vectors = vectors.vectors(
        turns + questions, lambda done, new: on_progress(f"{conversation.name}: text {done} of {new} new ones")
    )
    queries = [Query(text, vector) for text, vector in zip(questions, texts_vectors[len(turns) :], strict=True)]
    return Library(conversation, texts_vectors[: len(turns)]), queries


def _answer(library: Library, name: str, case: Case, query: Query) -> Recall:
    order = RANKERS[name](library, query, BUDGET)
    words = question_terms(query.text)
    items = {order[item.index]: item for item in inject([library.memories[row] for row in order], words, BUDGET).items}
    evidence = case.evidence
    places = [place for place, row in enumerate(order, 1) if row in evidence]
    return Recall(
        block=len(evidence & items.keys()) / len(evidence),
        block_text=sum(_share(items[row]) for row in evidence & items.keys()) / len(evidence),
        recall_5=len(evidence & set(order[:5])) / len(evidence),
        recall_10=len(evidence & set(order[:10])) / len(evidence),
        mrr=1 / places[0] if places else 0.0,
    )


def _share(item: Injected) -> float:
    if not item.is_truncated:
        return 1.0
    return len(item.excerpt.replace(MARK, "")) / max(1, len(collapse(item.memory.text)))


def _results(model: str, left_out: int, answers_by: Mapping[tuple[str, str, str], list[Recall]]) -> Results:
    by_ranker: dict[str, list[Recall]] = defaultdict(list)
    conversations: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    categories: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (conversation, category, name), answers in answers_by.items():
        by_ranker[name].extend(answers)
        blocks = [answer.block for answer in answers]
        conversations[conversation][name].extend(blocks)
        categories[category][name].extend(blocks)
    return Results(
        model=model,
        questions=len(next(iter(by_ranker.values()))),
        left_out=left_out,
        rankers=MappingProxyType({name: _mean(answers) for name, answers in by_ranker.items()}),
        by_conversation=_means(conversations),
        by_category=_means(categories),
    )


def _mean(answers: list[Recall]) -> Recall:
    rows = [asdict(answer) for answer in answers]
    return Recall(**{figure: fmean(row[figure] for row in rows) for figure in rows[0]})


def _means(rows: Mapping[str, Mapping[str, list[float]]]) -> Mapping[str, Mapping[str, float]]:
    return MappingProxyType(
        {
            name: MappingProxyType({ranker: fmean(values) for ranker, values in row.items()})
            for name, row in rows.items()
        }
    )


def _rounded(row: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in row.items()}
