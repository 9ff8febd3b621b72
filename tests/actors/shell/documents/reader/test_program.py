"""The reader's program: the kind by content, and ends before the end."""

from __future__ import annotations

import pytest

from actors.shell.documents.reader.report import ranges
from tests.actors.shell.documents.making import pdf, told, word, workbook


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (pdf("x"), "PDF"),
        (word(lambda document: document.add_paragraph("x")), "Word document"),
        (workbook(lambda book: book.active.append(["x"])), "workbook"),
    ],
    ids=["pdf", "word", "workbook"],
)
def test_the_content_says_the_kind(data: bytes, kind: str) -> None:
    assert told(data)["kind"] == kind


def test_a_text_beyond_the_bound_is_cut_with_a_remark() -> None:
    said = told(pdf("a" * 100, "b" * 100, b""), most_chars=150)

    assert len(said["text"]) == 150
    assert said["remarks"] == ["only the first 150 characters are read"]
    assert said["end"]


@pytest.mark.parametrize(
    ("numbers", "words"), [([], ""), ([4], "4"), ([1, 2], "1 to 2"), ([1, 3, 4, 5, 9], "1, 3 to 5, 9")]
)
def test_numbers_in_a_row_are_one_range(numbers: list[int], words: str) -> None:
    assert ranges(numbers) == words
