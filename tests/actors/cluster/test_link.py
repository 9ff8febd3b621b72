from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.cluster.link import BATCH_BYTES, GATHER_S, MANY, Link


@dataclass
class Time:
    at: float = 0.0

    def __call__(self) -> float:
        return self.at


@dataclass
class Wire:
    """Carries batches both ways, in whatever way a test wants."""

    time: Time = field(default_factory=Time)
    on_way: list[tuple[int, int, list[bytes]]] = field(default_factory=list)
    got: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sender = Link(self.time, batch_items=3, window_items=7, resend_s=2.0)
        self.receiver = Link(self.time, batch_items=3, window_items=7, resend_s=2.0)

    def send(self) -> None:
        first, items = self.sender.batch()
        self.on_way.append((self.sender.ack, first, items))

    def arrive(self, index: int, *, stays: bool = False) -> None:
        if self.on_way:
            _ack, first, items = self.on_way[index % len(self.on_way)]
            if not stays:
                del self.on_way[index % len(self.on_way)]
            for number, item in self.receiver.receive(first, items):
                self.numbers.append(number)
                self.got.append(item)


def item(number: int) -> bytes:
    return b"item %d" % number


STEPS = st.one_of(
    st.tuples(st.just("put"), st.integers(1, 5)),
    st.tuples(st.just("send"), st.just(0)),
    st.tuples(st.just("arrive"), st.integers(0, 9)),
    st.tuples(st.just("twice"), st.integers(0, 9)),
    st.tuples(st.just("lose"), st.integers(0, 9)),
    st.tuples(st.just("acknowledge"), st.just(0)),
    st.tuples(st.just("wait"), st.integers(1, 3)),
    st.tuples(st.just("rewind"), st.just(0)),
)


@pytest.mark.req("X-154")
@given(st.lists(STEPS, max_size=60))
def test_whatever_is_lost_doubled_reordered_or_delayed_the_same_sequence_comes_out(
    steps: list[tuple[str, int]],
) -> None:
    wire, put = Wire(), 0
    for name, value in steps:
        if name == "put":
            for _ in range(value):
                assert wire.sender.put(item(put)) == put
                put += 1
        elif name == "lose" and wire.on_way:
            del wire.on_way[value % len(wire.on_way)]
        elif name == "wait":
            wire.time.at += value
        elif name == "acknowledge":
            wire.sender.acknowledge(wire.receiver.ack)
        acts: dict[str, Callable[[], None]] = {
            "send": wire.send,
            "arrive": lambda value=value: wire.arrive(value),  # type: ignore[misc]
            "twice": lambda value=value: wire.arrive(value, stays=True),  # type: ignore[misc]
            "rewind": wire.sender.rewind,
        }
        acts.get(name, lambda: None)()
        assert wire.got == [item(n) for n in range(len(wire.got))], "a beginning of what was put, in order, once each"
    for _ in range(put + 1):
        wire.time.at += 2.0
        wire.send()
        wire.arrive(-1)
        wire.sender.acknowledge(wire.receiver.ack)
    assert wire.got == [item(n) for n in range(put)]
    assert wire.numbers == list(range(put))
    assert wire.sender.unacknowledged == 0


def test_no_more_is_sent_than_the_window_holds_and_putting_never_waits() -> None:
    wire = Wire()
    for number in range(100):
        wire.sender.put(item(number))
    sent = [wire.sender.batch()[1] for _ in range(5)]

    assert [len(batch) for batch in sent] == [3, 3, 1, 0, 0]
    assert not wire.sender.has_batch()
    wire.sender.acknowledge(4)
    assert wire.sender.has_batch()
    assert wire.sender.batch() == (7, [item(7), item(8), item(9)])
    assert wire.sender.unacknowledged == 96


def test_what_is_not_acknowledged_in_time_is_sent_again() -> None:
    wire = Wire()
    wire.time.at = 5.0
    wire.sender.put(item(0))
    assert wire.sender.batch() == (0, [item(0)])
    wire.time.at = 6.9
    assert not wire.sender.has_batch()
    assert wire.sender.batch() == (1, [])
    wire.time.at = 7.0
    assert wire.sender.has_batch()
    assert wire.sender.batch() == (0, [item(0)])


def test_a_batch_ends_before_its_bytes_exceed_the_most_but_one_long_item_goes_alone() -> None:
    link = Link(Time())
    link.put(b"x" * (BATCH_BYTES + 1))
    link.put(b"y" * (BATCH_BYTES - 1))
    link.put(b"zz")

    assert [len(link.batch()[1]) for _ in range(3)] == [1, 1, 1]


def test_what_is_acknowledged_though_it_is_to_be_sent_again_is_not() -> None:
    wire = Wire()
    for number in range(3):
        wire.sender.put(item(number))
    wire.sender.batch()
    wire.sender.rewind()
    wire.sender.acknowledge(2)

    assert wire.sender.batch() == (2, [item(2)])


def test_an_acknowledgement_of_what_was_never_said_is_refused() -> None:
    with pytest.raises(ValueError, match="ack 1: only 0 items were ever put"):
        Link(Time()).acknowledge(1)


def test_an_idle_link_is_carried_at_once_and_a_busy_one_gathers_unless_there_is_much() -> None:
    time = Time(at=5.0)
    link = Link(time)
    link.put(b"a")
    assert link.gather_s() == 0
    link.batch()
    link.put(b"b")
    assert link.gather_s() == pytest.approx(GATHER_S)
    for _ in range(MANY):
        link.put(b"c")
    assert link.gather_s() == 0


def test_what_was_seen_or_is_beyond_the_window_is_dropped_and_takes_no_room() -> None:
    link = Link(Time(), window_items=7)
    assert link.receive(0, [item(0), item(1)]) == [(0, item(0)), (1, item(1))]
    assert link.receive(0, [item(0), item(1)]) == []
    assert link.receive(9, [item(9)]) == []
    assert link.receive(2, [item(2)]) == [(2, item(2))]
    later = [(number, item(number)) for number in range(3, 9)]
    assert link.receive(3, [each for _, each in later]) == later, "number 9 was dropped"
