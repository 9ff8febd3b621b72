"""Reading of answers while they pass: refusals within answers, and problems that are no errors."""

from __future__ import annotations

import pytest

from actors.gateway.reading import Reading

ERROR = b'data: {"error": {"message": "no system role"}}\n\n'


def after(*pieces: bytes) -> Reading:
    reading = Reading(1_000)
    reading.begin("")
    for piece in pieces:
        reading.feed(piece)
    return reading


@pytest.mark.req("X-224")
def test_a_first_event_is_held_until_it_is_known_to_be_no_refusal() -> None:
    chunk = b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'
    cases: list[tuple[tuple[bytes, ...], bool, bool]] = [
        ((), True, False),
        ((b": ping\n\n",), False, False),
        ((b": ping\r\n\r\n",), False, False),
        ((b": ping\n\n", ERROR[:9]), True, False),
        ((b"event: error\n",), True, False),
        ((ERROR,), False, True),
        ((chunk,), False, False),
        ((chunk, ERROR[:9]), False, False),
        ((chunk, ERROR), False, False),
    ]
    told = [(after(*pieces).may_become_refusal, after(*pieces).is_refusal) for pieces, _, _ in cases]
    assert told == [(is_held, is_refusal) for _, is_held, is_refusal in cases]


@pytest.mark.req("X-224")
def test_an_answer_that_cannot_be_read_is_a_problem_and_nothing_is_kept() -> None:
    document = after(b'{"choices": "' + b"x" * 2_000)
    assert (document.is_unreadable, document.words(())) == (True, "")
    assert "longer than 1000 bytes" in document.problem
    packed = Reading(1_000)
    packed.begin("br")
    packed.feed(b"\x1b\x2f\x00")
    packed.end()
    assert (packed.problem, packed.is_whole) == ("it is packed as br", False)
