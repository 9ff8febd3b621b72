from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.event import Event, Kind
from domain.log.parser import parse
from domain.log.view import findings, render
from domain.log.window import LogName
from messages.base import Surface, Window
from tests.domain.log.logs import BOUNDED, START, WINDOW, append_events, hostile_events, log_of, message_event

NAME = LogName(started_at=START, seq=1)
MISLEADING = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def test_a_log_is_shown_under_the_lines_where_its_events_stand() -> None:
    data = log_of([message_event(1, "hello\n\tyou"), message_event(2, "hi", Kind.AGENT)])

    assert list(render(data)) == [
        "discord-thread 123456789012345678",
        "window 1 of 2026-11-22 14:03:22 UTC, opened by 987654321098765432",
        "",
        "5: 2026-11-22 14:03:23 user e1",
        "  author: Alice",
        "    hello",
        "    \tyou",
        "",
        "13: 2026-11-22 14:03:24 agent e2",
        "  author: Alice",
        "    hi",
    ]


@BOUNDED
@given(st.lists(hostile_events, max_size=4))
def test_no_text_moves_the_cursor_hides_text_or_looks_like_an_event_on_a_terminal(events: list[Event]) -> None:
    lines = list(render(log_of(events)))

    assert not any(MISLEADING.search(line) for line in lines)
    assert sum(re.match(r"\d+: ", line) is not None for line in lines) == len(events)


def test_what_is_no_event_is_shown_too() -> None:
    data = (
        append_events(log_of([message_event(1)]) + b"## 2026", message_event(2)).replace(b"hello", b"HELLO", 1) + b"## "
    )

    rendered_lines = [line for line in render(data) if re.match(r"\d+: ", line)]

    assert [line.split(" ")[1:3] for line in rendered_lines] == [
        [str(parse(data).damage[0].length), "bytes"],
        ["7", "bytes"],
        ["2026-11-22", "14:03:24"],
        ["3", "bytes"],
    ]


@dataclass(frozen=True)
class Case:
    data: bytes
    lines: list[int]
    reason: str


CASES = [
    Case(b"", [1], "no header"),
    Case(b"hello\n", [1, 1], "no header"),
    Case(log_of([message_event(1)])[:-1], [5], "cut short"),
    Case(log_of([message_event(1), message_event(2)]).replace(b"Alice", b"Carol", 1), [5], "continue the chain"),
    Case(log_of([message_event(1)]).replace(b'"format":1', b'"format":9'), [1], "continue the chain"),
]


def test_findings_name_line_and_reason(subtests: pytest.Subtests) -> None:
    for case in CASES:
        with subtests.test(case=case):
            findings_here = findings(parse(case.data))

            assert [finding.line for finding in findings_here] == case.lines
            assert any(case.reason in finding.reason for finding in findings_here)


def test_a_whole_log_has_no_findings_and_nor_has_a_sealed_one() -> None:
    assert findings(parse(log_of([message_event(1)])), WINDOW, NAME) == ()
    assert findings(parse(append_events(log_of([message_event(1)])[:-9])), WINDOW, NAME) == ()


def test_a_header_must_agree_with_where_the_file_lies(subtests: pytest.Subtests) -> None:
    for window, name, reason in [
        (Window(surface=Surface.DISCORD_CHANNEL, id=WINDOW.id), NAME, "folder of discord-channel/"),
        (WINDOW, LogName(started_at=START, seq=2), "20261122T140322Z_0001"),
        (WINDOW, LogName(started_at=START.replace(second=0), seq=1), "20261122T140322Z_0001"),
    ]:
        with subtests.test(window=window, name=name, reason=reason):
            findings_here = findings(parse(log_of([])), window, name)

            assert [reason in finding.reason for finding in findings_here] == [True]
