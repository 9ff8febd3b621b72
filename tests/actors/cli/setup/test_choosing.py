from __future__ import annotations

import pytest

from actors.cli.setup.choosing import Item, choose_items

ITEMS = (Item("100", "general"), Item("200", "games"), Item("300", "Gardening"), Item("400", "2"))


def test_numbers_names_ids_and_beginnings_are_understood(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[str]]] = [
        ("1", ["general"]),
        ("1, 3", ["general", "Gardening"]),
        ("#general games", ["general", "games"]),
        ("gar,gen", ["Gardening", "general"]),
        ("GAMES", ["games"]),
        ("200", ["games"]),
        ("1 general 100", ["general"]),
        ("2", ["games"]),
    ]
    for said, names in cases:
        with subtests.test(said=said, names=names):
            assert [item.name for item in choose_items(said, ITEMS)] == names


def test_what_means_nothing_or_several_things_is_named(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("", "at least one"),
        (" , ", "at least one"),
        ("g", r"'g' may be general \(100\), games \(200\), Gardening \(300\)"),
        ("5", "'5' is not in the list: a number from 1 to 4"),
        ("0", "'0' is not in the list"),
        ("general x", "'x' is not in the list"),
    ]
    for said, rule in cases:
        with subtests.test(said=said, rule=rule), pytest.raises(ValueError, match=rule):
            choose_items(said, ITEMS)
