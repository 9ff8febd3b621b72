"""Cells of a workbook, sheet by sheet and row by row, as last computed."""

from __future__ import annotations

import datetime
import itertools
import re
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

import openpyxl
from openpyxl.utils import get_column_letter

from actors.shell.documents.reader.report import Report, UnreadableError

_PIECE_BYTES = 1 << 16
_OVERLAP_BYTES = 1 << 8
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]+[0-9]+:[A-Z]+[0-9]+)"')
_MOST_MERGED = 50
_MOST_CELL_CHARS = 32_767
"""Of a cell, by Excel's own rule."""
_EMPTY_CELL = re.compile(rb'<c r="[A-Z]+[0-9]+"(?: [a-z]+="[^"<>]*")*(?:/>|></c>)')
_EMPTY_ROW = re.compile(rb'<row (?:[a-zA-Z0-9:]+="[^"<>]*" ?)*>\s*</row>')
_COMPUTED_TEXT = "str"
"""Kind of a cell with the text result of its formula."""
_NUMBER = "%.15g"
"""Format of Excel's numbers, with 15 digits."""


def read(stream: BinaryIO, report: Report) -> None:
    """Report all non-empty cells.

    Raises:
        UnreadableError: there are no such cells.
    """
    values = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    sheets = values.worksheets
    report.begin("workbook", f"{len(sheets)} sheet{'s' * (len(sheets) != 1)}")
    formulas: Any = None
    _pass_over_empty_cells(values)
    is_any_told = False
    for number, sheet in enumerate(sheets, 1):
        has_formulas, merged = _look(stream, sheet)
        if has_formulas and formulas is None:
            formulas = openpyxl.load_workbook(stream, read_only=True, keep_links=False)
            _pass_over_empty_cells(formulas)
        state = "" if sheet.sheet_state == "visible" else ", hidden"
        report.add(f"## sheet {number} of {len(sheets)}: {sheet.title}{state}\n")
        if merged:
            report.add(f"merged cells: {', '.join(merged)}\n")
        beside = formulas.worksheets[number - 1] if has_formulas else None
        rows = _told_rows(sheet, beside)
        first = next(rows, None)
        if first is None:
            report.add("(empty)\n\n")
            continue
        is_any_told = True
        for line in itertools.chain((first,), rows):
            report.add(line)
        report.add("\n")
    if not is_any_told:
        raise UnreadableError("no cell of it holds anything")


def _told_rows(sheet: Any, formulas: Any) -> Iterator[str]:
    """Lines of the non-empty rows: `row 12 | A: Anna | C: 3.5`."""
    sheet.reset_dimensions()  # which writers state wrongly, and rows beyond them would be left out
    beside: Iterator[Any] = itertools.repeat(())
    if formulas is not None:
        formulas.reset_dimensions()
        beside = formulas.iter_rows()
    for number, (row, formula_row) in enumerate(zip(sheet.iter_rows(), beside, strict=False), 1):
        cells = [
            f"{get_column_letter(column)}: {text}"
            for column, (cell, formula) in enumerate(itertools.zip_longest(row, formula_row), 1)
            if cell is not None and (text := _text(cell, formula))
        ]
        if cells:
            yield f"row {number} | {' | '.join(cells)}\n"


def _text(cell: Any, formula: Any) -> str:
    """Text of a cell; for a formula never computed, the formula."""
    value = cell.value
    if value is None:
        if formula is None or cell.data_type == _COMPUTED_TEXT:  # of no characters
            return ""
        written = getattr(formula.value, "text", formula.value)  # of an array the formula is an object
        return f"{written} (not computed)" if isinstance(written, str) and written.startswith("=") else ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return _NUMBER % value
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ", "seconds")
    return " ".join(str(value)[:_MOST_CELL_CHARS].split())


class _Filled:
    """Stream of a sheet's XML without its possibly millions of formatted but empty cells."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._rest = b""

    def __enter__(self) -> _Filled:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the sheet."""
        self._source.close()

    def read(self, _size: int = -1) -> bytes:
        """Next bytes; empty at the end. The requested number is ignored."""
        while piece := self._source.read(_PIECE_BYTES):
            head, end, rest = (self._rest + piece).rpartition(b"</row>")
            self._rest = rest if end else self._rest + piece
            if end and (filled := _EMPTY_ROW.sub(b"", _EMPTY_CELL.sub(b"", head + end))):
                return filled
        last, self._rest = self._rest, b""
        return last


def _pass_over_empty_cells(book: Any) -> None:
    for sheet in book.worksheets:
        open_sheet = sheet._get_source
        sheet._get_source = lambda open_sheet=open_sheet: _Filled(open_sheet())


def _look(stream: BinaryIO, sheet: Any) -> tuple[bool, list[str]]:
    """True if a sheet has formulas; and merged ranges of cells, with the values in the first cells."""
    has_formulas = False
    merged: dict[str, None] = {}
    with zipfile.ZipFile(stream) as archive, archive.open(sheet._worksheet_path) as file:
        rest = b""
        while piece := file.read(_PIECE_BYTES):
            piece = rest + piece
            has_formulas = has_formulas or _FORMULA.search(piece) is not None
            if len(merged) < _MOST_MERGED:
                merged |= {name.decode(): None for name in _MERGED.findall(piece)}
            rest = piece[-_OVERLAP_BYTES:]
    return has_formulas, list(merged)[:_MOST_MERGED]
