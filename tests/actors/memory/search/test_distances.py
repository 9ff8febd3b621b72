"""Without codes the nearest are found all the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from actors.memory.search.search import Kind, MemoryQuery
from actors.memory.store import MemoryPlan, Store
from domain.memory.injection import Budget
from domain.memory.remembered import USER, Remembered
from messages.base import EventId, Surface, TurnId, Window

BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
NOW = BEGAN + timedelta(days=9)
WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="1234567890123456789")
DIMS, TURNS = 12, 300


def store_turns(folder: Path, search: Kind) -> Store:
    """Turns with random vectors; every tenth has none yet, two have the same, one has no direction."""
    store = Store.open(MemoryPlan(folder, "random", DIMS, search, "global"), NOW)
    store.remember(
        WINDOW,
        [
            Remembered(
                path="logs/discord-channel/1234567890123456789/a.md",
                line=8 * number + 1,
                event_id=EventId(f"e{number}"),
                turn_id=TurnId(f"e{number}"),
                at=BEGAN + timedelta(minutes=number),
                role=USER,
                author="Ana",
                text=f"turn {number}",
            )
            for number in range(TURNS)
        ],
    )
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((TURNS, DIMS)).astype(np.float32)
    vectors[7], vectors[8] = vectors[6], 0.0
    waiting = store.index.pending.due(NOW, TURNS)
    store.store_vectors([(one, vectors[one.id - 1].tobytes()) for one in waiting if one.id % 10])
    return store


def find_nearest(store: Store, query: np.ndarray, shown: np.ndarray) -> list[tuple[int, float]]:
    question = MemoryQuery(text="?", vector=query, mask=shown.copy(), total=TURNS, now=NOW, count=20)
    hits, _ = store.searcher.find(question, Budget())
    return [(hit.turn.row, hit.ranked.score) for hit in hits]


@pytest.mark.parametrize("search", ["similarity", "hybrid"])
def test_what_is_found_does_not_depend_on_the_codes(tmp_path: Path, search: Kind) -> None:
    store = store_turns(tmp_path, search)
    rng = np.random.default_rng(2)
    shown = rng.random(TURNS + 5) < 0.7
    for query in rng.standard_normal((6, DIMS)).astype(np.float32):
        with_codes = find_nearest(store, query, shown)
        store.engine.close()
        assert find_nearest(store, query, shown) == with_codes
        assert with_codes
        assert all(shown[row] for row, _ in with_codes)
        store.engine.reopen()
    store.close()


def test_where_nothing_may_be_found_nothing_is(tmp_path: Path) -> None:
    store = store_turns(tmp_path, "similarity")
    store.engine.close()
    assert not store.engine.is_open
    rows, cosines = store.searcher._hybrid.nearest(np.ones(DIMS, np.float32), 5, np.zeros(TURNS + 5, np.bool_))
    assert (len(rows), len(cosines)) == (0, 0)
    store.close()
