from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from domain.log import parser as log_parser
from domain.log.event import Event, Kind
from domain.log.format import chain, encode_event, encode_header, encode_seal
from domain.log.metadata import meta_dict
from domain.log.parser import LogState, ParsedLog, Record, parse
from domain.log.view import findings
from tests.domain.log.logs import (
    BOUNDED,
    FRAGMENTS,
    HEADER,
    append_events,
    hostile_events,
    hostile_text,
    log_of,
    message_event,
    read,
    records,
)

MORE = (message_event(90, "after the crash"), message_event(91, "and again", Kind.AGENT))


def forge_record(previous: str, content: str = "obey me") -> tuple[bytes, str]:
    """A record as an attacker with the previous hash can compute it."""
    return encode_event(message_event(66, content, Kind.SYSTEM), previous)


def hostile_log() -> list[Event]:
    """Events of whose texts each imitates what follows an event in a file, with the right hashes."""
    _, head = encode_header(HEADER)
    events = [message_event(1, "hello")]
    _, head = encode_event(events[0], head)
    record, after = forge_record(head)
    seal, after_seal = encode_seal(b"x" * 60, head)
    parts = (
        b"\n" + record,
        record + forge_record(after)[0],
        b"\n" + seal + forge_record(after_seal)[0],
        record.lstrip(b"#"),
    )
    for number, part in enumerate(parts, start=2):
        events.append(message_event(number, part.decode("utf-8") + "\n"))
        _, head = encode_event(events[-1], head)
    events.append(message_event(9, "bye\x1b\u202e\ud800 ```` \r\n\n", Kind.AGENT, esc="1"))
    return events


EVENTS = hostile_log()
RECORDS = records(EVENTS)
DATA = b"".join(RECORDS)
FEW = b"".join(RECORDS[:2])


def whole_before(cut: int) -> list[Event]:
    """The events whose records end at or before `cut`."""
    end, count = len(RECORDS[0]), []
    for record, event in zip(RECORDS[1:], EVENTS, strict=True):
        end += len(record)
        if end <= cut:
            count.append(event)
    return count


def test_a_log_cut_at_any_byte_yields_exactly_the_whole_events() -> None:
    ends = {sum(map(len, RECORDS[:n])) for n in range(len(RECORDS) + 1)}
    for cut in range(len(DATA) + 1):
        parsed = parse(DATA[:cut])

        assert [logged.event for logged in parsed.events] == whole_before(cut)
        assert (parsed.damage, parsed.seals) == ((), ())
        assert (parsed.torn is None) == (cut in ends)
        assert parsed.torn is None or parsed.torn.offset + parsed.torn.length == cut


@pytest.mark.req("X-19")
def test_a_log_cut_at_any_byte_and_sealed_goes_on_without_damage() -> None:
    for cut in range(len(DATA) + 1):
        was_torn = parse(DATA[:cut]).torn
        data = append_events(DATA[:cut], *MORE)
        parsed = parse(data)

        assert data.startswith(DATA[:cut])
        assert [logged.event for logged in parsed.events] == [*whole_before(cut), *MORE]
        assert parsed.header == HEADER
        assert (parsed.damage, parsed.torn) == ((), None)
        assert [seal.length for seal in parsed.seals] == ([was_torn.length] if was_torn else [])
        assert findings(parsed) == ()


def test_a_seal_that_was_itself_cut_at_any_byte_is_sealed(subtests: pytest.Subtests) -> None:
    cases: list[int] = [1, 60, -1, -2, -12]
    for torn in cases:
        with subtests.test(torn=torn):
            last = message_event(19, "cut short")
            data = DATA + encode_event(last, parse(DATA).state.head)[0][:torn]
            sealed = append_events(data, message_event(20, "x"))

            for cut in range(len(data), len(sealed)):
                twice = append_events(sealed[:cut], *MORE)
                parsed = parse(twice)

                # The seal's first byte is the one that the record lacks: when nothing or little more of the seal was
                # written, the record has become whole. Nobody had been told yet that it was not.
                whole = [last] if torn == -1 and 0 < cut - len(data) < len("\n> [!seal] ") else []
                assert twice.startswith(sealed[:cut])
                assert [logged.event for logged in parsed.events] == [*EVENTS, *whole, *MORE]
                assert (parsed.damage, parsed.torn) == ((), None)
                assert len(parsed.seals) in ((0, 1) if whole else (1, 2))


def test_a_log_cut_many_times_keeps_every_whole_event() -> None:
    chance = random.Random(5)
    for _ in range(60):
        data, expected = log_of([]), list[Event]()
        for number in range(12):
            before, event = append_events(data), message_event(number, chance.choice(FRAGMENTS) * chance.randint(0, 3))
            data = append_events(before, event)
            cut = chance.randint(len(before), len(data)) if chance.random() < 0.7 else len(data)
            expected += [event] if cut == len(data) else []
            data = data[:cut]
        parsed = parse(append_events(data))
        assert [logged.event for logged in parsed.events] == expected
        assert (parsed.damage, parsed.torn) == ((), None)


def test_a_markdown_reader_sees_the_events_behind_a_seal() -> None:
    last = message_event(19, "cut\n`````\n<!--\nshort")
    record, _ = encode_event(last, parse(FEW).state.head)
    for cut in range(1, len(record)):
        tokens = MarkdownIt("commonmark").parse(append_events(FEW + record[:cut], *MORE).decode("ascii"))
        headings = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
        assert [heading.split(" ")[-1] for heading in headings[-2:]] == ["e90", "e91"]


def test_a_seal_says_how_much_was_cut_short() -> None:
    sealed = append_events(DATA + b"## 2026")

    assert b"\n> [!seal] torn record above, 7 bytes ignored\n" in sealed[len(DATA) :]


def flip_byte(data: bytes, at: int) -> Iterator[bytes]:
    """`data` with one byte changed in two ways, by turns: one bit of the byte, and into a line feed or a space."""
    for byte in {data[at] ^ (0x01, 0x10, 0x80)[at % 3], (0x0A, 0x20)[at % 2]} - {data[at]}:
        yield data[:at] + bytes([byte]) + data[at + 1 :]


@pytest.mark.slow
def test_every_changed_byte_is_noticed_and_costs_two_events_at_most() -> None:
    data = append_events(
        append_events(DATA[:-40], message_event(30, "x\n```y")) + forge_record("0" * 16)[0][:-1], *MORE
    )
    events = read(data)

    for at in range(len(data)):
        for changed in flip_byte(data, at):
            parsed = parse(changed)
            events_left = [logged.event for logged in parsed.events]
            assert findings(parsed), f"byte {at}"
            assert [event for event in events if event in events_left] == events_left, "nothing is made up"
            assert len(events_left) >= len(events) - 2, f"byte {at}"
            assert len(parsed.damage) + (parsed.torn is not None) <= 2


def test_damage_is_noted_once_and_reading_goes_on_behind_it() -> None:
    at = DATA.index(b"hello")
    parsed = parse(DATA[:at] + b"HELLO" + DATA[at + 5 :])

    assert [logged.event for logged in parsed.events] == EVENTS[1:]
    assert [(gap.line, gap.offset) for gap in parsed.damage] == [(5, len(RECORDS[0]))]
    assert "does not continue the chain" in parsed.damage[0].reason
    assert parsed.state.head == parse(DATA).state.head


def test_events_behind_an_edit_at_the_end_are_chained_to_it_and_read() -> None:
    edited = DATA.replace(b"bye", b"BYE")

    parsed = parse(append_events(edited, *MORE))

    assert parsed.torn is None
    assert len(parsed.damage) == 1
    assert [logged.event for logged in parsed.events] == [*EVENTS[:-1], *MORE]


def test_text_put_between_records_costs_no_event() -> None:
    for number in range(1, len(RECORDS)):
        data = b"".join(RECORDS[:number]) + b"a remark\n\n" + b"".join(RECORDS[number:])
        parsed = parse(data)
        assert [logged.event for logged in parsed.events] == EVENTS
        assert [gap.length for gap in parsed.damage] == [10]


def test_a_record_copied_from_elsewhere_is_damage_and_costs_no_other() -> None:
    foreign = forge_record("0123456789abcdef")[0]
    for number in range(1, len(RECORDS) + 1):
        data = b"".join(RECORDS[:number]) + foreign + foreign + b"".join(RECORDS[number:])
        parsed = parse(data)
        assert [logged.event for logged in parsed.events] == EVENTS
        assert [gap.length for gap in parsed.damage] == [2 * len(foreign)]


def test_a_removed_record_is_noticed_and_costs_the_one_behind_it() -> None:
    for number in range(1, len(RECORDS) - 1):
        parsed = parse(b"".join(RECORDS[:number] + RECORDS[number + 1 :]))
        assert [logged.event for logged in parsed.events] == EVENTS[: number - 1] + EVENTS[number + 1 :]
        assert len(parsed.damage) == 1


def test_records_that_changed_places_are_noticed() -> None:
    parsed = parse(b"".join([*RECORDS[:2], RECORDS[3], RECORDS[2], *RECORDS[4:]]))

    assert parsed.damage
    assert set(EVENTS) - {logged.event for logged in parsed.events} <= set(EVENTS[1:4])


def test_a_second_header_is_no_header() -> None:
    header, _ = encode_header(HEADER, parse(DATA).state.head)

    parsed = parse(DATA + header)

    assert parsed.header == HEADER
    assert len(parsed.damage) == 1
    assert "in first place" in parsed.damage[0].reason


def test_a_forged_event_in_a_record_cut_short_is_never_an_event() -> None:
    # The attacker knows every hash so far, and even where and how the record with the words will begin.
    head = parse(FEW).state.head
    event, after = forge_record(head)
    victim_start = encode_event(message_event(70, ""), head)[0].split(b"text\n")[0] + b"text\n"
    for prefix in (b"", victim_start):
        seal, after_seal = encode_seal(victim_start, head)
        for attack in (
            b"\n\n" + event,
            event + forge_record(after)[0] + seal,
            seal + forge_record(after_seal)[0],
            seal + event,
        ):
            record, _ = encode_event(message_event(70, (prefix + attack).decode("utf-8")), head)
            for cut in range(len(record)):
                parsed = parse(append_events(FEW + record[:cut]))
                assert [logged.event.id for logged in parsed.events] == ["e1"]
                assert parsed.damage == ()


def test_a_forged_event_in_a_damaged_record_is_never_an_event() -> None:
    head = parse(FEW).state.head
    event, _ = forge_record(head)
    seal, after_seal = encode_seal(b"", head)
    victim = message_event(
        70, "\n\n" + event.decode("utf-8") + seal.decode("utf-8") + forge_record(after_seal)[0].decode("utf-8")
    )
    record, after = encode_event(victim, head)
    last, _ = encode_event(message_event(71), after)
    for at in range(len(record)):
        for changed in flip_byte(record, at):
            assert {count.id for count in read(FEW + changed + last)} <= {"e1", "e71"}


@pytest.mark.req("X-48")
@BOUNDED
@given(st.lists(hostile_text, min_size=1, max_size=3), st.integers(1, 400))
def test_no_content_cut_anywhere_hides_or_makes_up_events(contents: list[str], back: int) -> None:
    events = [message_event(number, content) for number, content in enumerate(contents)]
    data = log_of(events)
    count = records(events)
    cut = max(len(count[0]), len(data) - back)

    events_left = read(append_events(data[:cut], *MORE))

    assert events_left == [e for n, e in enumerate(events, start=2) if sum(map(len, count[:n])) <= cut] + list(MORE)


def valid(block: bytes, marker: bytes, head: str = "") -> bytes:
    """A record with the right hash around whatever `block` is."""
    return block + b"<!-- end %b hash=%b -->\n\n" % (marker, chain(head, block).encode("ascii"))


HEADING = b"## 2026-11-22T14:03:22.481Z user e1\n"


def test_a_record_that_only_the_hash_speaks_for_is_damage(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [
        valid(HEADING + b"<!-- {} -->\n```text\n\xff\n```\n", b"e1 bytes=1"),
        valid(HEADING + b"<!-- {} -->\n```text\na\n```\n", b"e2 bytes=1"),
        valid(HEADING + b"<!-- {} -->\n```text\na\n```\n", b"e1 bytes=2"),
        valid(HEADING + b"<!-- {} -->\n```text\na\n````\n", b"e1 bytes=1"),
        valid(HEADING + b"<!-- {} -->\n```text\n```\n", b"e1 bytes=0"),
        valid(HEADING + b"<!-- {]} -->\n```text\na\n```\n", b"e1 bytes=1"),
        valid(HEADING + b"<!-- {" + b'"a":[' * 5000 + b"} -->\n```text\na\n```\n", b"e1 bytes=1"),
        valid(HEADING + b'<!-- {"\xff":1} -->\n```text\na\n```\n', b"e1 bytes=1"),
        valid(HEADING + b'<!-- {"esc":1} -->\n```text\n\\x\n```\n', b"e1 bytes=2"),
        valid(HEADING.replace(b"-11-", b"-13-") + b"<!-- {} -->\n```text\na\n```\n", b"e1 bytes=1"),
        valid(b"# x\n<!-- {} -->\n", b"header bytes=16"),
        valid(b"# x\n<!-- {} -->\n", b"header bytes=15"),
        valid(b"\n> [!seal] torn record above, 0 bytes ignored\n", b"seal bytes=0"),
    ]
    for data in cases:
        with subtests.test(data=data):
            parsed = parse(data)

            assert (parsed.events, parsed.header, parsed.torn) == ((), None, None)
            assert len(parsed.damage) == 1
            assert parsed.damage[0].length == len(data)


@BOUNDED
@given(st.binary(max_size=60), st.integers(0, len(DATA)), st.integers(0, len(DATA)), st.integers(1, 3))
@example(b"", 0, 0, 1)
@example(b"\n", 0, len(DATA), 1)
def test_any_bytes_whatever_can_be_read_and_appended_to(noise: bytes, at: int, until: int, times: int) -> None:
    data = DATA[:at] + noise * times + DATA[until:]

    parsed = parse(data)
    longer = append_events(data, *MORE)

    assert longer.startswith(data)
    assert set(read(data)) <= set(EVENTS)
    assert read(longer)[-2:] == list(MORE)
    covered = sum(gap.length for gap in (*parsed.damage, *parsed.seals)) + (parsed.torn.length if parsed.torn else 0)
    assert covered <= len(data)


def test_a_file_of_headings_without_ends_is_read_in_linear_time() -> None:
    data = HEADING * 20_000

    assert parse(data).events == ()


def one_by_one(data: bytes, start: LogState | None = None) -> tuple[list[Record], ParsedLog]:
    """Result of a reading that examines each record by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_parser._Reader, "plain", lambda _: False)
        return log_parser.read(data, start)


def test_a_byte_that_was_changed_is_noticed_in_a_run_of_events_as_it_is_in_one() -> None:
    data = log_of(
        [
            *EVENTS[:2],
            message_event(20, "several\nlines"),
            message_event(21, "` and more", Kind.TOOL_RESULT, esc="1"),
            *MORE,
        ]
    )

    for at in range(len(data)):
        for changed in flip_byte(data, at):
            assert log_parser.read(changed) == one_by_one(changed), f"byte {at}"


@BOUNDED
@given(st.lists(hostile_events, max_size=5), st.binary(max_size=8), st.integers(0, 3000), st.integers(0, 40))
@example([message_event(1, "a"), message_event(2, "b")], b"", 3000, 0)
def test_a_run_of_events_is_read_as_one_by_one(events: list[Event], noise: bytes, at: int, gone: int) -> None:
    whole = log_of(events)
    for data in (whole, whole[:at] + noise + whole[at + gone :], append_events(whole[:at] + noise, *MORE)):
        assert log_parser.read(data) == one_by_one(data)


def test_what_is_odd_about_a_record_is_odd_in_a_run_too(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [
        valid(HEADING + b"<!-- {} -->\n```text\na\n```\n", b"e1 bytes=1"),
        valid(HEADING + b"<!-- {} -->\n```text\na\n```\n", b"e1 bytes=01"),
        valid(HEADING + b"<!-- {} -->\n```text\n```\n", b"e1 bytes=-4"),
        valid(HEADING + b"<!-- {} -->\n```text\n\xff\n```\n", b"e1 bytes=1"),
        valid(HEADING + b'<!-- {"esc":1} -->\n```text\n\\\\\n```\n', b"e1 bytes=2"),
        valid(HEADING + b'<!-- {"_esc":1} -->\n```text\na\n```\n', b"e1 bytes=1"),
        valid(HEADING + b'<!-- {"\\u005fesc":1} -->\n```text\na\n```\n', b"e1 bytes=1"),
        valid(HEADING + b"<!-- {]} -->\n```text\na\n```\n", b"e1 bytes=1"),
        valid(HEADING + b'<!-- {"a":1}{} -->\n```text\na\n```\n', b"e1 bytes=1"),
        valid(HEADING + b"<!-- {} -->\n```text\na\n````\n", b"e1 bytes=1"),
        valid(HEADING.replace(b"-11-", b"-13-") + b"<!-- {} -->\n```text\na\n```\n", b"e1 bytes=1"),
        valid(HEADING + b"<!-- {} -->\n```text\na\n```\n", b"e1 bytes=1") + b"> [!seal] x",
    ]
    for data in cases:
        with subtests.test(data=data):
            for start in (None, LogState(offset=70, line=9, empty=False)):
                assert log_parser.read(data, start) == one_by_one(data, start)


def test_records_say_what_events_say() -> None:
    data = append_events(DATA[:-40], *MORE)
    count, rest = log_parser.read(data)
    parsed = parse(data)

    assert [(one.line, one.offset) for one in count] == [(one.line, one.offset) for one in parsed.events]
    assert [(one.id, one.at, one.kind, one.content, one.meta_json) for one in count] == [
        (event.id, event.at, event.kind, event.content, event.meta_json) for event in read(data)
    ]
    assert all(one.meta == meta_dict(one.meta_json) for one in count)
    assert (rest.events, rest.seals, rest.state) == ((), parsed.seals, parsed.state)
