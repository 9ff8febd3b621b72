from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.answer import MOST_CHARS, MOST_EVENT, StreamText, text_of_answer


def event(content: object, index: int = 0, finish: str | None = None) -> bytes:
    choice = {"index": index, "delta": {"content": content}, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


STREAM = (
    b": comment\r\n\r\n"
    + event("Hel")
    + event("lo ä").replace(b"\n", b"\r\n")
    + event("other", index=1)
    + event(None)
    + b'data: {"choices": []}\n\ndata: not JSON\n\nevent: x\n\n'
    + event("!", finish="stop")
    + b'data: {"choices": [], "usage": {"total_tokens": 3}}\n\ndata: [DONE]\n\n'
)


@given(st.lists(st.integers(0, len(STREAM)), max_size=30))
def test_the_text_of_a_stream_is_the_same_wherever_its_bytes_are_cut(cuts: list[int]) -> None:
    reader = StreamText()
    edges = [0, *sorted(cuts), len(STREAM)]
    for begin, end in itertools.pairwise(edges):
        reader.feed(STREAM[begin:end])

    assert reader.text == "Hello ä!"
    assert reader.is_done


def test_a_stream_that_breaks_off_is_not_done() -> None:
    reader = StreamText()
    reader.feed(event("Hel") + b'data: {"choices": [{"delta": {"content": "lo')

    assert (reader.text, reader.is_done) == ("Hel", False)


def test_an_event_over_several_lines_is_one() -> None:
    reader = StreamText()
    reader.feed(b'data: {"choices": [{"delta":\ndata: {"content": "x"}}]}\n\n')

    assert reader.text == "x"


def test_a_stream_without_end_is_bounded() -> None:
    reader = StreamText()
    for _ in range(30):
        reader.feed(event("x" * 50_000))
    reader.feed(b"data: " + b"y" * 9_000_000)

    assert len(reader.text) == MOST_CHARS


def test_the_text_of_an_answer_is_that_of_its_first_choice(subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, str]] = [
        ({"choices": [{"message": {"content": "x"}}]}, "x"),
        ({"choices": [{"index": 1, "message": {"content": "b"}}, {"index": 0, "message": {"content": "a"}}]}, "a"),
        ({"choices": [{"message": {"content": None, "tool_calls": []}}]}, ""),
        ({"choices": [{"message": {"content": [{"type": "text", "text": "x"}]}}]}, "x"),
        ({"choices": []}, ""),
        ({"error": {}}, ""),
        ([], ""),
        ({"choices": "x"}, ""),
    ]
    for answer, text in cases:
        with subtests.test(answer=answer, text=text):
            assert text_of_answer(json.dumps(answer).encode()) == text


def test_what_is_no_answer_has_no_text() -> None:
    assert text_of_answer(b"\xff") == text_of_answer(b"[" * 100_000) == ""


def test_half_a_character_is_joined_with_the_other_half_or_marked() -> None:
    reader = StreamText()
    reader.feed(event("a\ud83d") + event("\ude00b") + event("\ud83d"))

    assert reader.text == "a😀b\ufffd"
    assert text_of_answer(rb'{"choices":[{"message":{"content":"a\ud83d"}}]}') == "a\ufffd"


def test_an_odd_choice_spoils_no_other(subtests: pytest.Subtests) -> None:
    cases: list[str] = ['{"index": null}', "null", "3", '{"delta": "x"}', '{"delta": {"content": 3}}', '{"n": NaN}']
    for odd in cases:
        with subtests.test(odd=odd):
            choice = '{"index": null, "delta": {"content": "x"}}'
            reader = StreamText()
            reader.feed(f'data: {{"choices": [{odd}, {choice}], "n": 1e999}}\n\n'.encode())

            assert reader.text == "x"


def test_an_event_that_is_too_long_is_passed_over_whole(subtests: pytest.Subtests) -> None:
    cases_of_size: list[int] = [1 << 16, MOST_EVENT * 2]
    cases_of_end: list[bytes] = [b"\n", b"\r\n"]
    for size in cases_of_size:
        for end in cases_of_end:
            with subtests.test(size=size, end=end):
                reader = StreamText()
                lines = (
                    b'data: {"choices": [{"delta": {"content": "',
                    b"x" * (MOST_EVENT + 1),
                    b'"}}]}',
                    event("evil").strip(),
                )
                stream = b"".join(lines[:3]) + end + lines[3] + end * 2 + event("after").replace(b"\n", end)
                for at in range(0, len(stream), size):
                    reader.feed(stream[at : at + size])

                assert reader.text == "after"


def test_an_event_in_many_small_pieces_takes_no_longer_than_its_length() -> None:
    reader = StreamText()
    reader.feed(b'data: {"x": "')
    for _ in range(200_000):
        reader.feed(b"xxxxxxxx")
    reader.feed(b'", "choices": [{"delta": {"content": "x"}}]}\n\n')

    assert reader.text == "x"


@given(st.binary(), st.lists(st.binary()))
def test_no_bytes_are_an_error(body: bytes, chunks: list[bytes]) -> None:
    reader = StreamText()
    for chunk in chunks:
        reader.feed(b"data: " + chunk + b"\n\n")

    assert (reader.text, text_of_answer(body)) == ("", "")
