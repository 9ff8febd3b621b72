"""The one line by which a model asks to see more, and what it is shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.parser import ParsedEvent, parse
from domain.memory.expansion import MAX_CHARS, LogRange, around, not_expanded, record_text
from domain.turn.prompt import EXPANDED_PREFIX
from messages.turn import Reference
from tests.domain.log.logs import said, written

THERE = Reference(path="logs/discord-thread/910000000000000099/20260130T142355Z_0001.md", line=12)


def log_of(*texts: str) -> tuple[bytes, tuple[ParsedEvent, ...]]:
    """A log in which these were said."""
    data = written(said(number, text) for number, text in enumerate(texts))
    return data, parse(data).events


@given(st.text())
def test_no_record_can_forge_a_line_of_the_runtimes(text: str) -> None:
    shown = record_text(THERE, LogRange(first_line=1, last_line=2, text=text)).split("\n")

    assert shown[0] == EXPANDED_PREFIX
    assert json.loads(shown[1])["text"] == text
    assert shown[2] == ""
    assert not set(shown[1]) & set("<>")


def test_a_refusal_says_why() -> None:
    assert json.loads(not_expanded(THERE, "no such place").split("\n")[1])["error"] == "no such place"


def test_the_record_is_shown_with_forty_lines_on_each_side() -> None:
    data, events = log_of(*(f"event {number}" for number in range(60)))
    found = around(data, events[30].line)
    lines = data.decode().split("\n")

    assert found.text.split("\n") == lines[found.first_line - 1 : found.last_line]
    assert found.first_line == events[30].line - 40
    assert found.last_line == events[31].line - 2 + 40
    assert "event 30" in found.text


def test_the_first_and_the_last_record_are_shown_with_what_there_is() -> None:
    data, events = log_of("one", "two")

    assert around(data, events[0].line).first_line == 1
    assert "two" in around(data, events[1].line).text


def test_a_line_on_which_no_record_begins_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[int] = [0, -3, 1, 3, 10**9]
    for line in cases:
        with subtests.test(line=line):
            data, _ = log_of("one")
            with pytest.raises(ValueError, match="no record begins"):
                around(data, line)


@given(st.lists(st.integers(0, 20_000), min_size=1, max_size=5), st.data())
def test_however_long_records_are_what_is_shown_is_bounded_and_begins_with_what_was_asked(
    lengths: list[int], data: st.DataObject
) -> None:
    log, events = log_of(*("x" * length for length in lengths))
    event = data.draw(st.sampled_from(events))
    found = around(log, event.line)

    assert len(found.text) <= MAX_CHARS
    assert "## " in found.text
    assert found.first_line <= event.line <= found.last_line
