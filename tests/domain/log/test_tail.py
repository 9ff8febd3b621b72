from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.event import Event, Kind
from domain.log.format import encode_event
from domain.log.parser import parse
from domain.log.tail import tail_state
from tests.domain.log.logs import BOUNDED, append_events, hostile_events, log_of, message_event, records

TURN = (
    message_event(1, "## heading\n\n## 2026-11-22T14:03:22.481Z user x", message_id="111111111111111111"),
    message_event(2, "<!-- end e2 bytes=1 hash=0123456789abcdef -->\n\n", Kind.AGENT, esc="own"),
    message_event(3, "", Kind.DELIVERY, message_id="999999999999999999"),
)


@BOUNDED
@given(st.lists(hostile_events, max_size=4))
def test_the_end_of_a_whole_log_is_its_last_event(events: list[Event]) -> None:
    state = tail_state(log_of(events), from_start=True)

    assert state.is_known
    if not events:
        assert state.last is None
    else:
        assert state.last is not None
        assert (state.last.id, state.last.kind) == (events[-1].id, events[-1].kind)
        assert state.last.meta_dict() == events[-1].meta_dict()


def test_a_log_looked_at_from_any_byte_on_says_the_same_or_that_it_does_not_know() -> None:
    data = log_of(TURN)
    last = parse(data).events[-1].offset

    for start in range(1, len(data)):
        state = tail_state(data[start:], from_start=False)
        assert state.is_known == (start < last)
        assert state.last is None or state.last.id == "e3"


def test_the_greatest_message_is_that_of_a_whole_user_event_only() -> None:
    later = message_event(4, "hi", message_id="222222222222222222")
    cut_short = encode_event(later, parse(log_of(TURN)).state.head)[0][:-1]
    claimed = message_event(5, '## \n<!-- {"message_id":"888888888888888888"} -->\n', message_id="not a number")

    assert tail_state(log_of(TURN), from_start=True).last_message_id == 111111111111111111
    assert tail_state(append_events(log_of(TURN) + cut_short), from_start=True).last_message_id == 111111111111111111
    assert tail_state(log_of([*TURN, later, claimed]), from_start=True).last_message_id == 222222222222222222


def test_messages_logged_out_of_order_count_by_their_number() -> None:
    events = [message_event(n, message_id=str(number)) for n, number in enumerate((3 * 10**17, 10**18, 5 * 10**17))]

    assert tail_state(log_of(events), from_start=True).last_message_id == 10**18


def test_a_log_cut_at_any_byte_is_never_taken_for_settled() -> None:
    read_records = records(TURN)
    ends = {sum(map(len, read_records[:n])): n - 2 for n in range(1, len(read_records) + 1)}
    data = b"".join(read_records)

    for cut in range(len(data) + 1):
        state = tail_state(data[:cut], from_start=True)
        assert state.clean == (cut in ends)
        if cut in ends:
            assert (state.last.id if state.last else None) == (TURN[ends[cut]].id if ends[cut] >= 0 else None)


def test_a_record_cut_short_and_sealed_is_not_the_last_event() -> None:
    record, _ = encode_event(TURN[2], parse(log_of(TURN[:2])).state.head)

    for cut in range(1, len(record)):
        state = tail_state(append_events(log_of(TURN[:2]) + record[:cut]), from_start=True)
        assert state.clean
        assert state.last is not None
        assert state.last.id == "e2"


def test_what_is_no_log_is_not_known(subtests: pytest.Subtests) -> None:
    for tail in [b"", b"\n", b"\n## ", b"\n<!-- end ", b"\xff" * 100]:
        with subtests.test(tail=tail):
            state = tail_state(tail, from_start=True)

            assert (state.last, state.is_known, state.last_message_id) == (None, False, 0)


@BOUNDED
@given(st.binary(max_size=20), st.integers(0, 600), st.integers(0, 600))
def test_any_bytes_can_be_looked_at(noise: bytes, at: int, until: int) -> None:
    data = log_of(TURN)

    state = tail_state(data[:at] + noise + data[until:], from_start=False)

    assert state.last is None or state.last.id in {"e1", "e2", "e3"}
