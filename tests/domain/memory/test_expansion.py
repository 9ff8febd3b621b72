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
from tests.domain.log.logs import log_of, message_event

THERE = Reference(path="logs/discord-thread/910000000000000099/20260130T142355Z_0001.md", line=12)


def log_with(*texts: str) -> tuple[bytes, tuple[ParsedEvent, ...]]:
    """A log with these messages."""
    data = log_of(message_event(number, text) for number, text in enumerate(texts))
    return data, parse(data).events


@given(st.text())
def test_no_record_can_forge_a_line_of_the_runtimes(text: str) -> None:
    lines = record_text(THERE, LogRange(first_line=1, last_line=2, text=text)).split("\n")

    assert lines[0] == EXPANDED_PREFIX
    assert json.loads(lines[1])["text"] == text
    assert lines[2] == ""
    assert not set(lines[1]) & set("<>")


def test_a_refusal_says_why() -> None:
    assert json.loads(not_expanded(THERE, "no such place").split("\n")[1])["error"] == "no such place"


def test_the_record_is_shown_with_forty_lines_on_each_side() -> None:
    data, events = log_with(*(f"event {number}" for number in range(60)))
    stretch = around(data, events[30].line)
    lines = data.decode().split("\n")

    assert stretch.text.split("\n") == lines[stretch.first_line - 1 : stretch.last_line]
    assert stretch.first_line == events[30].line - 40
    assert stretch.last_line == events[31].line - 2 + 40
    assert "event 30" in stretch.text


def test_the_first_and_the_last_record_are_shown_with_what_there_is() -> None:
    data, events = log_with("one", "two")

    assert around(data, events[0].line).first_line == 1
    assert "two" in around(data, events[1].line).text


def test_a_line_on_which_no_record_begins_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[int] = [0, -3, 1, 3, 10**9]
    for line in cases:
        with subtests.test(line=line):
            data, _ = log_with("one")
            with pytest.raises(ValueError, match="no record begins"):
                around(data, line)


@given(st.lists(st.integers(0, 20_000), min_size=1, max_size=5), st.data())
def test_however_long_records_are_what_is_shown_is_bounded_and_begins_with_what_was_asked(
    lengths: list[int], data: st.DataObject
) -> None:
    log, events = log_with(*("x" * length for length in lengths))
    event = data.draw(st.sampled_from(events))
    stretch = around(log, event.line)

    assert len(stretch.text) <= MAX_CHARS
    assert "## " in stretch.text
    assert stretch.first_line <= event.line <= stretch.last_line
