"""Neighbours of a turn after any changes."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from actors.memory.index.index import Index
from actors.memory.search.order import NONE, Order
from domain.memory.remembered import USER, Remembered
from messages.base import EventId, Surface, TurnId, Window

NOW = datetime(2026, 5, 1, tzinfo=UTC)
WINDOWS = [Window(surface=Surface.DISCORD_THREAD, id=f"91000000000000000{number}") for number in range(3)]


def remembered_turn(window: Window, number: int, minute: int) -> Remembered:
    return Remembered(
        path=f"logs/{window.address.key}/a.md",
        line=number + 1,
        event_id=EventId(f"e{number}"),
        turn_id=TurnId(f"e{number}"),
        at=NOW + timedelta(minutes=minute),
        role=USER,
        author="Ada",
        text=f"words {number}",
    )


def beside(order: Order, count: int) -> list[tuple[int, int]]:
    before, after = order.beside(np.arange(1, count + 1))
    return list(zip(before.tolist(), after.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_whatever_came_and_went_the_chains_are_those_of_an_index_read_anew(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    order = Order(index.connection)
    beside(order, 0)
    number, alive = 0, dict[int, Window]()
    for _ in range(40):
        window = dice.choice(WINDOWS)
        count = dice.randint(1, 6)
        entries = [remembered_turn(window, number + one, dice.randint(0, 40)) for one in range(count)]
        number += count
        added, _ = index.remember(window, entries)
        order.add(index.number(window), added)
        alive.update(dict.fromkeys(added, window))
        for row in dice.sample(sorted(alive), min(len(alive), dice.randint(0, 3))):
            index.forget([row])
            order.drop(row)
            del alive[row]

    fresh = beside(Order(index.connection), number)

    assert beside(order, number) == fresh
    assert sum(before != NONE for before, _ in fresh) == len(alive) - len(set(alive.values()))
    assert all(pair == (NONE, NONE) for row, pair in enumerate(fresh, 1) if row not in alive)
    index.close()


def test_rows_that_nobody_told_it_of_stand_beside_nothing(tmp_path: Path) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    order = Order(index.connection)
    assert beside(order, 2000) == [(NONE, NONE)] * 2000
    order.drop(1999)
    index.close()


def test_of_one_moment_the_turn_that_was_stored_last_is_the_later(tmp_path: Path) -> None:
    index, _ = Index.open(tmp_path / "index.sqlite", NOW)
    order = Order(index.connection)
    beside(order, 0)
    for number in range(3):
        added, _ = index.remember(WINDOWS[0], [remembered_turn(WINDOWS[0], number, 5)])
        order.add(index.number(WINDOWS[0]), added)
    assert beside(order, 3) == [(NONE, 2), (1, 3), (2, NONE)]
    index.close()
