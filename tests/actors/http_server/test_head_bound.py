from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.http_server.head_bound import HeadBound


class Inner(asyncio.Protocol):
    """Protocol that records data."""

    def __init__(self) -> None:
        self.got = b""

    def data_received(self, data: bytes) -> None:
        self.got += data


class Line(asyncio.Transport):
    """Transport that records only the end."""

    is_ended = False

    said = b""

    def write(self, data: Any) -> None:
        self.said += data

    def is_closing(self) -> bool:
        return self.is_ended

    def close(self) -> None:
        assert self.said.startswith(b"HTTP/1.1 431 ")
        self.is_ended = True

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default


def pass_pieces(pieces: list[bytes], most_bytes: int) -> tuple[bytes, bool]:
    inner, line = Inner(), Line()
    bound = HeadBound(inner, most_bytes)
    bound.connection_made(line)
    for piece in pieces:
        if not line.is_ended:
            bound.data_received(piece)
    return inner.got, line.is_ended


@given(st.integers(1, 40), st.binary(max_size=60), st.lists(st.integers(0, 120), max_size=8))
def test_a_head_within_the_bound_passes_with_all_behind_it_however_it_is_cut(
    size: int, body: bytes, cuts: list[int]
) -> None:
    whole = b"x" * size + b"\r\n\r\n" + body
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    pieces = [whole[start:end] for start, end in itertools.pairwise(places)]

    assert pass_pieces(pieces, size + 4) == (whole, False)
    assert pass_pieces(pieces, size + 3)[1] is True


def test_a_head_that_never_ends_is_ended_at_the_bound(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"x", b"\r\n", b"X-A: b\r\n"]
    for piece in cases:
        with subtests.test(piece=piece):
            got, is_ended = pass_pieces([piece if piece != b"\r\n" else b"\r\nx"] * 1_000, 100)

            assert is_ended
            assert len(got) <= 100


def test_line_ends_before_a_head_are_not_its_end(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"\r\n\r\n", b"\r\n" * 40, b"\n\n"]
    for blank in cases:
        with subtests.test(blank=blank):
            assert pass_pieces([blank, b"x" * 90, b"x" * 90], 100)[1] is True
            assert pass_pieces([blank[:2], blank[2:], b"GET\r\n\r\n"], 100)[1] is False
