"""Attachments of messages: their kinds, the text that a model reads, and their names in a log and a prompt."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.log.escape import fence_for
from domain.log.metadata import MetaValue
from domain.text.imitation import defuse
from domain.turn.speaker import shown_line
from messages.context import Attachment, FileKind
from messages.model import ImageFile

_CHARS_PER_TOKEN = 4
LONGEST_NAME_BYTES = 100
LONGEST_IMAGE_BYTES = 3_932_160
"""In base64 5 MiB, the most accepted by every large provider."""
MOST_IMAGES = 6
"""Limit for a request; with the text, the request stays below a provider's limit of 32 MB."""
FEWER_IMAGES = 3
"""Images to leave out together, so the request's prefix changes only once in so many images."""

_PIECE_BYTES = 1 << 18
"""Bytes of a file to decode at once."""
_LEAST_SHOWN_CHARS = 200
"""Less than this of a file is not worth showing."""
_LONGEST_SHOWN_NAME = 100
_LONGEST_SHOWN_PART = 1_000
_LONGEST_LABEL = 300
_APPLICATION_TEXTS = (
    "json ld+json xml yaml x-yaml toml javascript x-javascript typescript sql x-sh x-shellscript x-httpd-php x-python "
    "x-perl x-ruby x-tex x-latex graphql x-ndjson jsonl csv x-subrip"
)
_TEXT_TYPES = frozenset(f"application/{name}" for name in _APPLICATION_TEXTS.split())
_DATA_TYPES = ("audio/", "video/", "font/", "image/", "model/")
_DATA_ENDINGS = (
    "7z a apk avi bin bmp bz2 class db deb dll doc docx dylib ear eot exe flac gif gz heic ico img iso jar jpeg jpg "
    "m4a mkv mov mp3 mp4 msi o odp ods odt ogg opus otf parquet pdf pkl png ppt pptx psd pyc rar rpm so sqlite tar "
    "tgz tif tiff ttf wasm wav webm webp woff woff2 xls xlsx xz zip zst"
)
_DATA_NAMES = frozenset(_DATA_ENDINGS.split())
_AUDIO_NAMES = frozenset(["aac", "aif", "aiff", "amr", "flac", "m4a", "mp3", "oga", "ogg", "opus", "wav", "weba"])
_TEXT_NAMES = frozenset(("ts", "mts"))
"""Endings of texts for which other programs know a media type of videos."""
_SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
)
_PDF = re.compile(rb"(?:\xef\xbb\xbf)?\s*%PDF-")
_LATE_PDF_BYTES = 1_024
"""Bytes of a non-text file in which a PDF may begin."""
_ARCHIVE, _OLD_OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OFFICE_PARTS = (b"word/", b"xl/")
_CONTENT_TYPES = b"[Content_Types].xml"
DOCUMENT_NAMES = frozenset(("pdf", "docx", "docm", "doc", "xlsx", "xlsm", "xls"))
"""Endings of documents; the content decides."""
IMAGE_TYPES = frozenset(media_type for _, media_type in _SIGNATURES)
_NOT_IN_TEXT = bytes([*range(0x07), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
"""Control characters never found in text; useful control characters and terminal escapes are not listed."""
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_SECTION = re.compile(r"(?:\n\n)?\[attached file: [^\n\]]*\]\n(`{3,})text\n")
"""The frame put before a file's text by `_section`."""
_SPOKEN = re.compile("; spoken words follow, as [^\\n\\]]* wrote them down\\]\n")
"""End of the head of a section with a recording's words."""
_SEPARATORS = re.compile(r"[/\\]")


@dataclass(frozen=True, slots=True)
class ReadText:
    """The beginning of a text file, as much as was asked for."""

    beginning: str
    further_chars: int
    """Number of further characters in the file."""


@dataclass(frozen=True, slots=True)
class PastedText:
    """A text file of a message."""

    name: str
    text: str
    """The whole text, or as much of its beginning as there is room for."""
    size_bytes: int
    path: str
    """Path of the stored file; empty for an unstored file."""
    fault: str = ""
    """Reason why the file is not kept."""
    further_chars: int = 0
    """Number of further characters in the file."""
    title: str = ""
    """Title that the sender gave the file."""
    description: str = ""
    """Description of the file for people without sight of the content."""
    heard_by: str = ""
    """Model that transcribed a recording into the text; empty for a text file."""
    text_path: str = ""
    """Path of the stored text of a document; empty if it is not stored, or the file is a text itself."""
    remark: str = ""
    """Kind and extent of a document, and the parts missing from the text."""

    @property
    def chars(self) -> int:
        """Number of characters of the whole file."""
        return len(self.text) + self.further_chars


@dataclass(slots=True)
class Composition:
    """Words of a person, files included."""

    text: str
    shown_chars: list[int] = field(default_factory=list)
    """Number of characters of each text file in `text`, in the files' order."""


def kind_of(filename: str, media_type: str) -> FileKind:
    """Kind of a file by its name and declared type; both may be wrong.

    Args:
        filename: Name as the sender gave it.
        media_type: Such as `text/plain; charset=utf-8`; empty when undeclared.
    """
    kind = media_type.partition(";")[0].strip().lower()
    ending = filename.rpartition(".")[2].lower() if "." in filename else ""
    if kind in IMAGE_TYPES or (not kind and f"image/{ending}" in IMAGE_TYPES):
        return FileKind.IMAGE
    if kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(("+json", "+xml")) or ending in _TEXT_NAMES:
        return FileKind.TEXT
    if kind.startswith(_DATA_TYPES) or ending in _DATA_NAMES:
        return FileKind.FILE
    return FileKind.TEXT if kind in ("", "application/octet-stream") else FileKind.FILE


def is_audio(filename: str, media_type: str) -> bool:
    """True if a file is a recording by its name or declared type."""
    ending = filename.rpartition(".")[2].lower() if "." in filename else ""
    return media_type.startswith("audio/") or ending in _AUDIO_NAMES


def readable_text(data: bytes | bytearray, most_chars: int) -> ReadText | None:
    """Decode `data` as UTF-8, or as UTF-16 with a mark; None for other data or control characters.

    Decoding works in pieces and keeps only the beginning: a string can be four times as large as its bytes.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    decoder = codecs.getincrementaldecoder(encoding)()
    pieces: list[str] = []
    room, chars = most_chars, 0
    for begin in range(0, len(data), _PIECE_BYTES):
        piece = bytes(data[begin : begin + _PIECE_BYTES])
        try:
            text = decoder.decode(piece, final=begin + _PIECE_BYTES >= len(data))
        except UnicodeDecodeError:
            return None
        # Ten times as fast as to search for them, during which no other thread could run.
        plain = piece if encoding == "utf-8" else text.encode()
        if len(plain.translate(None, _NOT_IN_TEXT)) != len(plain):
            return None
        chars += len(text)
        if room > 0:
            pieces.append(text[:room])
            room -= len(pieces[-1])
    beginning = "".join(pieces)
    return ReadText(beginning, chars - len(beginning))


def usable_chars(budget_tokens: int, texts: Iterable[str]) -> int:
    """Number of characters of a message's next text file that `compose_words` can use after the kept earlier files."""
    return max(budget_tokens * _CHARS_PER_TOKEN - sum(map(len, texts)), _LEAST_SHOWN_CHARS)


def image_type(data: bytes | bytearray) -> str:
    """The media type of the image at the beginning of `data`; empty for types that models do not take."""
    return next((media_type for signature, media_type in _SIGNATURES if signature.match(data)), "")


def is_document(data: bytes | bytearray) -> bool:
    """True if `data` may be a PDF or an Office file, whatever its name; the reader looks closer."""
    if data.startswith(_ARCHIVE):
        return _CONTENT_TYPES in data and any(part in data for part in _OFFICE_PARTS)
    if _PDF.match(data) or data.startswith(_OLD_OFFICE):
        return True
    if image_type(data):
        return False
    return b"%PDF-" in data[:_LATE_PDF_BYTES] and readable_text(data[:_LATE_PDF_BYTES], 0) is None


def clean_text(text: str) -> str:
    """`text` without the control characters foreign to text."""
    return text.encode("utf-8", "replace").translate(None, _NOT_IN_TEXT).decode()


def safe_names(filenames: Iterable[str]) -> tuple[str, ...]:
    """A unique file name for each of `filenames`, also unique where case doesn't count.

    The names hold no path, no blank, no control character and no character with a meaning to a shell. No name begins
    with a dash or a dot, or has more than `LONGEST_NAME_BYTES`.
    """
    names: list[str] = []
    used: set[str] = set()
    for filename in filenames:
        stem, ending = _split_name(_clean_name(filename))
        name, count = _join_name(stem, "", ending), 1
        while name.casefold() in used:
            count += 1
            name = _join_name(stem, f"-{count}", ending)
        used.add(name.casefold())
        names.append(name)
    return tuple(names)


def compose_words(typed: str, pasted: Sequence[PastedText], budget_tokens: int) -> Composition:
    """The words of a message: the typed text, then a marked section for each text file, as far as the budget goes.

    Spoken words are a person's own, so they are shown whole and take no part of the budget. A section's fence is longer
    than any fence in the text, so no file can end its own section or pose as another.
    """
    room = budget_tokens * _CHARS_PER_TOKEN
    composition = Composition(typed)
    sections = [typed] if typed else []
    for file in pasted:
        excerpt = file.text if file.heard_by or len(file.text) <= room else file.text[:room]
        if not excerpt or (len(excerpt) < file.chars and len(excerpt) < _LEAST_SHOWN_CHARS):
            composition.shown_chars.append(0)
            continue
        room -= 0 if file.heard_by else len(excerpt)
        composition.shown_chars.append(len(excerpt))
        sections.append(_section(file, excerpt))
    composition.text = "\n\n".join(sections)
    return composition


def defused_sections(text: str) -> str:
    """Defuse `text`, which follows the typed words of `compose_words`, except for the frames of its sections."""
    parts: list[str] = []
    position = 0
    while head := _SECTION.match(text, position):
        end = text.find(f"\n{head[1]}", head.end()) + 1
        if not end:
            break
        parts += (head[0], defuse(text[head.end() : end]), head[1])
        position = end + len(head[1])
    return "".join((*parts, defuse(text[position:])))


def spoken_texts(text: str) -> list[str]:
    """Words of the recordings in a message, as placed by `compose_words`; words in a file's text do not count."""
    texts: list[str] = []
    position = 0
    while head := _SECTION.search(text, position):
        end = text.find(f"\n{head[1]}", head.end())
        position = head.end() if end < 0 else end + len(head[1])
        if end >= 0 and _SPOKEN.search(head[0]):
            texts.append(text[head.end() : end])
    return texts


def attachments_meta(files: Iterable[Attachment]) -> list[dict[str, MetaValue]]:
    """Metadata of a message's files for the log."""
    return [_file_meta(file) for file in files]


def attachment_lines(meta: Mapping[str, Any]) -> str:
    """Lines for a prompt that name the files of a logged message missing from the message's text."""
    return "".join(f"\n[attachment: {line}]" for file in meta.get("attachments") or () if (line := _line(file)))


def images_of(meta: Mapping[str, Any]) -> tuple[ImageFile, ...]:
    """The images of a logged message kept for models to see."""
    return tuple(
        ImageFile(path=str(file["path"]), media_type=str(file.get("type", "")))
        for file in meta.get("attachments") or ()
        if file.get("kind") == FileKind.IMAGE and file.get("path")
    )


def first_shown(images: int) -> int:
    """Number, from 0, of the first image that a request shows, by the conversation's number of images so far.

    The number moves by `FEWER_IMAGES` at a time and never back.
    """
    beyond = images - MOST_IMAGES
    return 0 if beyond <= 0 else -(-beyond // FEWER_IMAGES) * FEWER_IMAGES


def _section(file: PastedText, excerpt: str) -> str:
    name, fence = _name_in_line(file.name), fence_for(excerpt)
    saved = f", saved as {file.path}" if file.path else f", {file.fault}" if file.fault else ""
    saved += f", all of its text as {file.text_path}" if file.text_path else ""
    remark = f", {_in_line(file.remark)}" if file.remark else ""
    how_much = ""
    if file.heard_by:
        how_much = f"; spoken words follow, as {_name_in_line(file.heard_by)} wrote them down"
    elif len(excerpt) < file.chars:
        how_much = f"; the first {len(excerpt):,} of {file.chars:,} characters follow"
    newline = "" if excerpt.endswith("\n") else "\n"
    labels = "".join(f", {_in_line(label)}" for label in _labels(file.title, file.description))
    head = f"[attached file: {name}, {file.size_bytes:,} bytes{labels}{remark}{saved}{how_much}]"
    return f"{head}\n{fence}text\n{excerpt}{newline}{fence}"


def _file_meta(file: Attachment) -> dict[str, MetaValue]:
    meta: dict[str, MetaValue] = {"filename": file.filename, "url": file.url, "size": file.size_bytes}
    if file.kind is FileKind.UNREAD:
        return meta
    meta["kind"] = file.kind.value
    optional: dict[str, MetaValue] = {
        "type": file.media_type,
        "path": file.path,
        "text": file.text_path,
        "note": file.note,
        "shown": file.shown_chars,
        "title": file.title,
        "description": file.description,
    }
    return meta | {name: value for name, value in optional.items() if value}


def _line(file: Mapping[str, Any]) -> str:
    """Line that names a file; empty if the message's text names the file already."""
    if file.get("shown"):
        return ""
    name = _name_in_line(str(file.get("filename", "")))
    parts = [f"{file.get('size', 0)} bytes"]
    if "kind" not in file:
        parts.append(str(file.get("url", "")))
    else:
        saved = f"saved as {file['path']}" if file.get("path") else ""
        text = f"its text as {file['text']}" if file.get("text") else ""
        parts += (str(file.get("type", "")), saved, text, str(file.get("note", "")))
    parts += _labels(str(file.get("title", "")), str(file.get("description", "")))
    return ", ".join([name, *(_in_line(part) for part in parts if part)])


def _labels(title: str, description: str) -> list[str]:
    """A file's title and description in the words of the sender."""
    labels = (("titled", title), ("described as", description))
    return [f"{word} {shown_line(label, _LONGEST_LABEL)}" for word, label in labels if label.strip()]


def _in_line(text: str) -> str:
    return shown_line(text, _LONGEST_SHOWN_PART).replace("[", "(").replace("]", ")")


def _name_in_line(name: str) -> str:
    """A sender's name for a file, fit for a line of the runtime."""
    printable = "".join(character if character.isprintable() else " " for character in name)
    in_line = " ".join(printable.replace("[", "(").replace("]", ")").split()) or "unnamed"
    return in_line if len(in_line) <= _LONGEST_SHOWN_NAME else in_line[: _LONGEST_SHOWN_NAME - 1] + "…"


def _clean_name(filename: str) -> str:
    name = unicodedata.normalize("NFC", _SEPARATORS.split(filename)[-1])
    safe = "".join(character if character.isalnum() or character in "._-+@=," else "_" for character in name)
    return safe.lstrip(".-_") or "file"


def _split_name(name: str) -> tuple[str, str]:
    """Stem and ending; the ending includes the dot and is short enough to be an ending."""
    stem, dot, ending = name.rpartition(".")
    if not stem or not ending or len(ending.encode()) > 16:
        return name, ""
    return stem, dot + ending


def _join_name(stem: str, number: str, ending: str) -> str:
    room = LONGEST_NAME_BYTES - len(number) - len(ending.encode())
    return stem.encode()[:room].decode(errors="ignore") + number + ending
