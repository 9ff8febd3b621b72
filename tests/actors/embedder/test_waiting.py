from __future__ import annotations

from actors.embedder.waiting import Job, Lane, Part, Waiting
from messages.base import Address, RequestId
from messages.embedder import EmbedTexts, TextRole


def job(name: str, *texts: str, deadline_s: float | None = None) -> Job:
    request = EmbedTexts(
        request_id=RequestId(name),
        reply_to=Address("test"),
        texts=texts,
        role=TextRole.DOCUMENT,
        deadline_s=deadline_s,
    )
    return Job(request, texts)


def texts_of_calls(waiting: Waiting) -> list[list[str]]:
    """The texts of every call, one call after another."""
    calls = []
    while (following := waiting.documents(with_suspects=True)) is not None:
        calls.append([piece.text for piece in waiting.take(following[0], 10, 1_000)])
    return calls


def test_documents_that_no_call_has_failed_for_go_before_suspects() -> None:
    waiting = Waiting()
    waiting.add(job("first", "a", "b"))
    waiting.queue_again(waiting.take(Lane.DOCUMENT, 10, 1_000))
    waiting.add(job("second", "c", "d"))

    assert texts_of_calls(waiting) == [["c", "d"], ["a", "b"]]


def test_suspects_that_are_not_to_be_tried_are_left_alone() -> None:
    waiting = Waiting()
    waiting.add(job("first", "a"))
    waiting.queue_again(waiting.take(Lane.DOCUMENT, 10, 1_000))

    assert waiting.documents(with_suspects=False) is None
    assert texts_of_calls(waiting) == [["a"]]


def test_the_parts_of_a_split_call_share_no_call() -> None:
    waiting = Waiting()
    waiting.add(job("first", "a", "b", "c", "d"))
    pieces = waiting.take(Lane.DOCUMENT, 10, 1_000)
    for part in (pieces[:2], pieces[2:]):
        shared = Part()
        for piece in part:
            piece.part = shared
        waiting.queue_again(part)

    assert texts_of_calls(waiting) == [["a", "b"], ["c", "d"]]


def test_a_request_with_a_deadline_shares_no_call_with_another() -> None:
    waiting = Waiting()
    waiting.add(job("first", "a"))
    waiting.add(job("timed", "b", "c", deadline_s=30))
    waiting.add(job("third", "d"))
    waiting.add(job("fourth", "e"))

    assert texts_of_calls(waiting) == [["a"], ["b", "c"], ["d", "e"]]
