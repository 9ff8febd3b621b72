"""Reports of a reader: taken line by line, and bounded."""

from __future__ import annotations

import json

from actors.shell.documents.report import ReaderReport
from messages.base import RequestId
from messages.shell import MOST_DOCUMENT_CHARS, DocumentRead, DocumentUnread

ID = RequestId("r")


def line(**fields: object) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def test_lines_in_any_pieces_are_one_text() -> None:
    said = line(kind="PDF", about="2 pages") + line(text="one ") + line(remark="a") + line(text="two") + line(end=True)
    report = ReaderReport()
    for start in range(0, len(said), 7):
        assert report.take(said[start : start + 7])

    assert report.answer(ID, "cut off") == DocumentRead(
        request_id=ID, kind="PDF", about="2 pages", text="one two", remark="a"
    )


def test_a_report_that_was_cut_off_keeps_its_whole_lines_and_says_so() -> None:
    report = ReaderReport()
    report.take(line(kind="PDF") + line(text="page one") + b'{"text": "page tw')

    answer = report.answer(ID, "it was killed")

    assert isinstance(answer, DocumentRead)
    assert (answer.text, answer.remark) == ("page one", "the text ends early: it was killed")


def test_without_a_text_there_is_a_reason() -> None:
    refused, killed, empty = ReaderReport(), ReaderReport(), ReaderReport()
    refused.take(line(text="half") + line(unread="it is broken"))
    empty.take(line(text=" \n") + line(end=True))

    assert refused.answer(ID, "") == DocumentUnread(request_id=ID, reason="it is broken")
    assert killed.answer(ID, "it was killed") == DocumentUnread(request_id=ID, reason="it was killed")
    assert empty.answer(ID, "") == DocumentUnread(request_id=ID, reason="it has no text")


def test_words_that_are_no_lines_of_a_reader_are_left_out() -> None:
    report = ReaderReport()

    assert report.take(b"Traceback\n[]\n{\n" + line(text=3) + line(text="said") + line(end=True))
    answer = report.answer(ID, "")
    assert isinstance(answer, DocumentRead)
    assert answer.text == "said"


def test_a_reader_that_says_too_much_is_not_heard_on() -> None:
    long, endless = ReaderReport(), ReaderReport()
    piece = line(text="x" * (1 << 19))

    assert all(long.take(piece) for _ in range(MOST_DOCUMENT_CHARS >> 19))
    assert not long.take(piece)
    assert [endless.take(b"x" * (1 << 19)) for _ in range(4)] == [True, True, True, False]


def test_long_words_of_a_reader_are_cut() -> None:
    report = ReaderReport()
    report.take(line(kind="k" * 999, about="a" * 999, text="x") + line(remark="r" * 999) * 99 + line(end=True))

    answer = report.answer(ID, "")

    assert isinstance(answer, DocumentRead)
    assert (len(answer.kind), len(answer.about)) == (300, 300)
    assert len(answer.remark) < 3_000
