from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from domain.log.event import Event, Header, Kind, event
from domain.log.format import encode_event, encode_header, header_from
from domain.log.parser import parse
from messages.base import EventId, Surface, Window
from tests.domain.log.logs import (
    BOUNDED,
    FRAGMENTS,
    HEADER,
    START,
    WINDOW,
    hostile_events,
    hostile_text,
    log_of,
    message_event,
    read,
)

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@pytest.mark.req("S0-35")
def test_an_event_is_a_heading_a_comment_a_fence_and_an_end_marker() -> None:
    one_event = event(
        "e7f3k2", datetime(2026, 11, 22, 14, 3, 22, 481000, UTC), "user", "see ```x```", {"b": "1", "a": "A"}
    )

    record, digest = encode_event(one_event, "0" * 16)

    assert record.decode() == (
        "## 2026-11-22T14:03:22.481Z user e7f3k2\n"
        '<!-- {"a":"A","b":"1"} -->\n'
        "````text\n"
        "see ```x```\n"
        "````\n"
        f"<!-- end e7f3k2 bytes=11 hash={digest} -->\n"
        "\n"
    )


@pytest.mark.req("S0-33")
@BOUNDED
@given(st.lists(hostile_events, max_size=6))
def test_what_was_written_is_read(events: list[Event]) -> None:
    parsed = parse(log_of(events))

    assert [logged.event for logged in parsed.events] == events
    assert parsed.header == HEADER
    assert (parsed.damage, parsed.seals, parsed.torn) == ((), (), None)


@pytest.mark.req("S0-33")
def test_every_pair_of_hostile_fragments_is_read_as_written(subtests: pytest.Subtests) -> None:
    for first in FRAGMENTS:
        with subtests.test(first=first):
            events = [
                message_event(number, content, author=content)
                for number, second in enumerate(FRAGMENTS)
                for content in (first + second, first + "\n" + second)
            ]

            assert read(log_of(events)) == events


@BOUNDED
@given(hostile_events)
def test_a_file_holds_no_character_that_misleads_terminals_and_tools(one_event: Event) -> None:
    text = log_of([one_event]).decode("utf-8")

    assert UNSAFE.search(text) is None
    assert text.splitlines() == text.split("\n")[:-1]


@BOUNDED
@given(hostile_text)
def test_content_is_stored_byte_for_byte_unless_it_could_mislead(content: str) -> None:
    record = log_of([message_event(1, content)])

    misleads = UNSAFE.search(content) or re.search(r"^(<!-- end |## \d{4}-\d\d-\d\dT)", content, re.MULTILINE)
    assert (b'{"esc":1' in record.split(b"\n```", 1)[0]) == bool(misleads)
    if not misleads:
        assert b"text\n" + content.encode() + b"\n```" in record


@pytest.mark.req("S0-35")
@BOUNDED
@given(st.lists(hostile_events, max_size=5))
def test_a_markdown_reader_sees_the_header_and_one_heading_per_event_and_no_content(events: list[Event]) -> None:
    tokens = MarkdownIt("commonmark").parse(log_of(events).decode())

    assert sum(token.type == "heading_open" for token in tokens) == len(events) + 1
    assert sum(token.type == "fence" for token in tokens) == len(events)
    assert {token.type for token in tokens} <= {"heading_open", "inline", "heading_close", "html_block", "fence"}


@pytest.mark.req("X-18")
@BOUNDED
@given(st.lists(hostile_events, min_size=1, max_size=4))
def test_every_event_is_found_at_its_line_and_offset(events: list[Event]) -> None:
    data = log_of(events)

    for logged in parse(data).events:
        heading = data.split(b"\n")[logged.line - 1]
        assert heading.endswith(b" " + logged.event.id.encode())
        assert data[logged.offset :].startswith(heading + b"\n")


@BOUNDED
@given(st.lists(hostile_events, min_size=1, max_size=4))
def test_a_file_can_be_read_in_two_goes(events: list[Event]) -> None:
    data = log_of(events)
    whole = parse(data)

    for logged in whole.events:
        first = parse(data[: logged.offset])
        second = parse(data[logged.offset :], first.state)
        assert first.events + second.events == whole.events
        assert second.state == whole.state
        assert second.header is None


def test_the_header_is_read_back(subtests: pytest.Subtests) -> None:
    for opened_by in ["alice", "--> <b>\x00\ud800\n## x", ""]:
        with subtests.test(opened_by=opened_by):
            header = Header(window=WINDOW, started_at=START, seq=42, opened_by=opened_by)

            record, _ = encode_header(header)

            assert parse(record).header == header
            assert record.startswith(b"# discord-thread 123456789012345678\n")


def test_what_is_no_header_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[bytes, str]] = [
        (b"", "a heading"),
        (b"# x\n<!-- {} -->\n", "format version"),
        (b'# x\n<!-- {"format":2} -->\n', "format version 2"),
        (b'# x\n<!-- {"format":1} -->\n', "must be text"),
        (b'# x\n<!-- {"format":1,"context_id":"1","opened_by":"","window_start":""} -->\n', "a whole number"),
        (b'# x\n<!-- {"format":1 -->\n', "a heading"),
        (b'# x\n<!-- {"format":} -->\n', "not JSON"),
    ]
    for block, rule in cases:
        with subtests.test(block=block, rule=rule), pytest.raises(ValueError, match=rule):
            header_from(block)


@pytest.mark.req("X-49")
def test_a_time_in_any_zone_becomes_utc_cut_to_the_millisecond() -> None:
    at = datetime(2026, 7, 1, 12, 0, 0, 999_999, timezone(timedelta(hours=1)))

    one_event = event("e1", at, Kind.USER, "")

    assert one_event.at == datetime(2026, 7, 1, 11, 0, 0, 999_000, UTC)
    assert read(log_of([one_event])) == [one_event]


def test_an_id_that_could_be_misread_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "a b", "a\n", "é", "x" * 65, "-->", "header", "seal"]
    for id in cases:
        with subtests.test(id=id), pytest.raises(ValueError, match="event id"):
            event(id, START, Kind.USER, "")


def test_an_event_that_could_not_be_read_back_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[datetime, str, str]] = [
        (START.replace(tzinfo=None), "{}", "UTC"),
        (START.replace(microsecond=1), "{}", "milliseconds"),
        (START.astimezone(timezone(timedelta(hours=1))), "{}", "UTC"),
        (START, '{"b":1,"a":2}', "meta_json"),
        (START, '{"esc":1}', "meta_json"),
        (START, '{"a":"-->"}', "meta_json"),
        (START, "[]", "meta_json"),
        (START, "{} ", "meta_json"),
    ]
    for at, meta_json, rule in cases:
        with subtests.test(at=at, meta_json=meta_json, rule=rule):
            one_event = Event(id=EventId("e1"), at=at, kind=Kind.USER, content="", meta_json=meta_json)

            with pytest.raises(ValueError, match=rule):
                encode_event(one_event, "")


def test_a_window_without_logs_gets_no_header() -> None:
    window = Window(surface=Surface.CLI, id="123456789012345678")

    with pytest.raises(ValueError, match="surface"):
        encode_header(Header(window=window, started_at=START, seq=1, opened_by=""))


def test_events_can_be_hashed_and_compared() -> None:
    assert len({message_event(1), message_event(1), message_event(2)}) == 2
