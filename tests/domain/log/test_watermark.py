"""The file of watermarks: what is written is read again, and what is damaged never says that more was read."""

from __future__ import annotations

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.watermark import ENDLESS, Gap, Watermark, line_of, parse_line, unreadable_lines, watermarks_in
from messages.base import Surface
from tests.domain.log.logs import BOUNDED

IDS = st.integers(min_value=0, max_value=(1 << 63) - 1)
GAPS = st.lists(IDS, max_size=6, unique=True).map(
    lambda ids: tuple(Gap(*pair) for pair in zip(sorted(ids)[::2], sorted(ids)[1::2], strict=False))
)
SURFACES = st.sampled_from([each for each in Surface if each is not Surface.CLI])
WATERMARKS = st.builds(Watermark, surface=SURFACES, first=IDS, upto=IDS, gaps=GAPS)
CHANNELS = st.integers(min_value=1, max_value=3)


@BOUNDED
@given(IDS, WATERMARKS)
def test_a_line_gives_back_what_was_written(channel_id: int, watermark: Watermark) -> None:
    line = line_of(channel_id, watermark)
    assert line.endswith(b"\n")
    assert parse_line(line[:-1]) == (channel_id, watermark)


@BOUNDED
@given(st.lists(st.tuples(CHANNELS, WATERMARKS), max_size=6))
def test_of_a_channel_the_last_line_counts(written: list[tuple[int, Watermark]]) -> None:
    data = b"".join(line_of(*each) for each in written)
    assert watermarks_in(data) == dict(written)
    assert unreadable_lines(data) == 0


@BOUNDED
@given(st.lists(st.tuples(CHANNELS, WATERMARKS), min_size=1, max_size=4), st.data())
def test_a_file_cut_short_says_what_it_said_before(written: list[tuple[int, Watermark]], data: st.DataObject) -> None:
    whole = b"".join(line_of(*each) for each in written)
    cut = data.draw(st.integers(min_value=0, max_value=len(whole)))
    line_count = whole[:cut].count(b"\n")
    torn = whole[:cut].rpartition(b"\n")[2]
    is_whole = bool(torn) and whole[cut : cut + 1] == b"\n"
    assert watermarks_in(whole[:cut]) == dict(written[: line_count + is_whole])
    continued = whole[:cut] + b"\n" + line_of(9, written[0][1])
    assert watermarks_in(continued) == dict(written[: line_count + is_whole]) | {9: written[0][1]}
    assert unreadable_lines(continued) == (bool(torn) and not is_whole)


@BOUNDED
@given(st.tuples(CHANNELS, WATERMARKS), st.data())
def test_a_line_of_which_any_byte_changed_says_nothing(entry: tuple[int, Watermark], data: st.DataObject) -> None:
    line = bytearray(line_of(*entry)[:-1])
    place = data.draw(st.integers(min_value=0, max_value=len(line) - 1))
    line[place] ^= data.draw(st.integers(min_value=1, max_value=255))
    assert watermarks_in(bytes(line) + b"\n") == {}


def test_gaps_that_are_none_are_refused(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["5", "5-", "-5", "5-4", "5-5", "1-2-3", "1-2,,5-4"]
    for gaps in cases:
        with subtests.test(gaps=gaps):
            watermark = Watermark(surface=Surface.DISCORD_DM, first=0, upto=9)
            text = line_of(7, watermark).partition(b" hash=")[0] + gaps.encode()
            line = b"%s hash=%s" % (text, blake2b(text, digest_size=8).hexdigest().encode())
            with pytest.raises(ValueError, match=r"two ids are expected"):
                parse_line(line)
            assert unreadable_lines(line) == 1


def test_an_endless_gap_is_above_every_id_and_no_more_than_a_signed_integer_of_64_bits() -> None:
    assert int("7fffffffffffffff", 16) == ENDLESS
