"""The searches over a real index give what the rules give over all rows."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from actors.memory.search.search import Kind, MemoryQuery
from actors.memory.store import MemoryPlan, Store
from domain.log.window import full_path, log_path
from domain.memory.hybrid_text import embedded_text
from domain.memory.injection import Budget, inject
from domain.memory.keywords import question_terms
from domain.memory.remembered import USER, Remembered
from lab.bench.recall.data import Conversation
from lab.bench.recall.document import Turn
from lab.bench.recall.search import RANKERS, Library, Query
from messages.base import EventId, Surface, TurnId, Window
from tests.domain.memory.test_letters import SPELLED
from tests.domain.memory.test_searchable import FOUND
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
    """Turns of two people: some short, some long, some questions, some of themselves, with silences between."""
    dice = random.Random(3)
    at = BEGAN
    turns = []
    for number in range(TURNS):
        at += timedelta(minutes=dice.choice([1, 2, 7, 90]))
        words = [f"w{int(dice.paretovariate(0.5)) % 200}{dice.choice(ENDS)}" for _ in range(dice.randint(3, 60))]
        text = f"{'my ' if number % 3 == 0 else ''}{' '.join(words)} n{number}{dice.choice(LAST)}"
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
                path=full_path(memory.path, WINDOW),
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
            window=WINDOW,
        )

        hits, candidates = store.searcher.find(question, Budget())

        assert [hit.turn.row - 1 for hit in hits] == expected
        shown = inject(store.searcher.memories(hits, WINDOW), question_terms(text))
        assert shown.block == inject([library.memories[row] for row in expected], question_terms(text)).block
        assert search != "hybrid" or len(shown.entries) < len(shown.items), "some stand near one another"
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


@pytest.mark.req("X-212")
def test_a_word_of_any_script_and_a_sign_is_found_among_the_first_three_by_words_alone(tmp_path: Path) -> None:
    """openclaw/openclaw#20730: a word within a Chinese sentence was no keyword at all."""
    said_and_asked = (*FOUND, *SPELLED)
    said = [
        Turn(id=f"t{number}", speaker="Ana", time=BEGAN + timedelta(hours=2 * number), session="1", text=text)
        for number, (text, _) in enumerate(said_and_asked)
    ]
    made = Conversation("scripts", NOW, tuple(said), ())
    vectors = WordModel().embed([embedded_text(turn.speaker, turn.time, turn.text) for turn in said])
    store = store_of(tmp_path, Library(made, vectors), "hybrid")
    failures = []
    for row, (text, question) in enumerate(said_and_asked, 1):
        asking = MemoryQuery(
            text=question, vector=None, mask=store.mask(WINDOW, (), None), total=store.total, now=NOW, count=3
        )
        hits, _ = store.searcher.find(asking, Budget())
        if row not in [hit.turn.row for hit in hits]:
            failures.append((question, text, [hit.turn.text for hit in hits]))
    store.close()
    assert not failures


def test_only_names_that_the_asker_may_know_are_left_out_of_an_embedded_question(tmp_path: Path) -> None:
    """RocketChat/Rocket.Chat#2588: names of people in other channels were offered, and so known."""
    store = Store.open(MemoryPlan(tmp_path, "words", WordModel.dimensions, "hybrid", "context"), NOW)
    other = Window(surface=WINDOW.surface, id="910000000000000077")
    question = "When does Søren or Ana play the piano?"
    failures = []

    def say(window: Window, author: str, line: int) -> None:
        path = str(log_path(window, BEGAN, 1))
        made = Remembered(
            path=path, line=line, event_id=EventId(f"{window.id}{line}"), turn_id=TurnId(f"{window.id}{line}"),
            at=BEGAN, role=USER, author=author, text="I play the piano on Sundays"
        )  # fmt: skip
        store.remember(window, [made])

    say(WINDOW, "Ana", 1)
    for step in ("first", "later"):
        wanted = {WINDOW: "When does Søren or play the piano?", other: question}
        if step == "later":
            say(other, "Soren", 1)
            wanted[other] = "When does or Ana play the piano?"
        for window, text in wanted.items():
            if (embedded := store.embedded_question(question, window)) != text:
                failures.append((step, window.id, embedded))
    store.close()
    assert not failures


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
