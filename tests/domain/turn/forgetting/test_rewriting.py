from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.event import Event, Kind, event
from domain.log.format import encode_event
from domain.log.metadata import MetaValue
from domain.log.parser import parse
from domain.log.tail import tail_state
from domain.log.view import findings
from domain.turn.forgetting.rewriting import forget_words
from messages.base import EventId
from tests.domain.log.logs import (
    BOUNDED,
    START,
    append_events,
    hostile_events,
    hostile_text,
    log_of,
    message_event,
    metadata,
)

QUOTE: dict[str, MetaValue] = {"message_id": "41", "author": "Bob", "text": "the secret of Bob", "shown": False}
SHORTEST = st.builds(
    event, st.just("a"), st.just(START), st.sampled_from(Kind), st.sampled_from(("", "x")), st.just({})
)


def with_short_ids(events: list[Event]) -> list[Event]:
    """The events with ids of their own, as short as they can be."""
    return [event(chr(97 + n), each.at, each.kind, each.content, each.meta_dict()) for n, each in enumerate(events)]


def shape(data: bytes) -> list[tuple[int, int]]:
    """Offset and line of each event of a log, forgotten ones included."""
    log = parse(data)
    return sorted(
        {(each.offset, each.line) for each in log.events} | {(each.offset, each.line) for each in log.forgotten}
    )


def quoting(number: int, content: str) -> Event:
    """A message that quotes another message."""
    at = message_event(number).at
    return event(f"e{number}", at, Kind.USER, content, {"author": "Alice", "message_id": "42", "quote": QUOTE})


def sealed_log() -> bytes:
    """A log with a record that a crash cut short, whose secret its seal keeps."""
    data = log_of([message_event(1)])
    torn, _ = encode_event(message_event(2, "the secret of Bob"), parse(data).state.head)
    return append_events(data + torn[:-30], message_event(3, "later"))


@pytest.mark.req("X-245")
@given(st.lists(hostile_events | SHORTEST, min_size=1, max_size=4), st.integers(0, 15))
@BOUNDED
def test_a_forgotten_record_is_as_long_and_leaves_all_others_where_they_were(events: list[Event], chosen: int) -> None:
    events = with_short_ids(events)
    data = log_of(events)
    gone = {each.id for n, each in enumerate(events) if chosen >> n & 1}

    rewritten = forget_words(data, gone, (), "abcdefgh")

    log = parse(rewritten)
    assert (len(rewritten), rewritten.count(b"\n"), shape(rewritten)) == (len(data), data.count(b"\n"), shape(data))
    assert findings(log) == ()
    assert [each.event for each in log.events] == [each for each in events if each.id not in gone]
    assert [each.id for each in log.forgotten] == [each.id for each in events if each.id in gone]
    assert forget_words(rewritten, gone, (), "other") == rewritten


@given(hostile_text, metadata)
@BOUNDED
def test_nothing_of_the_words_and_names_stays(content: str, meta: dict[str, str]) -> None:
    secret = "hunter22"
    worded = event("e1", START, Kind.USER, f"{content}{secret}{content}", {**meta, "author": secret, secret: secret})

    rewritten = forget_words(log_of([message_event(0), worded, message_event(2)]), {worded.id}, (), "f1")

    assert secret.encode() not in rewritten
    assert [each.event.id for each in parse(rewritten).events] == ["e0", "e2"]


def test_a_forgotten_record_keeps_ids_and_names_its_request() -> None:
    worded = message_event(1, "words", author="Bob", message_id="77", turn="Bob was here")

    (gone,) = parse(forget_words(log_of([worded]), {worded.id}, (), "abcdefgh")).forgotten

    assert (gone.id, gone.kind, gone.at, gone.line) == ("e1", Kind.USER, worded.at, 5)
    assert gone.meta_json == '{"forgot":"abcdefgh","message_id":"77"}'


@given(hostile_text)
@BOUNDED
def test_of_a_quoting_message_only_the_quotation_is_forgotten(content: str) -> None:
    data = log_of([quoting(1, content), message_event(2)])

    rewritten = forget_words(data, (), {EventId("e1")}, "abcdefgh")

    log = parse(rewritten)
    assert (len(rewritten), rewritten.count(b"\n"), shape(rewritten)) == (len(data), data.count(b"\n"), shape(data))
    assert b"the secret of Bob" not in rewritten
    assert b'"Bob"' not in rewritten
    assert [each.event.content for each in log.events] == [content, "hello"]
    assert log.events[0].event.meta_dict() == {"author": "Alice", "forgot": "abcdefgh", "message_id": "42"}
    assert (findings(log), [each.is_quote for each in log.forgotten]) == ((), [True])
    assert [each.event.id for each in parse(forget_words(rewritten, {EventId("e1")}, (), "later")).events] == ["e2"]


@pytest.mark.req("X-245")
def test_every_changed_byte_of_a_forgotten_record_is_noticed() -> None:
    data = forget_words(
        log_of([message_event(1), quoting(2, "kept"), message_event(3)]), {EventId("e1")}, {EventId("e2")}, "f1"
    )
    whole = parse(data)
    for place in range(whole.forgotten[0].offset, len(data)):
        for other in {0x20, 0x0A, data[place] ^ 1} - {data[place]}:
            changed = parse(data[:place] + bytes([other]) + data[place + 1 :])

            assert changed.damage or changed.torn, (place, other)


def test_a_forgotten_log_cut_at_any_byte_yields_exactly_the_whole_records() -> None:
    events = [message_event(1), quoting(2, "kept"), message_event(3)]
    data = forget_words(log_of(events), {EventId("e1")}, {EventId("e2")}, "f1")
    starts = [offset for offset, _ in shape(data)]
    for cut in range(len(data) + 1):
        log = parse(data[:cut])

        assert log.damage == ()
        assert log.state.offset <= cut
        assert [offset for offset, _ in shape(data[:cut])] == [each for each in starts if each < log.state.offset]


def test_a_log_with_forgotten_records_goes_on_and_may_be_torn() -> None:
    data = forget_words(log_of([message_event(1), message_event(2)]), {EventId("e2")}, (), "f1")

    log = parse(append_events(data + b"## 2026-11-22T14:03:25.", message_event(3, "later")))

    assert [each.event.id for each in log.events] == ["e1", "e3"]
    assert (findings(log), len(log.seals)) == ((), 1)


@pytest.mark.req("X-245")
def test_the_words_of_a_record_that_a_crash_cut_short_go_with_any_others() -> None:
    data = sealed_log()
    assert b"the secret of Bob" in data

    rewritten = forget_words(data, {EventId("e1")}, (), "f1")

    log = parse(rewritten)
    assert b"secret" not in rewritten
    assert (len(rewritten), rewritten.count(b"\n")) == (len(data), data.count(b"\n"))
    assert (findings(log), [each.event.id for each in log.events], len(log.seals)) == ((), ["e3"], 1)
    assert forget_words(rewritten, {EventId("e1")}, (), "f1") == rewritten


def test_every_changed_byte_of_a_forgotten_seal_is_noticed() -> None:
    data = forget_words(sealed_log(), (), (), "f1")
    seal = parse(data).seals[0]
    for place in range(seal.offset, seal.offset + seal.length + 20):
        changed = parse(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])

        assert changed.damage, place


@pytest.mark.parametrize("torn", [b"", b"## 2026-11-22T14:03:25.000Z user e9\n<!-- {} -->\n```text\nthe secret of Bob"])
def test_words_of_changed_places_and_of_a_torn_end_go_and_all_else_stays(torn: bytes) -> None:
    data = (
        log_of([message_event(1), message_event(2, "the secret of Bob"), message_event(3), message_event(4)]).replace(
            b"of Bob\n", b"of Rob\n"
        )
        + torn
    )
    before = parse(data)

    rewritten = forget_words(data, {EventId("e3")}, (), "f1")

    log = parse(rewritten)
    assert b"secret" not in rewritten
    assert shape(rewritten) == shape(data)
    assert [each.event.id for each in log.events] == ["e1", "e4"]
    assert (len(log.damage), log.torn is None) == (len(before.damage), before.torn is None)


def test_the_tail_of_a_forgotten_log_is_known_to_be_whole() -> None:
    data = forget_words(log_of([message_event(1), message_event(2, message_id="77")]), {EventId("e2")}, (), "f1")

    state = tail_state(data, from_start=True)

    assert (state.clean, state.last_message_id, state.last and state.last.id) == (True, 77, "e2")
