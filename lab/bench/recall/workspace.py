"""Evidence for a question in the blocks that stand beside it: the memory's alone, with recall, and with more of memory.

Only facts of MEMORY name the turns they come from, so a summary of HISTORY takes room and brings no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from domain.memory.hybrid_text import embedded_text
from domain.memory.injection import CHARS_PER_TOKEN, Budget, inject
from domain.memory.keywords import question_terms
from domain.workspace.recall.block import fit_entries, recall_block
from domain.workspace.recall.entries import Entry, Source, entries
from domain.workspace.recall.search import RecallIndex, recall_entries
from lab.bench.measure import Figures
from lab.bench.recall.data import Conversation
from lab.bench.recall.observations import Files
from lab.bench.recall.search import Library, Query, hybrid
from lab.bench.recall.vectors import KeptVectors

RECALL_CHARS = 2_000
PLAIN = Budget()
MORE = Budget(total_tokens=PLAIN.total_tokens + RECALL_CHARS // CHARS_PER_TOKEN, most=PLAIN.most * 2)
"""The peer: the memory's own block with the room that recall would take."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Share of a question's evidence in each block, and how long the blocks are."""

    plain: float
    recall: float
    both: float
    more: float
    recall_chars: int
    more_chars: int


def evidence(
    conversations: Sequence[Conversation],
    files: Mapping[str, Files],
    vectors: KeptVectors,
    say: Callable[[str], object],
) -> Figures:
    """The figures of all questions; empty where no conversation has files."""
    found = [answer for each in conversations if each.name in files for answer in _answers(each, files, vectors, say)]
    if len(found) < 2:
        return {}
    gains = [each.both - each.more for each in found]
    return {
        "questions": len(found),
        "evidence_plain": fmean(each.plain for each in found),
        "evidence_recall": fmean(each.recall for each in found),
        "evidence_both": fmean(each.both for each in found),
        "evidence_missed": 1 - fmean(each.both for each in found),
        "evidence_more": fmean(each.more for each in found),
        "evidence_gain": fmean(gains),
        "evidence_gain_error": stdev(gains) / math.sqrt(len(gains)),
        "evidence_ratio": fmean(each.both for each in found) / fmean(each.more for each in found),
        "evidence_recall_chars": fmean(each.recall_chars for each in found),
        "evidence_more_chars": fmean(each.more_chars for each in found),
        "evidence_silent": fmean(not each.recall_chars for each in found),
    }


def _answers(
    conversation: Conversation, files: Mapping[str, Files], vectors: KeptVectors, say: Callable[[str], object]
) -> Iterator[Answer]:
    say(f"{conversation.name}: {len(conversation.cases)} questions")
    its = files[conversation.name]
    index = RecallIndex(
        [*entries(its.memory, Source.MEMORY, "MEMORY.md"), *entries(its.history, Source.HISTORY, "HISTORY.md")]
    )
    turns = [embedded_text(turn.speaker, turn.time, turn.text) for turn in conversation.turns]
    made = vectors.vectors(turns + [case.question.text for case in conversation.cases])
    library = Library(conversation, made[: len(turns)])
    rows = {turn.id: row for row, turn in enumerate(conversation.turns)}
    for case, vector in zip(conversation.cases, made[len(turns) :], strict=True):
        query = Query(case.question.text, vector)
        (plain, plain_chars), (more, more_chars) = (_block(library, query, budget) for budget in (PLAIN, MORE))
        chosen = recall_entries(query.text, index, today=conversation.now.date(), budget_chars=RECALL_CHARS)
        held = {rows[turn] for turn in _turns(fit_entries(chosen, RECALL_CHARS), its) if turn in rows}
        wanted = case.evidence
        yield Answer(
            plain=len(wanted & plain) / len(wanted),
            recall=len(wanted & held) / len(wanted),
            both=len(wanted & (plain | held)) / len(wanted),
            more=len(wanted & more) / len(wanted),
            recall_chars=len(recall_block(chosen, RECALL_CHARS)),
            more_chars=more_chars - plain_chars,
        )


def _block(library: Library, query: Query, budget: Budget) -> tuple[set[int], int]:
    """The turns that the memory's own block shows, and its length."""
    order = hybrid(library, query, budget)
    injection = inject([library.memories[row] for row in order], question_terms(query.text), budget)
    return {order[item.index] for item in injection.items}, len(injection.block)


def _turns(shown_entries: Iterable[Entry], files: Files) -> set[str]:
    """Ids of the turns that the facts among these entries come from."""
    facts = (entry for entry in shown_entries if entry.source is Source.MEMORY)
    return {turn for entry in facts for turn in files.turns.get(entry.line, ())}
