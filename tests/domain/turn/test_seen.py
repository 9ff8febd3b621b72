"""Which messages count as had already."""

from __future__ import annotations

import pytest

from domain.turn.seen import SeenMessages


def test_an_id_is_seen_once_it_was_added() -> None:
    seen = SeenMessages()
    assert "5" not in seen
    seen.add("5")
    assert "5" in seen
    assert "6" not in seen
    assert "4" not in seen


def test_what_is_older_than_everything_remembered_counts_as_seen() -> None:
    seen = SeenMessages(limit=3)
    for number in (10, 20, 30, 40):
        seen.add(str(number))
    assert "5" in seen
    assert "10" in seen
    assert "15" not in seen
    assert "41" not in seen


def test_the_newest_is_the_greatest_as_a_number() -> None:
    seen = SeenMessages()
    assert seen.newest == ""
    for number in ("9", "10", "2"):
        seen.add(number)
    assert seen.newest == "10"


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="abc"):
        SeenMessages().add("abc")
