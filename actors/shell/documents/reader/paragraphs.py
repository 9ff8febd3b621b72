"""Paragraphs of Word's XML as text: with insertions, without deletions, each text box once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SKIPPED = {
    f"{W}{name}"
    for name in ("del", "moveFrom", "instrText", "delText", "delInstrText", "pPr", "rPr", "rt", "sdtPr", "sectPr")
} | {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}
"""Elements without words of the present document; a fallback repeats its neighbour."""
_FIXED = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}softHyphen": ""}
_PLACES_OF_NOTES = {
    f"{W}footnoteReference": "[^{}]",
    f"{W}endnoteReference": "[^e{}]",
    f"{W}commentReference": "[comment {}]",
}
_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
TEXT_BOX = f"{W}txbxContent"
PARAGRAPH, TABLE = f"{W}p", f"{W}tbl"
_ROW, _CELL = f"{W}tr", f"{W}tc"
_SPAN, _MERGE = f"{W}tcPr/{W}gridSpan", f"{W}tcPr/{W}vMerge"
"""Paths from a cell: tables inside, and the cell's form before a tracked change, have the same elements."""
VALUE = f"{W}val"
ID = f"{W}id"
AUTHOR = f"{W}author"
KIND = f"{W}type"
_MOST_SPAN = 64
_CHANGES = {f"{W}{name}" for name in ("ins", "del", "moveFrom", "moveTo")}


@dataclass(slots=True)
class Words:
    """Reader of paragraphs and tables of a part."""

    links: Mapping[str, str]
    """Relationship id -> address."""
    boxes: list[Any] = field(default_factory=list)
    """Text boxes met but not yet reported."""
    has_changes: bool = False

    def of_paragraph(self, paragraph: Any) -> str:
        """Text of a paragraph, or of any other element with runs."""
        pieces: list[str] = []
        self._walk(paragraph, pieces)
        return "".join(pieces)

    def below(self, element: Any) -> list[str]:
        """Texts of all non-empty paragraphs below an element, each followed by its text boxes."""
        texts: list[str] = []
        waiting = [element]
        while waiting:
            each = waiting.pop()
            if each.tag == PARAGRAPH:
                texts.append(self.of_paragraph(each).strip())
                waiting += self.take_boxes()[::-1]
            elif each.tag not in _SKIPPED:
                waiting += list(each)[::-1]
        return list(filter(None, texts))

    def rows(self, table: Any) -> list[list[str]]:
        """Cells of a table, row by row; a cell that goes on from above or from the left is empty."""
        return [[text for cell in _within(row, _CELL) for text in self._cell(cell)] for row in _within(table, _ROW)]

    def take_boxes(self) -> list[Any]:
        """Text boxes since the last call."""
        boxes, self.boxes = self.boxes, []
        return boxes

    def _cell(self, cell: Any) -> list[str]:
        merge, spanned = cell.find(_MERGE), cell.find(_SPAN)
        goes_on = merge is not None and merge.get(VALUE, "continue") == "continue"
        span = "1" if spanned is None else spanned.get(VALUE, "1")
        texts = [] if goes_on else self.below(cell)
        width = min(int(span), _MOST_SPAN) if span.isdecimal() else 1
        return [" / ".join(texts), *[""] * (width - 1)]

    def _walk(self, element: Any, pieces: list[str]) -> None:
        for child in element:
            tag = child.tag
            self.has_changes |= tag in _CHANGES
            if tag in _SKIPPED or not isinstance(tag, str):
                continue
            if tag in (f"{W}t", _MATHS):
                pieces.append(child.text or "")
            elif tag in _FIXED:
                pieces.append(_FIXED[tag])
            elif tag in _PLACES_OF_NOTES:
                pieces.append(_PLACES_OF_NOTES[tag].format(child.get(ID, "")))
            elif tag == TEXT_BOX:
                self.boxes.append(child)
            elif tag == _PICTURE:
                pieces.append(_picture(child))
            else:
                self._walk(child, pieces)
                if tag == f"{W}hyperlink" and (address := self.links.get(child.get(f"{_R}id", ""))):
                    pieces.append(f" ({address})")


def _within(element: Any, tag: str) -> list[Any]:
    """Nearest elements of a tag below an element, through wrappers such as content controls."""
    nearest: list[Any] = []
    waiting = list(element)[::-1]
    while waiting:
        child = waiting.pop()
        if child.tag == tag:
            nearest.append(child)
        elif child.tag not in _SKIPPED and child.tag not in (PARAGRAPH, TABLE):
            waiting += list(child)[::-1]
    return nearest


def _picture(element: Any) -> str:
    words = (element.get("descr") or "").strip()
    return f"[picture: {words}]" if words else ""
