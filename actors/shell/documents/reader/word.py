"""Text of a Word document: headings, paragraphs, lists, tables, text boxes, notes, comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.part import Part
from docx.oxml import parse_xml

from actors.shell.documents.reader.paragraphs import (
    AUTHOR,
    ID,
    KIND,
    PARAGRAPH,
    TABLE,
    TEXT_BOX,
    VALUE,
    W,
    Words,
)
from actors.shell.documents.reader.report import Report, UnreadableError

_BLOCKS = (PARAGRAPH, TABLE)
_SKIPPED = {f"{W}{name}" for name in ("del", "moveFrom", "sectPr", "sdtPr", "tblPr", "pPr")}
_MOST_LEVEL = 6
_LISTS = ("List Bullet", "List Number")
_NOTES = (
    (RELATIONSHIP_TYPE.FOOTNOTES, "footnote", "Footnotes", "[^{}]"),
    (RELATIONSHIP_TYPE.ENDNOTES, "endnote", "Endnotes", "[^e{}]"),
    (RELATIONSHIP_TYPE.COMMENTS, "comment", "Comments", "[comment {}]"),
)
_MARGINS = (
    (RELATIONSHIP_TYPE.HEADER, "Headers"),
    (RELATIONSHIP_TYPE.FOOTER, "Footers"),
)


def read(stream: BinaryIO, report: Report) -> None:
    """Report the text in the order of the document, then its notes, comments, headers and footers.

    Raises:
        UnreadableError: there is no text.
    """
    document = docx.Document(stream)
    report.begin("Word document", "")
    story = _Story(document, report)
    story.tell_body()
    story.tell_notes()
    story.tell_margins()
    if not report.chars:
        raise UnreadableError("it has no text")
    if story.has_changes:
        report.remark("it has tracked changes: insertions are in the text, deletions are not")


class _Story:
    """Document on its way to the report."""

    def __init__(self, document: Document, report: Report) -> None:
        self._document = document
        self._report = report
        names = {style.style_id: style.name or "" for style in document.styles}
        self._levels = {style: level for style, name in names.items() if (level := _level(name))}
        self._lists = {style for style, name in names.items() if name.startswith(_LISTS)}
        self.has_changes = False

    def tell_body(self) -> None:
        """Report the blocks of the body."""
        words = Words(_links(self._document.part))
        for block in _blocks(self._document.element.body):
            self._tell_block(block, words)
        self.has_changes |= words.has_changes

    def tell_notes(self) -> None:
        """Report footnotes, endnotes and comments under a heading each."""
        for relation, name, title, mark in _NOTES:
            for part in _parts(self._document.part, relation):
                root = _root(part)
                lines = list(self._notes(root, f"{W}{name}", mark, Words(_links(part))))
                if lines:
                    self._report.add(f"\n## {title}\n\n" + "\n".join(lines) + "\n")

    def tell_margins(self) -> None:
        """Report each text of a header or a footer once."""
        for relation, title in _MARGINS:
            texts: dict[str, None] = {}
            for part in _parts(self._document.part, relation):
                words = Words(_links(part))
                texts[" / ".join(words.below(_root(part)))] = None
            if lines := list(filter(None, texts)):
                self._report.add(f"\n## {title}\n\n" + "\n".join(lines) + "\n")

    def _notes(self, root: Any, tag: str, mark: str, words: Words) -> Iterator[str]:
        for note in root.iter(tag):
            if note.get(KIND, "normal") != "normal":
                continue  # the line above footnotes, say
            text = " ".join(words.below(note))
            author = note.get(AUTHOR, "")
            if text:
                yield f"{mark.format(note.get(ID, ''))}: {author + ': ' if author else ''}{text}"

    def _tell_block(self, block: Any, words: Words) -> None:
        if block.tag == TABLE:
            rows = words.rows(block)
            self._report.add("".join(_row(row) for row in rows) + "\n")
        else:
            text = words.of_paragraph(block).strip()
            if text:
                self._report.add(f"{self._prefix(block)}{text}\n\n")
        for box in words.take_boxes():
            self._report.add("[text box]\n")
            for inner in _blocks(box):
                self._tell_block(inner, words)

    def _prefix(self, paragraph: Any) -> str:
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return ""
        style, outline = properties.find(f"{W}pStyle"), properties.find(f"{W}outlineLvl")
        name = style.get(VALUE, "") if style is not None else ""
        level = self._levels.get(name, 0)
        if outline is not None and outline.get(VALUE, "").isdecimal() and not level:
            level = int(outline.get(VALUE)) + 1
        if 0 < level <= _MOST_LEVEL:
            return "#" * level + " "
        return "- " if name in self._lists or properties.find(f"{W}numPr") is not None else ""


def _blocks(element: Any) -> Iterator[Any]:
    """Paragraphs and tables below an element, through wrappers such as content controls and insertions."""
    for child in element:
        if child.tag in _BLOCKS:
            yield child
        elif isinstance(child.tag, str) and child.tag not in _SKIPPED and child.tag != TEXT_BOX:
            yield from _blocks(child)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |\n"


def _level(name: str) -> int:
    """Level of the headings in a style of this name; 0 for no heading."""
    word, _, number = name.lower().partition(" ")
    if word == "heading" and number.isdecimal():
        return int(number)
    return int(word == "title")


def _parts(part: Part, relation: str) -> Iterator[Part]:
    for each in part.rels.values():
        if each.reltype == relation and not each.is_external:
            yield each.target_part


def _root(part: Part) -> Any:
    return parse_xml(part.blob)


def _links(part: Part) -> dict[str, str]:
    return {name: each.target_ref for name, each in part.rels.items() if each.is_external}
