"""Lines of the event stream."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import get_args

import pytest

from domain.turn.run_line import run_line
from messages.base import Surface, TurnId, Window
from messages.run import MessageEnded, MessageGrew, Moment, RunBegan, RunEvent

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
    told = json.loads(run_line(MessageEnded(moment=MOMENT, role="user", text="", author="Alice")))
    assert told.keys() == {"type", "window", "run", "number", "at", "role", "text", "author"}


@pytest.mark.parametrize("text", ["a\nb\r\u2028\u0085", "\x1b[31m", "ü😀", "\ud800", '"\\'])
def test_whatever_a_model_writes_is_one_line_of_ascii(text: str) -> None:
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
