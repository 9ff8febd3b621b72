"""The searches over a real index give what the rules give over all rows."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from actors.memory.search.search import Kind, MemoryQuery
from actors.memory.store import MemoryPlan, Store
from domain.memory.hybrid_text import embedded_text
from domain.memory.injection import Budget
from domain.memory.remembered import USER, Remembered
from lab.bench.recall.data import Conversation, Turn
from lab.bench.recall.search import RANKERS, Library, Query
from messages.base import EventId, Surface, TurnId, Window
from tests.lab.bench.recall.conversations import WordModel

BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
NOW = BEGAN + timedelta(days=40)
WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="1234567890123456789")
TURNS = 700
ENDS, LAST = ("", "", "."), ("?", ".", ' "quoted"')
QUESTIONS = (
    "What did Ana say of w3 and w41?",
    "w7 w90 w91 w12",
    "Who saw w199?",
    "Did Ben see w5, w44 or w150 in May?",
)


def conversation() -> Conversation:
    """Turns of two people: some short, some long, some questions, with silences between."""
    dice = random.Random(3)
    at = BEGAN
    turns = []
    for number in range(TURNS):
        at += timedelta(minutes=dice.choice([1, 2, 7, 90]))
        words = [f"w{int(dice.paretovariate(0.5)) % 200}{dice.choice(ENDS)}" for _ in range(dice.randint(3, 60))]
        text = f"{' '.join(words)} n{number}{dice.choice(LAST)}"
        turns.append(Turn(id=f"t{number}", speaker=dice.choice(["Ana", "Ben"]), time=at, session="1", text=text))
    return Conversation("made", NOW, tuple(turns), ())


@pytest.fixture(scope="module")
def library() -> Library:
    made = conversation()
    return Library(made, WordModel().embed([embedded_text(turn.speaker, turn.time, turn.text) for turn in made.turns]))


def store_of(folder: Path, library: Library, search: Kind) -> Store:
    """The library's turns and vectors in an index."""
    store = Store.open(MemoryPlan(folder, "words", WordModel.dimensions, search, "global"), NOW)
    store.remember(
        WINDOW,
        [
            Remembered(
                path=memory.path,
                line=memory.line,
                event_id=EventId(turn.id),
                turn_id=TurnId(turn.id),
                at=turn.time,
                role=USER,
                author=turn.speaker,
                text=turn.text,
            )
            for turn, memory in zip(library.turns, library.memories, strict=True)
        ],
    )
    waiting = store.index.pending.due(NOW, TURNS)
    store.store_vectors([(one, library.vectors[one.id - 1].tobytes()) for one in waiting])
    return store


@pytest.mark.req("S0-93", "C-28")
@pytest.mark.parametrize("search", ["hybrid", "similarity", "exhaustive"])
def test_the_agent_finds_what_the_benchmark_measures(tmp_path: Path, library: Library, search: Kind) -> None:
    store = store_of(tmp_path, library, search)
    for text in QUESTIONS:
        asking = Query(text, WordModel().embed([text])[0])
        expected = RANKERS[search](library, asking, Budget())
        question = MemoryQuery(
            text=text,
            vector=asking.vector,
            mask=store.mask(WINDOW, (), None),
            total=store.total,
            now=NOW,
            count=len(expected),
        )

        hits, candidates = store.searcher.find(question, Budget())

        assert [hit.turn.row - 1 for hit in hits] == expected
        assert candidates == (TURNS if search == "exhaustive" else len(expected))
        assert 24 <= len(expected) < 100
    store.close()


def test_without_a_vector_every_search_goes_by_words(tmp_path: Path, library: Library) -> None:
    store = store_of(tmp_path, library, "similarity")
    shown = store.mask(WINDOW, (), None)
    rare = next(row for row, turn in enumerate(library.turns, 1) if " n321" in turn.text)
    question = MemoryQuery(text="n321", vector=None, mask=shown, total=store.total, now=NOW, count=24)

    hits, _ = store.searcher.find(question, Budget())

    assert hits[0].turn.row == rare
    assert {hit.turn.row for hit in hits} <= {rare - 1, rare, rare + 1}
    store.close()


def test_what_may_not_be_shown_is_neither_found_nor_ranked(tmp_path: Path, library: Library) -> None:
    store = store_of(tmp_path, library, "hybrid")
    asking = Query(QUESTIONS[0], WordModel().embed([QUESTIONS[0]])[0])
    shown = store.mask(WINDOW, (), None)
    hidden = np.arange(1, len(shown), 2)
    shown[hidden] = False
    question = MemoryQuery(text=asking.text, vector=asking.vector, mask=shown, total=store.total, now=NOW, count=TURNS)

    hits, _ = store.searcher.find(question, Budget())

    assert len(hits) >= 24
    assert not {hit.turn.row for hit in hits} & set(hidden.tolist())
    store.close()
