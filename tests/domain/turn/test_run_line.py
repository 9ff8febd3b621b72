"""Lines of the event stream."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import get_args

import pytest

from domain.turn.run_line import WholeRuns, run_line
from messages.base import Surface, TurnId, Window
from messages.status import MessageEnded, MessageGrew, Moment, RunBegan, RunEvent

MOMENT = Moment(
    window=Window(surface=Surface.DISCORD_THREAD, id="12"),
    run_id=TurnId("abc"),
    number=3,
    at=datetime(2026, 1, 30, 14, 2, 11, 5000, tzinfo=UTC),
)


def test_a_line_says_what_where_and_when_in_that_order() -> None:
    line = run_line(RunBegan(moment=MOMENT, message_id="9", resumed=False))
    assert line == (
        '{"type": "agent_start", "window": "discord-thread/12", "run": "abc", "number": 3, '
        '"at": "2026-01-30T14:02:11.005+00:00", "message_id": "9", "resumed": false}'
    )


def test_what_says_nothing_is_left_out_and_what_must_be_said_is_not() -> None:
    fields = json.loads(run_line(MessageEnded(moment=MOMENT, role="user", text="", author="Alice")))
    assert fields.keys() == {"type", "window", "run", "number", "at", "role", "text", "author"}


def test_whatever_a_model_writes_is_one_line_of_ascii(subtests: pytest.Subtests) -> None:
    for text in ["a\nb\r\u2028\u0085", "\x1b[31m", "ü😀", "\ud800", '"\\']:
        with subtests.test(text=text):
            line = run_line(MessageGrew(moment=MOMENT, offset=0, text=text))
            assert line.isascii()
            assert line.splitlines() == [line]
            assert json.loads(line)["text"] == text


def test_the_types_are_pis() -> None:
    assert [kind.__struct_config__.tag for kind in get_args(RunEvent)] == [
        "agent_start",
        "agent_end",
        "turn_start",
        "turn_end",
        "message_start",
        "message_update",
        "message_end",
        "tool_execution_start",
        "tool_execution_end",
    ]


def places_shown(*events: tuple[str, str, str]) -> list[int]:
    """Places of the events that are shown; each is a window, a run and a type."""
    runs = WholeRuns()
    lines = [json.dumps({"window": window, "run": run, "type": kind}) for window, run, kind in events]
    return [place for place, line in enumerate(lines) if runs.shows(line)]


@pytest.mark.req("S0-98f")
def test_a_run_whose_beginning_was_not_seen_is_left_out_and_the_next_is_not() -> None:
    assert places_shown(
        ("a", "1", "turn_end"), ("a", "1", "agent_end"), ("a", "2", "agent_start"), ("a", "2", "agent_end")
    ) == [2, 3]


def test_windows_are_told_apart() -> None:
    assert places_shown(
        ("a", "1", "agent_start"), ("b", "2", "turn_end"), ("b", "2", "agent_end"), ("a", "1", "agent_end")
    ) == [
        0,
        3,
    ]


def test_of_a_run_whose_beginning_was_missed_nothing_is_shown_though_the_one_before_had_no_end() -> None:
    assert places_shown(
        ("a", "1", "agent_start"), ("a", "2", "turn_end"), ("a", "2", "agent_end"), ("a", "1", "turn_end")
    ) == [
        0,
        3,
    ]


def test_a_run_that_begins_anew_in_a_later_life_is_shown() -> None:
    assert places_shown(
        ("a", "1", "turn_end"), ("a", "1", "agent_start"), ("a", "1", "agent_end"), ("a", "1", "x")
    ) == [1, 2]
