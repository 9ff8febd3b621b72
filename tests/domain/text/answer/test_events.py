"""Splitting of streams, wherever the network cuts them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.answer.chunk import Chunk
from domain.text.answer.events import EventStream, LineTooLongError
from tests.pace import paced_s

TEXTS = ["Hello", " ", "Grüße 👋", "a\u2028b\x85c", "[DONE]", "data: x", ""]


def event(text: str, end: str = "\n") -> bytes:
    body = {"id": "1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return f"data: {json.dumps(body, ensure_ascii=False)}{end}{end}".encode()


def texts(chunks: list[Chunk]) -> list[object]:
    return [choice.delta.content for chunk in chunks for choice in chunk.choices or () if choice.delta is not None]


def read(pieces: list[bytes]) -> tuple[list[object], bool]:
    stream = EventStream()
    chunks = [chunk for piece in pieces for chunk in stream.feed(piece)]
    return texts([*chunks, *stream.end()]), stream.is_done


@given(st.lists(st.integers(0, 2000), max_size=12), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_a_stream_says_the_same_wherever_it_is_cut(cuts: list[int], end: str, has_end: bool) -> None:
    whole = b"".join([b": awake" + end.encode(), *(event(text, end) for text in TEXTS)])
    if has_end:
        whole += b"data: [DONE]" + 2 * end.encode()
    places = sorted({min(cut, len(whole)) for cut in cuts})
    pieces = [whole[a:b] for a, b in zip([0, *places], [*places, len(whole)], strict=True)]

    assert read(pieces) == (TEXTS, has_end)


def test_a_stream_says_the_same_byte_by_byte() -> None:
    whole = b"".join(event(text, "\r\n") for text in TEXTS)

    assert read([whole[at : at + 1] for at in range(len(whole))]) == (TEXTS, False)


def test_what_is_no_chunk_is_left_out(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [
        b"event: message",
        b"id: 7",
        b": comment",
        b"data:",
        b"data: null",
        b"data: [1]",
        b"data: {broken",
        b'data: {"choices": 7}',
        b"\xff\xfe",
        b"<html>",
        b"data: " + b"[" * 100_000,
        b"data: " + b'{"a":' * 100_000,
    ]
    for line in cases:
        with subtests.test(line=line):
            assert read([event("a"), line + b"\n\n", event("b")]) == (["a", "b"], False)


def test_half_a_surrogate_pair_comes_through() -> None:
    line = rb'data: {"choices": [{"delta": {"content": "\ud83d"}}]}' + b"\n\n"

    assert read([line]) == (["\ud83d"], False)


def test_a_last_line_without_an_end_counts_if_it_is_whole() -> None:
    assert read([event("a").rstrip()]) == (["a"], False)
    assert read([event("a").rstrip()[:-1]]) == ([], False)


def test_a_line_without_an_end_is_given_up() -> None:
    stream = EventStream(most_line_bytes=1000)
    stream.feed(b"x" * 600)

    with pytest.raises(LineTooLongError, match="longer than 1000 bytes"):
        stream.feed(b"x" * 600)


def test_a_line_in_pieces_costs_each_byte_once() -> None:
    stream = EventStream()

    def feed() -> None:
        for _ in range(300_000):
            stream.feed(b"x")

    assert paced_s(feed) < 3.0


def test_what_was_counted_comes_through_as_it_is(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [{"prompt_tokens": 1}, None, "many"]
    for usage in cases:
        with subtests.test(usage=usage):
            (chunk,) = EventStream().feed(b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n")

            assert chunk.usage == usage
