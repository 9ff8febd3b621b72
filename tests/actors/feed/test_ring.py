"""Ring of events: size and positions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from actors.feed.ring import Ring


@given(
    lines=st.lists(st.text(max_size=8), max_size=30),
    most=st.integers(1, 10),
    most_chars=st.integers(1, 40),
    place=st.integers(0, 40),
    budget=st.integers(1, 40),
)
def test_what_is_given_is_what_stands_behind_a_place_as_far_as_it_is_kept(
    lines: list[str], most: int, most_chars: int, place: int, budget: int
) -> None:
    ring = Ring(most, most_chars)
    for line in lines:
        ring.add(line)
    place = min(place, ring.last)
    given, last, missed = ring.after(place, budget)

    assert ring.last == len(lines)
    assert len(ring) <= most
    assert len(ring) == bool(lines) or sum(map(len, lines[-len(ring) :])) <= most_chars
    assert given == tuple(lines[place + missed : last])
    assert missed == max(0, len(lines) - len(ring) - place)
    assert len(given) <= 1 or sum(map(len, given)) <= budget
    assert bool(given) == (place < ring.last)


def test_reading_piece_by_piece_gives_all_of_it_once() -> None:
    ring = Ring(100, 10_000)
    for number in range(20):
        ring.add(f"{number:05}")
    place, read = 0, list[str]()
    while place < ring.last:
        lines, place, missed = ring.after(place, 12)
        assert (len(lines), missed) == (2, 0)
        read.extend(lines)
    assert read == [f"{number:05}" for number in range(20)]


def test_what_was_cleared_is_missed_and_places_go_on() -> None:
    ring = Ring(100, 10_000)
    ring.add("one")
    ring.clear()
    ring.add("two")
    assert ring.after(0, 100) == (("two",), 2, 1)
