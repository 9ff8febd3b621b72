"""The reader's program: the kind by content, and ends before the end."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from actors.shell.documents.reader.program import read
from actors.shell.documents.reader.report import Report, ranges
from tests.actors.shell.documents.making import pdf, report_on, text_operators, word, workbook
from tests.patience import PATIENCE_S


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
    assert report_on(data)["kind"] == kind


def test_a_text_beyond_the_bound_is_cut_with_a_remark() -> None:
    said = report_on(pdf("a" * 100, "b" * 100, b""), most_chars=150)

    assert len(said["text"]) == 150
    assert said["remarks"] == ["only the first 150 characters are read"]
    assert said["end"]


def test_a_line_that_was_cut_off_takes_no_other_with_it() -> None:
    """The time may end while a full pipe takes a line."""
    said = bytearray()

    def write(line: bytes) -> None:
        is_cut = b'"text"' in line
        said.extend(line[:20] if is_cut else line)
        if is_cut:
            raise MemoryError

    read(pdf("a" * 40_000), Report(write))

    assert b'{"remark": "the text ends early: reading it takes more memory than it may have"}' in said.split(b"\n")


@pytest.mark.parametrize(
    ("numbers", "words"), [([], ""), ([4], "4"), ([1, 2], "1 to 2"), ([1, 3, 4, 5, 9], "1, 3 to 5, 9")]
)
def test_numbers_in_a_row_are_one_range(numbers: list[int], words: str) -> None:
    assert ranges(numbers) == words


@pytest.mark.parametrize(
    ("limits", "words"),
    [(("600", "0.4"), "0.4 s of the processor's time"), (("3", "600"), "3 s")],
    ids=["cpu", "clock"],
)
def test_when_time_is_up_the_pages_before_are_told_with_a_remark(limits: tuple[str, str], words: str) -> None:
    """After py-pdf/pypdf#966: some pages take for ever, and none of a file's words came."""
    slow = b"BT /F1 12 Tf " + b"(a) Tj 1 0 0 1 5 5 cm " * 400_000 + b" ET"
    program = "from actors.shell.documents.reader.program import main; main()"

    done = subprocess.run(
        [sys.executable, "-c", program, *limits],
        input=pdf(text_operators("the first page"), slow),
        capture_output=True,
        check=True,
        timeout=PATIENCE_S,
    )

    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert "the first page" in "".join(line.get("text", "") for line in lines)
    assert {"remark": f"the text ends early: reading it takes more than {words}"} in lines
    assert lines[-1] == {"end": True}
