"""Workbooks as text: what goes wrong with attached workbooks elsewhere, by the reports of their users."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from openpyxl.worksheet.formula import ArrayFormula

from tests.actors.shell.documents.making import change_archive, reason_of, report_on, text_of, workbook

SHEET = "xl/worksheets/sheet1.xml"


def fill(book: Any) -> None:
    sheet = book.active
    sheet.title = "Staff"
    sheet.append(["name", "born", "share"])
    sheet.append(["Ada", datetime.date(1815, 12, 10), 0.1 + 0.2])
    sheet["A5"] = "two\nlines"
    sheet["D5"] = True
    book.create_sheet("Empty")
    hidden = book.create_sheet("Old")
    hidden.sheet_state = "hidden"
    hidden["B2"] = datetime.datetime(2026, 3, 1, 14, 30)  # noqa: DTZ001 - as cells have them


@pytest.mark.req("X-265")
def test_sheets_rows_and_columns_have_their_names() -> None:
    said = report_on(workbook(fill))

    assert (said["kind"], said["about"], said["remarks"]) == ("workbook", "3 sheets", [])
    assert said["text"] == (
        "## sheet 1 of 3: Staff\n"
        "row 1 | A: name | B: born | C: share\n"
        "row 2 | A: Ada | B: 1815-12-10 | C: 0.3\n"
        "row 5 | A: two lines | D: TRUE\n"
        "\n## sheet 2 of 3: Empty\n(empty)\n"
        "\n## sheet 3 of 3: Old, hidden\n"
        "row 2 | B: 2026-03-01 14:30:00\n\n"
    )


def test_of_a_formula_the_value_is_told_that_was_computed_last_else_the_formula() -> None:
    def formulas(book: Any) -> None:
        book.active["A1"] = "=1+1"
        book.active["A2"] = "=2+2"

    data = workbook(formulas)
    computed = change_archive(
        data, {}, lambda name, content: content.replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>")
    )

    assert "row 1 | A: 2\nrow 2 | A: =2+2 (not computed)\n" in text_of(computed)


def test_a_formula_that_gave_a_text_without_characters_was_computed() -> None:
    data = workbook(lambda book: book.active.append(["x", '=IF(A1="x","","y")']))
    empty = change_archive(data, {}, lambda name, content: content.replace(b'<c r="B1">', b'<c r="B1" t="str">'))
    assert empty != data

    assert "row 1 | A: x\n" in text_of(empty)


def test_the_formula_of_an_array_is_told_too() -> None:
    array = ArrayFormula("A1:A2", "=SUM(B1:B2*2)")

    assert "row 1 | A: =SUM(B1:B2*2) (not computed)\n" in text_of(workbook(lambda book: book.active.append([array])))


def test_merged_cells_are_named() -> None:
    def merge(book: Any) -> None:
        book.active["A1"] = "Quarter"
        book.active.merge_cells("A1:C1")

    assert "merged cells: A1:C1\nrow 1 | A: Quarter\n" in text_of(workbook(merge))


def test_a_wrong_dimension_hides_no_rows() -> None:
    """After frappe/frappe#26372: writers state one cell, and readers believed them."""
    data = workbook(lambda book: [book.active.append([number, "x"]) for number in range(3)])
    wrong = change_archive(data, {}, lambda name, content: content.replace(b'ref="A1:B3"', b'ref="A1"'))
    assert wrong != data

    assert "row 3 | A: 2 | B: x" in text_of(wrong)


def test_rows_behind_a_gap_are_read() -> None:
    """After infiniflow/ragflow#19185: rows after many blank ones were dropped."""

    def gap(book: Any) -> None:
        book.active["A1"] = "before"
        book.active["B30000"] = "behind"

    assert "row 1 | A: before\nrow 30000 | B: behind\n" in text_of(workbook(gap))


def test_formatted_rows_without_words_are_passed_over() -> None:
    """After dimagi/commcare-hq#22486: a sheet with two rows was said to have a million."""
    rows = b"".join(b'<row r="%d"><c r="A%d" s="0"/></row>' % (number, number) for number in range(2, 40_000))
    data = workbook(lambda book: book.active.append(["only"]))
    data = change_archive(data, {}, lambda name, content: content.replace(b"</sheetData>", rows + b"</sheetData>"))

    text = text_of(data)

    assert text == "## sheet 1 of 1: Sheet\nrow 1 | A: only\n\n"


def test_the_last_column_is_no_line_of_empty_cells() -> None:
    assert "row 1 | XFD: far" in text_of(workbook(lambda book: book.active.cell(1, 16_384, "far")))


def test_errors_of_formulas_and_other_scripts_come_as_they_are() -> None:
    def cells(book: Any) -> None:
        book.active.append(["日本語", "שלום"])
        book.active["C1"] = "=1/0"

    data = workbook(cells)
    failed = change_archive(
        data, {}, lambda name, content: content.replace(b"><f>1/0</f><v></v>", b' t="e"><f>1/0</f><v>#DIV/0!</v>')
    )

    assert "row 1 | A: 日本語 | B: שלום | C: #DIV/0!" in text_of(failed)


def test_a_workbook_without_words_says_so() -> None:
    assert reason_of(workbook(lambda book: None)) == "no cell of it holds anything"


def test_a_broken_sheet_ends_the_text_with_a_word_on_it() -> None:
    def two(book: Any) -> None:
        book.active.append(["first"])
        book.create_sheet("Second").append(["x"])

    data = change_archive(
        workbook(two), {}, lambda name, content: content.replace(b"<c r=", b"<c <") if "sheet2" in name else content
    )
    said = report_on(data)

    assert "row 1 | A: first" in said["text"]
    assert said["remarks"] == ["the text ends early: it is broken: ParseError"]
