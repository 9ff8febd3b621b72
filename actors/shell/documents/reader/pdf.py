"""Text of a PDF, page by page."""

from __future__ import annotations

import unicodedata
from typing import BinaryIO

from pypdf import PasswordType, PdfReader
from pypdf.errors import DependencyError, PyPdfError

from actors.shell.documents.reader.report import FullError, Report, UnreadableError, ranges

_LIGATURES = {
    code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFB00, 0xFB07), *range(0xFB13, 0xFB18))
}
_CLEAN = {**_LIGATURES, 0x00AD: None, 0x0000: None}
"""Ligatures as letters, so a search finds the word; no soft hyphens."""
_UNKNOWN_SHARE = 0.3
"""Share of a page's characters without a letter above which the page's fonts do not identify their letters."""


def read(stream: BinaryIO, report: Report) -> None:
    """Report the text of each page.

    Raises:
        UnreadableError: there is no text; the message gives the reason.
    """
    reader = _open(stream)
    count = len(reader.pages)
    if not count:
        raise UnreadableError("it has no pages")
    report.begin("PDF", f"{count:,} page{'s' * (count > 1)}")
    pages = _Pages(reader, report, count)
    try:
        pages.tell()
        pages.tell_form()
    except FullError:
        pages.remark()
        raise
    if not pages.is_any_told:
        raise UnreadableError(pages.reason())
    pages.remark()


class _Pages:
    """Pages of a file on their way to the report."""

    def __init__(self, reader: PdfReader, report: Report, count: int) -> None:
        self._reader = reader
        self._report = report
        self._count = count
        self._empty: list[int] = []
        self._broken: list[int] = []
        self._unknown: list[int] = []
        self.is_any_told = False

    def tell(self) -> None:
        """Report the pages with text."""
        for number in range(1, self._count + 1):
            text = self._text(number)
            if not text:
                continue
            self.is_any_told = True
            self._report.add(f"[page {number} of {self._count}]\n{text}\n\n")

    def tell_form(self) -> None:
        """Report the fields of a form, since no page contains the fields."""
        try:
            fields = self._reader.get_form_text_fields()
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - as of a page
            self._report.remark("the fields of the form cannot be read")
            return
        filled = {name: value for name, value in fields.items() if isinstance(value, str) and value.strip()}
        if filled:
            self.is_any_told = True
            self._report.add("[form fields]\n")
        for name, value in filled.items():
            self._report.add(f"{name}: {value}\n")

    def reason(self) -> str:
        """Reason why no page has text."""
        if len(self._broken) == self._count:
            return "it is broken: no page can be read"
        if self._unknown:
            return "its fonts do not say which letters they draw"
        return (
            f"none of its {self._count:,} pages has text: the pages are pictures, such as scans; pictures are not read"
        )

    def remark(self) -> None:
        """Name the pages whose text is not in the report."""
        for pages, words in (
            (self._empty, "no text on {} (pictures or blank)"),
            (self._broken, "{} cannot be read"),
            (self._unknown, "the fonts of {} do not say which letters they draw"),
        ):
            if pages:
                self._report.remark(words.format(f"page{'s' * (len(pages) > 1)} {ranges(pages)}"))

    def _text(self, number: int) -> str:
        try:
            text = self._reader.pages[number - 1].extract_text().translate(_CLEAN).strip()
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - by any exception pypdf says that a page is broken; the others may be whole
            self._broken.append(number)
            return ""
        if not text:
            self._empty.append(number)
        elif _is_unknown(text):
            self._unknown.append(number)
            return ""
        return text


def _open(stream: BinaryIO) -> PdfReader:
    try:
        reader = PdfReader(stream, strict=False)
        if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            raise UnreadableError("it is encrypted, and needs a password")
    except DependencyError as error:
        raise UnreadableError("it is encrypted, and the library to decrypt it is not installed") from error
    except PyPdfError as error:
        raise UnreadableError(f"it is broken: {type(error).__name__}") from error
    return reader


def _is_unknown(text: str) -> bool:
    letters = [character for character in text if not character.isspace()]
    unknown = sum(
        unicodedata.category(character) in {"Co", "Cn", "Cc"} or character == "\ufffd" for character in letters
    )
    return unknown > _UNKNOWN_SHARE * len(letters)
