from __future__ import annotations

import pytest

from actors.cli.setup.choosing import Item, chosen

ITEMS = (Item("100", "general"), Item("200", "games"), Item("300", "Gardening"), Item("400", "2"))


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("1", ["general"]),
        ("1, 3", ["general", "Gardening"]),
        ("#general games", ["general", "games"]),
        ("gar,gen", ["Gardening", "general"]),
        ("GAMES", ["games"]),
        ("200", ["games"]),
        ("1 general 100", ["general"]),
        ("2", ["games"]),
    ],
)
def test_numbers_names_ids_and_beginnings_are_understood(said: str, names: list[str]) -> None:
    assert [item.name for item in chosen(said, ITEMS)] == names


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("", "at least one"),
        (" , ", "at least one"),
        ("g", r"'g' may be general \(100\), games \(200\), Gardening \(300\)"),
        ("5", "'5' is none of these: a number from 1 to 4"),
        ("0", "'0' is none of these"),
        ("general x", "'x' is none of these"),
    ],
)
def test_what_means_nothing_or_several_things_is_named(said: str, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        chosen(said, ITEMS)
