"""A tiny conversation with questions, and a model that understands words only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from domain.memory.keywords import terms
from lab.bench.recall.vectors import Floats

TURNS = (
    ("Ana", "2026-01-05T10:00:00Z", "Good morning! Did you sleep well?"),
    ("Ben", "2026-01-05T10:01:00Z", "Not at all, the neighbour's rooster crowed at four."),
    ("Ana", "2026-01-05T10:02:00Z", "Mine never does. I adopted a greyhound called Pixel last week."),
    ("Ben", "2026-02-11T19:30:00Z", "We booked the ferry to Tallinn."),
    ("Ana", "2026-02-11T19:31:00Z", "How long does it take?"),
    ("Ben", "2026-02-11T19:32:00Z", "Two hours, and then we hike."),
)


def document() -> dict[str, Any]:
    """A conversation file's content; questions q1 and q2 count."""
    turns = [
        {"id": f"t{number}", "speaker": speaker, "time": time, "session": time[:7], "text": text}
        for number, (speaker, time, text) in enumerate(TURNS)
    ]
    questions = [
        {"id": "q1", "text": "What is Ana's greyhound called?", "category": "single-hop", "evidence": ["t2"]},
        {"id": "q2", "text": "How do they travel, and how long?", "category": "multi-hop", "evidence": ["t3", "t5"]},
        {"id": "q3", "text": "Who sang?", "category": "adversarial", "evidence": ["t1"]},
        {"id": "q4", "text": "Who slept?", "category": "single-hop", "evidence": ["t0"], "flagged": True},
        {"id": "q5", "text": "Who?", "category": "open-domain", "evidence": []},
    ]
    return {"name": "tiny", "source": "tests", "now": "2026-02-12T00:00:00Z", "turns": turns, "questions": questions}


def write(folder: Path, content: dict[str, Any] | None = None, name: str = "tiny") -> Path:
    """The conversation as a file in `folder`."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(content or document()), encoding="utf-8")
    return file


class WordModel:
    """Adds up one fixed random direction for each term; remembers what it was asked."""

    name = "words"
    dimensions = 64

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors."""
        self.texts.extend(texts)
        vectors = np.array([sum((_direction(term) for term in terms(text)), np.zeros(64)) for text in texts])
        unit: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit


def _direction(term: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    seed = int.from_bytes(blake2b(term.encode(), digest_size=8).digest())
    return np.random.default_rng(seed).normal(size=64)
