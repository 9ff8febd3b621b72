"""Ids with their numbers, against a dict of the same."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from domain.log.id_table import MOST_IDS, MOST_NUMBERS, IdTable


def require_same(table: IdTable, ids: dict[int, int]) -> None:
    assert len(table) == len(ids)
    assert dict(table.pairs()) == ids
    assert sorted(table) == sorted(ids)
    assert len(list(table.pairs())) == len(ids)


@pytest.mark.parametrize("span", [50, 20_000, MOST_IDS + MOST_IDS // 10])
def test_what_is_put_and_taken_out_in_any_order_is_as_a_dict_has_it(span: int) -> None:
    chance, table, ids = random.Random(span), IdTable(), dict[int, int]()
    for step in range(12_000):
        id_ = chance.choice([*ids]) if ids and step % 40 == 0 else chance.randint(-span // 10, span)
        assert table.get(id_) == ids.get(id_)
        assert (id_ in table) == (id_ in ids)
        if chance.random() < 0.25:
            assert table.pop(id_) == ids.pop(id_, None)
        else:
            number = chance.choice([0, MOST_NUMBERS, chance.randrange(1000)])
            table.put(id_, number)
            ids[id_] = number
        assert len(table) == len(ids)
        if step % 1000 == 0:
            require_same(table, ids)
    require_same(table, ids)
    table.clear()
    require_same(table, {})
    table.put(7, 1)
    require_same(table, {7: 1})


@pytest.mark.parametrize("number", [-1, MOST_NUMBERS + 1])
def test_a_number_that_has_no_room_is_named(number: int) -> None:
    table = IdTable()
    with pytest.raises(ValueError, match=f"number {number} of id 7: 0 to {MOST_NUMBERS}"):
        table.put(7, number)
    assert not table


def test_a_window_takes_few_bytes_whether_its_id_is_new_or_old() -> None:
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        table = IdTable()
        for id_ in range(10**18, 10**18 + 50_000):
            table.put(id_, 3)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(table) == 50_000
    assert (held - before) / 50_000 < 25


def test_ids_that_are_gone_take_no_room() -> None:
    table = IdTable()
    for id_ in range(20_000):
        table.put(id_, 3)
        table.pop(id_ - 5_000)
    assert len(table) == 5_000
    assert len(table._ids) < 10_000
