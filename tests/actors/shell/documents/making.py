"""Documents made by code: PDF byte by byte, Word and Excel by their libraries, and archives with parts changed."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import docx
import openpyxl
from pypdf import PdfReader, PdfWriter

from actors.shell.documents.reader.program import read
from actors.shell.documents.reader.report import MOST_CHARS, Report

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def report_on(data: bytes, most_chars: int = MOST_CHARS) -> dict[str, Any]:
    """The reader's report on `data`: fields of its lines, texts joined, remarks listed."""
    lines: list[bytes] = []
    read(data, Report(lines.append, most_chars))
    whole: dict[str, Any] = {"text": "", "remarks": []}
    for line in map(json.loads, lines):
        whole["text"] += line.pop("text", "")
        whole["remarks"] += [line.pop("remark")] if "remark" in line else []
        whole |= line
    return whole


def text_of(data: bytes) -> str:
    """Text that the reader gives of `data`."""
    return str(report_on(data)["text"])


def reason_of(data: bytes) -> str:
    """Reason of the reader for no text."""
    said = report_on(data)
    assert said["text"] == ""
    return str(said["unread"])


def pdf_of(objects: Mapping[int, bytes], trailer: bytes = b"/Root 1 0 R") -> bytes:
    """File of numbered objects, with a table of where they are."""
    body = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, content in objects.items():
        places[number] = len(body)
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (max(objects) + 1)
    for number in range(1, max(objects) + 1):
        body += b"%010d 00000 n \n" % places.get(number, 0)
    return bytes(body + b"trailer\n<< /Size %d %b >>\nstartxref\n%d\n%%%%EOF\n" % (max(objects) + 1, trailer, start))


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """Stream object."""
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), entries, content)


def text_operators(text: str, x: int = 72, y: int = 700, matrix: str = "") -> bytes:
    """Operators that draw the lines of a text, each character as its code point in two bytes."""
    operators = [f"BT /F1 12 Tf {matrix or f'1 0 0 1 {x} {y}'} Tm 14 TL"]
    operators += [f"<{line.encode('utf-16-be').hex()}> Tj T*" for line in text.splitlines()]
    return "\n".join([*operators, "ET\n"]).encode()


def pdf(
    *pages: str | bytes, page_entries: bytes = b"", has_letters: bool = True, more: Mapping[int, bytes] | None = None
) -> bytes:
    """PDF with a page for each text, or for the operators of a page.

    Args:
        pages: Texts, or operators.
        page_entries: Further entries of each page.
        has_letters: False for fonts without a table of letters.
        more: Further objects.
    """
    numbers = [10 + 2 * index for index in range(len(pages))]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    used = sorted(set("".join(page for page in pages if isinstance(page, str))) | set(map(chr, range(32, 127))))
    letters = b"".join(b"<%04x> <%04x>\n" % (ord(letter), ord(letter)) for letter in used)
    to_unicode = b"1 begincodespacerange <0000> <ffff> endcodespacerange\n%d beginbfchar\n%bendbfchar\n" % (
        len(used),
        letters,
    )
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(pages)),
        3: b"<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [4 0 R] %b >>"
        % (b"/ToUnicode 5 0 R" if has_letters else b""),
        4: b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /DW 600 "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        5: stream(to_unicode),
        **(more or {}),
    }
    for number, page in zip(numbers, pages, strict=True):
        operators = page if isinstance(page, bytes) else text_operators(page)
        objects[number] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R %b >>" % (number + 1, page_entries)
        )
        objects[number + 1] = stream(operators)
    return pdf_of(objects)


def encrypt_pdf(data: bytes, password: str, algorithm: str = "AES-256") -> bytes:
    """The PDF `data`, encrypted; with the empty password anyone can open it."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user_password=password, owner_password="of the owner", algorithm=algorithm)
    return _save_bytes(writer.write)


def word(fill: Callable[[Any], object]) -> bytes:
    """Word document that `fill` filled."""
    document = docx.Document()
    fill(document)
    return _save_bytes(document.save)


def word_of(*blocks: str) -> bytes:
    """Word document with these blocks of XML as its body."""
    body = "".join(blocks)
    xml = f'<?xml version="1.0"?><w:document {W} {NAMESPACES}><w:body>{body}</w:body></w:document>'
    return change_archive(word(lambda document: None), {"word/document.xml": xml.encode()})


NAMESPACES = (
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def run(text: str) -> str:
    """Run of a paragraph."""
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*parts: str) -> str:
    """Paragraph of Word's XML."""
    return f"<w:p>{''.join(parts)}</w:p>"


def workbook(fill: Callable[[Any], object]) -> bytes:
    """Workbook that `fill` filled."""
    book = openpyxl.Workbook()
    fill(book)
    return _save_bytes(book.save)


def change_archive(
    data: bytes, parts: Mapping[str, bytes | None], also: Callable[[str, bytes], bytes] | None = None
) -> bytes:
    """Archive `data` with parts replaced, added, or left out where they are None."""
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in [*source.namelist(), *(name for name in parts if name not in source.namelist())]:
            content = parts[name] if name in parts else source.read(name)
            if content is not None:
                archive.writestr(name, also(name, content) if also is not None else content)
    return output.getvalue()


def _save_bytes(save: Callable[[Any], object]) -> bytes:
    output = io.BytesIO()
    save(output)
    return output.getvalue()
