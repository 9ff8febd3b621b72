"""Which messages count as had already."""

from __future__ import annotations

import pytest

from domain.turn.seen import SeenMessages


def test_an_id_is_seen_once_it_was_added() -> None:
    seen = SeenMessages()
    assert "5" not in seen
    seen.add("5")
    assert "5" in seen
    for other in ("6", "4"):
        assert other not in seen
        assert not seen.is_in_doubt(other)


def test_what_is_as_old_as_anything_forgotten_is_in_doubt() -> None:
    seen = SeenMessages(limit=3)
    for number in (10, 20, 30, 40):
        seen.add(str(number))
    assert [number for number in (5, 10, 15, 20, 41) if seen.is_in_doubt(str(number))] == [5, 10]
    assert "10" not in seen


def test_a_late_message_does_not_hide_those_before_it() -> None:
    seen = SeenMessages(limit=2)
    for number in (40, 10, 20):
        seen.add(str(number))
    assert seen.is_in_doubt("40")
    assert "10" in seen


def test_what_stands_in_earlier_logs_is_in_doubt() -> None:
    seen = SeenMessages()
    seen.raise_floor(30)
    seen.add("40")
    assert seen.is_in_doubt("30")
    assert not seen.is_in_doubt("31")
    assert seen.newest == 40


def test_the_newest_is_the_greatest_as_a_number() -> None:
    seen = SeenMessages()
    assert seen.newest == 0
    for number in ("9", "10", "2"):
        seen.add(number)
    assert seen.newest == 10


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="abc"):
        SeenMessages().add("abc")
