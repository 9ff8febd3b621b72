"""Package of Office: checks the archive's kind, size and XML before a library opens the archive."""

from __future__ import annotations

import io
import zipfile
from enum import Enum
from xml.parsers import expat

from actors.shell.documents.reader.report import UnreadableError

MOST_UNPACKED_BYTES = 256 << 20
MOST_ENTRIES = 10_000
_CONTENT_TYPES = "[Content_Types].xml"
_MOST_TYPES_BYTES = 1 << 20
_WORD, _SHEETS = b"wordprocessingml.document.main+xml", b"spreadsheetml.sheet.main+xml"
_TEMPLATES = (b"wordprocessingml.template.main+xml", b"spreadsheetml.template.main+xml")
_MACROS = (b"macroEnabled", b"vbaProject")
_STRICT = b"http://purl.oclc.org/ooxml/"
_PIECE_BYTES = 1 << 16
_IS_ENCRYPTED = 1


class Kind(Enum):
    """Kind of a readable Office file."""

    WORD = "word"
    SHEETS = "sheets"


class _RootError(Exception):
    """The root element has come, so there is no document type."""


def kind_of(data: bytes) -> Kind:
    """Kind of the Office file in `data`, after a check of the archive.

    Raises:
        UnreadableError: the file must not be opened; the text gives the reason.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _judge(archive)
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, OSError) as error:
        raise UnreadableError(f"its archive is broken: {type(error).__name__}") from error


def _judge(archive: zipfile.ZipFile) -> Kind:
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MOST_UNPACKED_BYTES:
        raise UnreadableError(
            f"it would unpack to {unpacked >> 20:,} MiB, and at most {MOST_UNPACKED_BYTES >> 20} MiB are read"
        )
    if len(entries) > MOST_ENTRIES:
        raise UnreadableError(f"it has {len(entries):,} parts, and at most {MOST_ENTRIES:,} are read")
    if any(entry.flag_bits & _IS_ENCRYPTED for entry in entries):
        raise UnreadableError("it is protected with a password")
    with archive.open(_CONTENT_TYPES) as file:
        types = file.read(_MOST_TYPES_BYTES)
    if any(word in types for word in _MACROS) or any("vbaproject" in entry.filename.lower() for entry in entries):
        raise UnreadableError("it holds macros, and files with macros are not read")
    if any(word in types for word in _TEMPLATES):
        raise UnreadableError("it is a template of Office, which is not read")
    kind = Kind.WORD if _WORD in types else Kind.SHEETS if _SHEETS in types else None
    if kind is None:
        raise UnreadableError("it is neither a Word document nor an Excel workbook")
    for entry in entries:
        if entry.filename.endswith((".xml", ".rels")):
            _check_head(archive, entry)
    return kind


def _check_head(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """Refuse XML with a document type: Office forbids document types, the only way to declare entities."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = _note_root
    namespaces = b""
    try:
        with archive.open(entry) as file:
            while piece := file.read(_PIECE_BYTES):
                namespaces = namespaces or piece
                parser.Parse(piece, False)
    except _RootError:
        if _STRICT in namespaces:
            raise UnreadableError("it is in the strict variant of Office's format, which is not read") from None
    except expat.ExpatError as error:
        raise UnreadableError(f"its part {entry.filename[:100]!r} is broken: {error}") from error


def _refuse_doctype(*_declaration: object) -> None:
    raise UnreadableError("its XML declares a document type, which no Office file may")


def _note_root(*_element: object) -> None:
    raise _RootError
