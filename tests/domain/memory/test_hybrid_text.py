from __future__ import annotations

from datetime import UTC, datetime

from domain.memory.hybrid_text import embedded_text, keyword_text

AT = datetime(2026, 5, 8, 23, 59, tzinfo=UTC)


def test_a_turn_is_embedded_with_who_said_it_and_on_which_day() -> None:
    assert embedded_text("Alice", AT, "I moved.") == "Alice (8 May 2026): I moved."


def test_a_turn_is_indexed_with_who_said_it_and_in_which_month() -> None:
    assert keyword_text("Alice", AT, "I moved.") == "Alice: I moved. May 2026"


def test_a_name_stays_on_its_line_and_an_empty_one_is_somebody() -> None:
    assert embedded_text(" Al\n ice ", AT, "x") == "Al ice (8 May 2026): x"
    assert embedded_text("", AT, "x") == "somebody (8 May 2026): x"
