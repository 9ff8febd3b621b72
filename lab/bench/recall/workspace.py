"""Evidence for a question in the blocks beside it: memory alone, with recall, and with a larger memory.

Only facts of MEMORY name their source turns, so a summary of HISTORY takes room and brings no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from lab.bench.recall.search import Library, Query, Search, hybrid
from lab.bench.recall.vectors import KeptVectors

RECALL_CHARS = 2_000
PLAIN = Budget()
MORE = Budget(total_tokens=PLAIN.total_tokens + RECALL_CHARS // CHARS_PER_TOKEN, most=PLAIN.most * 2)
"""Budget for comparison: the memory's own block, enlarged by the room of recall."""


def evidence(
    conversations: Sequence[Conversation],
    files: Mapping[str, Files],
    vectors: KeptVectors,
    say: Callable[[str], object],
    search: Search = hybrid,
) -> dict[str, Figures]:
    """Share of the evidence in the memory's block with recall beside it, and with the same room for the memory.

    Empty where no conversation has files.
    """
    results = [
        answer
        for each in conversations
        if each.name in files
        for answer in _answers(each, files[each.name], vectors, say, search)
    ]
    if len(results) < 2:
        return {}
    gains = [both - more for both, more, _ in results]
    return {
        "memory and workspace's recall": {
            "questions": len(results),
            "block": fmean(both for both, _, _ in results),
            "chars": fmean(chars for _, _, chars in results),
            "gain": fmean(gains),
            "gain_error": stdev(gains) / math.sqrt(len(gains)),
        },
        "memory with that room": {"block": fmean(more for _, more, _ in results)},
    }


def _answers(
    conversation: Conversation,
    its: Files,
    vectors: KeptVectors,
    say: Callable[[str], object],
    search: Search,
) -> Iterator[tuple[float, float, int]]:
    """Of each question: shares with recall, and with more of the memory, and characters of recall."""
    say(f"{conversation.name}: {len(conversation.cases)} questions")
    index = RecallIndex(
        [*entries(its.memory, Source.MEMORY, "MEMORY.md"), *entries(its.history, Source.HISTORY, "HISTORY.md")]
    )
    turns = [embedded_text(turn.speaker, turn.time, turn.text) for turn in conversation.turns]
    embedded = vectors.vectors(turns + [case.question.text for case in conversation.cases])
    library = Library(conversation, embedded[: len(turns)])
    rows = {turn.id: row for row, turn in enumerate(conversation.turns)}
    for case, vector in zip(conversation.cases, embedded[len(turns) :], strict=True):
        query = Query(case.question.text, vector)
        plain, more = (_block(library, query, budget, search) for budget in (PLAIN, MORE))
        chosen = recall_entries(query.text, index, today=conversation.now.date(), budget_chars=RECALL_CHARS)
        recalled = {rows[turn] for turn in _turns(fit_entries(chosen, RECALL_CHARS), its) if turn in rows}
        wanted = case.evidence
        both = len(wanted & (plain | recalled)) / len(wanted)
        yield both, len(wanted & more) / len(wanted), len(recall_block(chosen, RECALL_CHARS))


def _block(library: Library, query: Query, budget: Budget, search: Search) -> set[int]:
    """Turns in the memory's own block."""
    order = search(library, query, budget)
    injection = inject([library.memories[row] for row in order], question_terms(query.text), budget)
    return {order[item.index] for item in injection.items}


def _turns(shown_entries: Iterable[Entry], files: Files) -> set[str]:
    """Ids of the source turns of the facts among these entries."""
    facts = (entry for entry in shown_entries if entry.source is Source.MEMORY)
    return {turn for entry in facts for turn in files.turns.get(entry.line, ())}
