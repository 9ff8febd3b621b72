"""Evidence for the questions of recorded conversations, in the block of the facts and in the default memory's.

Each utterance is kept as a turn of a person, under the speaker's name as in a room where several talk to one model, and
a scripted extractor takes the set's facts about the utterance; then the real rules score, choose and word. A fact
brings its source turns.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, stdev

import numpy as np

from domain.facts.injection import Line, block_of
from domain.facts.scoring import Candidate, rank, relevance_of
from domain.memory.hybrid_text import embedded_text
from domain.memory.injection import CHARS_PER_TOKEN, Budget, inject
from domain.memory.keywords import question_terms
from lab.bench.measure import Figures
from lab.bench.recall.data import Conversation
from lab.bench.recall.observations import Files
from lab.bench.recall.search import Library, Query, hybrid
from lab.bench.recall.vectors import Floats, KeptVectors
from messages.facts import EntryRole

DENSITY = 3
"""Candidates for each entry that may be chosen, as in the seed."""
THRESHOLD, RECENCY_WEIGHT, MMR_LAMBDA = 0.35, 0.2, 0.7
"""Default values of the settings."""
PLAIN = Budget()
WAYS = {"facts, the same room": (40, PLAIN.total_tokens * CHARS_PER_TOKEN), "facts, 8,000 characters": (80, 8_000)}
"""Row -> more entries than have room in a block, and characters of the block."""


@dataclass(frozen=True, slots=True)
class FactEntry:
    """Entry of the facts, with the turns brought by the entry."""

    candidate: Candidate
    turns: frozenset[str]


def evidence(
    conversations: Sequence[Conversation],
    files: Mapping[str, Files],
    vectors: KeptVectors,
    say: Callable[[str], object],
) -> dict[str, Figures]:
    """Mean share of a question's evidence in each block, the block's mean length, and the gain over the memory's.

    Raises:
        ValueError: no conversation has facts, or fewer than two questions count.
    """
    results = [answer for each in conversations if each.name in files for answer in _answers(each, files, vectors, say)]
    if len(results) < 2:
        raise ValueError(f"{len(results)} questions of conversations with facts: at least 2 are required")
    rows: dict[str, Figures] = {}
    for way in WAYS:
        gains = [shares[way][0] - shares["memory"][0] for shares in results]
        rows[way] = {
            "questions": len(results),
            "block": fmean(shares[way][0] for shares in results),
            "chars": fmean(shares[way][1] for shares in results),
            "gain": fmean(gains),
            "gain_error": stdev(gains) / math.sqrt(len(gains)),
        }
    return rows


def _answers(
    conversation: Conversation, files: Mapping[str, Files], vectors: KeptVectors, say: Callable[[str], object]
) -> Iterator[dict[str, tuple[float, int]]]:
    """For each question: way -> share of the evidence, and characters of the block."""
    say(f"{conversation.name}: {len(conversation.cases)} questions")
    entries = entries_of(conversation, files[conversation.name])
    texts = [entry.candidate.content for entry in entries]
    turn_texts = [embedded_text(turn.speaker, turn.time, turn.text) for turn in conversation.turns]
    questions = [case.question.text for case in conversation.cases]
    embedded = vectors.vectors(texts + turn_texts + questions)
    library = Library(conversation, embedded[len(texts) : len(texts) + len(turn_texts)])
    for case, vector in zip(conversation.cases, embedded[len(texts) + len(turn_texts) :], strict=True):
        wanted = {conversation.turns[row].id for row in case.evidence}
        ids, chars = _default_block(conversation, library, Query(case.question.text, vector))
        answer = {"memory": (len(wanted & ids) / len(wanted), chars)}
        for name, (top_k, most_chars) in WAYS.items():
            ids, chars = block(entries, embedded[: len(texts)], vector, conversation.now, top_k, most_chars)
            answer[name] = (len(wanted & ids) / len(wanted), chars)
        yield answer


def entries_of(conversation: Conversation, files: Files) -> list[FactEntry]:
    """Entries of the gateway for a conversation: turns, and facts at the time of their last turn."""
    times = {turn.id: turn.time for turn in conversation.turns}
    entries = [
        _entry(turn.id, EntryRole.USER, f"{turn.speaker}: {turn.text}", turn.time, (turn.id,))
        for turn in conversation.turns
    ]
    lines = files.memory.splitlines()
    for number, turns in files.turns.items():
        known = [turn for turn in turns if turn in times]
        if known:
            at = max(times[turn] for turn in known)
            entries.append(_entry(f"line {number}", EntryRole.MEMORY, lines[number - 1].removeprefix("- "), at, known))
    return entries


def block(
    entries: Sequence[FactEntry], vectors: Floats, question: Floats, now: datetime, top_k: int, chars: int
) -> tuple[set[str], int]:
    """Ids of the turns brought by a block, and the block's length."""
    nearest = np.argsort(-(vectors @ question), kind="stable")[: top_k * DENSITY].tolist()
    scored = [_score_candidate(entries[place].candidate, vectors[place], question) for place in nearest]
    ranked = rank(scored, now, top_k=top_k, threshold=THRESHOLD, recency_weight=RECENCY_WEIGHT, mmr_lambda=MMR_LAMBDA)
    lines = [Line(each.candidate.role.value, each.candidate.content) for each in ranked]
    text, count = block_of("", lines, chars)
    turns = {entries[place].candidate.id: entries[place].turns for place in nearest}
    return {turn for each in ranked[:count] for turn in turns[each.candidate.id]}, len(text)


def _default_block(conversation: Conversation, library: Library, query: Query) -> tuple[set[str], int]:
    order = hybrid(library, query, PLAIN)
    injection = inject([library.memories[row] for row in order], question_terms(query.text), PLAIN)
    return {conversation.turns[order[item.index]].id for item in injection.items}, len(injection.block)


def _entry(name: str, role: EntryRole, content: str, at: datetime, turns: Sequence[str]) -> FactEntry:
    candidate = Candidate(
        id=name, role=role, conversation="", content=content, created_at=at, vector=b"", relevance=0.0
    )
    return FactEntry(candidate, frozenset(turns))


def _score_candidate(candidate: Candidate, vector: Floats, question: Floats) -> Candidate:
    relevance = relevance_of(float(vector @ question))
    return dataclasses.replace(candidate, vector=vector.astype("<f4").tobytes(), relevance=relevance)
