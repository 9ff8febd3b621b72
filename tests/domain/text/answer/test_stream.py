"""Reading of answers on their way, in every form that servers send them in."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.answer.events import LineTooLongError
from domain.text.answer.stream import AnswerStream


def event(content: object, index: int = 0, finish: str | None = None) -> bytes:
    choice = {"index": index, "delta": {"content": content}, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def line(**fields: object) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def read(*pieces: bytes) -> AnswerStream:
    answer = AnswerStream()
    for piece in pieces:
        answer.feed(piece)
    answer.end()
    return answer


STREAM = (
    b"\xef\xbb\xbf: comment\r\n\r\n"
    + event("Hel")
    + event("lo ä").replace(b"\n", b"\r\n")
    + event("other", index=1)
    + event(None).replace(b"\n", b"\r")
    + b'data: {"choices": []}\n\ndata: not JSON\n\nevent: x\n\n'
    + b'data: {"choices": [{"delta":\r\ndata: {"content": ", you"}}]}\r\n\r\n'
    + event("!", finish="stop")
    + b'data: {"choices": [], "usage": {"total_tokens": 3}}\n\ndata: [DONE]\n\n'
)
LINES = (
    b"\n"
    + line(message={"role": "assistant", "content": "Hello ä"}, done=False)
    + line(message={"content": ", you!"}, done=False)
    + line(message={"content": ""}, done=True, done_reason="stop", usage={"total_tokens": 3})
)
DOCUMENT = (
    b"\xef\xbb\xbf\r\n"
    + json.dumps(
        {
            "choices": [
                {"index": 1, "message": {"content": "other"}},
                {"index": 0, "message": {"content": [{"type": "text", "text": "Hello ä, you!"}]}},
            ],
            "usage": {"total_tokens": 3},
        },
        ensure_ascii=False,
        indent=1,
    ).encode()
)


@pytest.mark.req("X-224")
@given(st.sampled_from([STREAM, LINES, DOCUMENT]), st.lists(st.integers(0, 1000), max_size=30))
def test_an_answer_says_the_same_in_every_form_wherever_its_bytes_are_cut(whole: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    answer = read(*(whole[begin:end] for begin, end in itertools.pairwise(edges)))

    assert (answer.assembly.text, answer.usage) == ("Hello ä, you!", {"total_tokens": 3})
    assert answer.assembly.has_ended
    assert (answer.error, answer.has_holes) == (None, False)
    assert answer.is_stream == (whole is not DOCUMENT)


def test_line_ends_that_are_cut_in_two_are_one() -> None:
    cut = b'data: {"choices":\r', b'\ndata: [{"delta": {"content": "a"}}]}\r', b"\n\r", b"\n"
    assert (read(*cut).assembly.text, read(*cut).has_holes) == ("a", False)


@pytest.mark.req("X-224")
def test_a_report_of_an_error_is_heard_in_every_form_and_until_the_end_is_announced() -> None:
    begun, end = event("Half"), event(None, finish="stop") + b"data: [DONE]\n\n"
    cases: dict[str, tuple[bytes, bool]] = {
        "an object": (begun + b'data: {"error": {"message": "x"}}\n\n' + end, True),
        "words": (begun + b'data: {"error": "x"}\n\n' + end, True),
        "a line without a field": (begun + b'{"error": "x"}\n' + end, True),
        "a field of its own": (begun + b'error: {"code": 500, "message": "x"}\n\n' + end, True),
        "an event's name and words": (begun + b"event: error\ndata: out of memory\n\n" + end, True),
        "an event's name and an object": (begun + b'event: error\ndata: {"reason": "x"}\n\n' + end, True),
        "in the choice": (begun + b'data: {"choices": [{"delta": {}, "error": {"code": 502}}]}\n\n' + end, True),
        "words in other fields": (begun + b'data: {"msg": "x", "code": 500}\n\n' + end, True),
        "all in one piece with reasons": (event("a", finish="stop") + b'data: {"error": "x"}\n\n' + end, True),
        "behind the end": (begun + end + b'data: {"error": "x"}\n\n', False),
        "an event of another name": (begun + b"event: ping\ndata: out of memory\n\n" + end, False),
        "Ollama's line": (line(message={"content": "Half"}, done=False) + line(error="x"), True),
        "a document": (b'{"error": {"message": "x"}}', True),
        "a document's choice": (b'{"choices": [{"message": {"content": "a"}, "error": {"code": 1}}]}', True),
        "none": (begun + end, False),
    }
    assert {name: bool(read(data).error) for name, (data, _) in cases.items()} == {
        name: has_error for name, (_, has_error) in cases.items()
    }


@pytest.mark.req("X-224")
def test_data_that_cannot_be_read_is_a_hole_and_other_data_is_none() -> None:
    cases = {
        b'data: {"broken\n\n': True,
        b'data: {"broken\n': True,
        b"data: not JSON\n\n": False,
        b'data: {"choices": 7}\n\n': False,
        b'data: {"a":\ndata: 1}\n\n': False,
    }
    assert {data: read(event("a"), data, event("b")).has_holes for data in cases} == cases
    assert {read(event("a"), data, event("b")).assembly.text for data in cases} == {"ab"}


def test_the_end_is_a_reason_without_words_or_its_announcement() -> None:
    cases: list[tuple[bytes, bool]] = [
        (event("a"), False),
        (event("a", finish="stop"), False),
        (event("a") + event(None, finish="stop"), True),
        (event("a") + b"data: [DONE]\n\n", True),
        (event("a") + b'data: "[done]"\n\n', True),
        (event("a") + event(None, index=1, finish="stop"), False),
    ]
    for data, has_ended in cases:
        answer = AnswerStream()
        answer.feed(data)
        assert answer.has_ended is has_ended, data


def test_the_text_is_that_of_the_first_choice(subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, str]] = [
        ({"choices": [{"message": {"content": "x"}}]}, "x"),
        ({"choices": [{"message": {"content": None, "tool_calls": []}}]}, ""),
        ({"choices": [{"index": 2, "message": {"content": "only"}}]}, "only"),
        ({"choices": []}, ""),
        ({"error": {}}, ""),
        ([], ""),
        ({"choices": "x"}, ""),
        ({"message": {"content": "x"}, "done": True}, "x"),
        ({"response": "x", "done": True}, "x"),
    ]
    for value, text in cases:
        with subtests.test(answer=value, text=text):
            assert read(json.dumps(value).encode()).assembly.text == text
    assert read(event("b", index=1), event("a"), event("b", index=1), event("a")).assembly.text == "aa"
    assert read(b"\xff", b"[" * 100_000).assembly.text == ""


def test_an_odd_choice_spoils_no_other() -> None:
    odd = ['{"index": null}', "null", "3", '{"delta": "x"}', '{"delta": {"content": 3}}', '{"n": NaN}']
    choice = '{"index": null, "delta": {"content": "x"}}'
    texts = {each: f'data: {{"choices": [{each}, {choice}], "n": 1e999}}\n\n'.encode() for each in odd}
    assert {each: read(data).assembly.text for each, data in texts.items()} == dict.fromkeys(odd, "x")


def test_an_answer_has_bounds() -> None:
    answer = AnswerStream(most_chars=10, most_document_bytes=100)
    answer.feed(event("x" * 9) + event("yy") + event("z"))
    assert (answer.assembly.text, answer.assembly.is_cut) == ("x" * 9, True)

    document = AnswerStream(most_document_bytes=100)
    with pytest.raises(LineTooLongError, match="an answer is longer than 100 bytes"):
        document.feed(b'{"choices": "' + b"x" * 100)


def test_a_document_in_many_small_pieces_costs_each_byte_once() -> None:
    answer = AnswerStream()
    answer.feed(b'{"choices": [{"message": {"content": "')
    for _ in range(200_000):
        answer.feed(b"xxxxxxxx")
    answer.feed(b'"}}]}')
    answer.end()

    assert len(answer.assembly.text) == 1_600_000


@given(st.lists(st.binary()))
def test_no_bytes_are_an_error(chunks: list[bytes]) -> None:
    answer = read(*(b"data: " + chunk + b"\n\n" for chunk in chunks))

    assert answer.assembly.text == ""
