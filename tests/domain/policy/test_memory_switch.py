"""Switches of memory: the nearest place decides, and of a place the last switch before the message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.memory_switch import (
    NO_SWITCHES,
    NOW,
    MemorySwitch,
    MemorySwitches,
    read_switches,
    write_switches,
)

SWITCHES = st.builds(
    MemorySwitch,
    place=st.sampled_from(("1", "2", "3")),
    number=st.integers(0, 1 << 63),
    is_off=st.booleans(),
    by=st.sampled_from(("17", "operator")),
)


def make_switch(place: str, number: int, *, is_off: bool) -> MemorySwitch:
    return MemorySwitch(place=place, number=number, is_off=is_off, by="17")


@pytest.mark.req("X-251")
def test_a_message_is_off_the_record_by_the_time_when_it_was_written() -> None:
    switches = NO_SWITCHES.add(make_switch("5", 20, is_off=False)).add(make_switch("5", 10, is_off=True))
    states = [switches.is_off(("5",), number, by_settings=False) for number in (5, 11, 20, 21, NOW)]
    assert states == [False, True, True, False, False]


@pytest.mark.req("X-251")
def test_the_nearest_place_that_was_switched_decides_and_then_the_settings() -> None:
    switches = NO_SWITCHES.add(make_switch("channel", 10, is_off=True)).add(make_switch("thread", 12, is_off=False))
    assert switches.is_off(("other", "channel"), 15, by_settings=False)
    assert not switches.is_off(("thread", "channel"), 15, by_settings=True)
    assert switches.is_off(("elsewhere",), 15, by_settings=True)


@given(st.lists(SWITCHES, max_size=6))
def test_the_file_gives_back_what_was_written(switches: list[MemorySwitch]) -> None:
    whole = MemorySwitches()
    for each in switches:
        whole = whole.add(each)
    assert read_switches(write_switches(whole)) == whole


def test_a_line_that_is_no_switch_is_passed_over() -> None:
    assert read_switches(b"5 10 off 17\n5 x on 17\n\xff\n").switches == (make_switch("5", 10, is_off=True),)
