"""Scoring of entries: how much each bears on a question and how new it is, and a choice without repetition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from messages.facts import EntryRole

RECENCY_DAYS = 30.0
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """Entry found by a search."""

    id: str
    role: EntryRole
    conversation: str
    content: str
    created_at: datetime
    """Aware."""
    vector: bytes
    """Little-endian float32 of unit length; empty without a vector."""
    relevance: float
    """In [0, 1]."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Entry chosen by the ranking."""

    candidate: Candidate
    recency: float
    score: float


def relevance_of(cosine: float) -> float:
    """Relevance by the vectors alone, without a reranker."""
    return min(1.0, max(0.0, cosine))


def sigmoid(logit: float) -> float:
    """Relevance where a cross-encoder says `logit`."""
    if logit >= 0:
        return 1.0 / (1.0 + math.exp(-min(logit, 700.0)))
    power = math.exp(max(logit, -700.0))
    return power / (1.0 + power)


def recency(age_days: float) -> float:
    """Recency of an entry with an age in days, in (0, 1]; an entry from the future counts as brand-new."""
    return math.exp(-max(0.0, age_days) / RECENCY_DAYS)


def final_score(relevance: float, recency_score: float, weight: float) -> float:
    """Score from relevance and recency; `weight` is the weight of the recency."""
    return (1.0 - weight) * relevance + weight * recency_score


def rank(
    candidates: Sequence[Candidate],
    now: datetime,
    *,
    top_k: int,
    threshold: float,
    recency_weight: float,
    mmr_lambda: float,
) -> tuple[Ranked, ...]:
    """Best entries unlike one another, in the order of choice (maximal marginal relevance).

    The first entry has the highest score. Of equal entries the newer comes first.

    Args:
        candidates: Entries found; a repeated entry counts once.
        now: Aware.
        top_k: Most entries to choose.
        threshold: Least relevance.
        recency_weight: In [0, 1].
        mmr_lambda: In [0, 1]; 1 for the order of scores.
    """
    unique = {each.id: each for each in candidates if each.relevance >= threshold}.values()
    pool = [_score(each, now, recency_weight) for each in unique]
    pool.sort(key=lambda each: (-each.score, -each.candidate.created_at.timestamp(), each.candidate.id))
    vectors = _matrix([each.candidate.vector for each in pool])
    nearest = np.zeros(len(pool))
    chosen: list[Ranked] = []
    scores = np.array([each.score for each in pool])
    left = np.ones(len(pool), dtype=bool)
    while len(chosen) < min(top_k, len(pool)):
        worth = mmr_lambda * scores - (1.0 - mmr_lambda) * nearest if chosen else scores
        best = int(np.argmax(np.where(left, worth, -np.inf)))
        left[best] = False
        chosen.append(pool[best])
        nearest = np.maximum(nearest, vectors @ vectors[best]) if len(chosen) > 1 else vectors @ vectors[best]
    return tuple(chosen)


def _score(each: Candidate, now: datetime, weight: float) -> Ranked:
    newness = recency((now - each.created_at).total_seconds() / _DAY_S)
    return Ranked(each, newness, final_score(each.relevance, newness, weight))


def _matrix(vectors: Sequence[bytes]) -> np.ndarray:
    """Vectors as rows; a missing, non-numeric or odd-sized vector is unlike every other vector."""
    sizes = [len(vector) for vector in vectors if vector and len(vector) % 4 == 0]
    size = max(set(sizes), key=sizes.count) if sizes else 4
    rows = b"".join(vector if len(vector) == size else bytes(size) for vector in vectors)
    matrix = np.frombuffer(bytearray(rows), dtype="<f4").reshape(len(vectors), size // 4)
    matrix[~np.isfinite(matrix).all(axis=1)] = 0.0
    return matrix
