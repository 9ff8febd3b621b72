"""Attachments of a message: read, judged by their bytes, kept, and put into the message's words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from actors.discord.calls.parsing import WireMessage
from actors.discord.incoming.attachment_store import kept_path
from actors.discord.incoming.disk import Disk
from actors.discord.incoming.fair_limiter import FairLimiter
from actors.discord.incoming.fetching import Fetcher, UnfetchedError
from actors.discord.incoming.reading.documents import Documents, is_called_document
from actors.discord.incoming.reading.listening import OFF, Listening, Unheard, answer_unheard
from actors.discord.incoming.reading.shelf import Shelf
from domain.turn.attachments import (
    LONGEST_IMAGE_BYTES,
    PastedText,
    ReadText,
    compose_words,
    image_type,
    is_audio,
    is_document,
    kind_of,
    readable_text,
    safe_names,
    usable_chars,
)
from domain.turn.discord.said import Words, files_of
from domain.turn.discord.wire import Wire, number_at, text_at
from messages.base import Window
from messages.context import Attachment, FileKind

log = logging.getLogger(__name__)

_HELD_BYTES = 64 << 20
"""Most bytes of all files being read, judged and kept at a time."""
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A message's words and files."""

    text: str
    """Typed text, followed by descriptions of the other parts, and by the sections of the text files."""
    typed_chars: int | None
    """Number of typed characters; None if all are typed."""
    told_chars: int
    """Number of characters after the typed text with the descriptions of the other parts."""
    files: tuple[Attachment, ...]
    unheard: str = ""
    """Answer to the author of a voice message without words; empty for any other message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBounds:
    """Bounds of the files of messages."""

    most_bytes: int
    """Larger files are not read."""
    paste_tokens: int
    """Most tokens of text files in a message's words."""
    most_lost_s: float
    """Seconds spent on a message's failed downloads, after which the other files are not requested."""
    held_bytes: int = _HELD_BYTES
    """Most bytes of all messages in memory."""


def only_words(words: Words, files: tuple[Attachment, ...] = ()) -> Unpacked:
    """Words of a message without the texts of files."""
    return Unpacked(words.all, len(words.typed) if words.notes else None, len(words.all) - len(words.typed), files)


@dataclass(slots=True)
class _File:
    """A file on its way in."""

    entry: Attachment
    """Description of the file for the window."""
    name: str
    """Name under which the file is kept."""
    text_name: str
    """Name under which the text of a document is kept."""
    is_document: bool = False
    """True if the file is called a document, or has been found to be a document."""
    remark: str = ""
    """Kind and extent of a document, and parts missing from its text."""
    text: ReadText | None = None
    fault: str = ""
    """Reason for which the file is not kept."""
    heard_by: str = ""
    """Model that transcribed the recording into `text`."""
    unheard: str = ""
    """Why a recording has no words."""


class Unpacking:
    """Reader of the files of messages; a file's failure is told in the file's place, and never costs the message.

    Of a message one file is in memory at a time, and of all messages no more than `held_bytes`, or one file if a file
    may be larger; the windows take turns. Documents take turns of their own, since reading a document takes seconds:
    two more files may be in memory for documents.
    """

    def __init__(
        self,
        *,
        fetcher: Fetcher,
        disk: Disk,
        bounds: FileBounds,
        listening: Listening,
        documents: Documents,
    ) -> None:
        """Begin with no file under way.

        Args:
            fetcher: Reads bytes.
            disk: Folders of the files.
            bounds: Sizes and times.
            listening: Gives the words of recordings.
            documents: Gives the texts of documents.
        """
        self._fetcher = fetcher
        self._disk = disk
        self._most_bytes = bounds.most_bytes
        self._paste_tokens = bounds.paste_tokens
        self._most_lost_s = bounds.most_lost_s
        self._listening = listening
        self._documents = documents
        self._turns = FairLimiter(max(1, min(_AT_ONCE, bounds.held_bytes // max(1, bounds.most_bytes))))

    async def unpack(self, message: WireMessage, words: Words, window: Window, *, is_kept: bool = True) -> Unpacked:
        """Words and files of a message, once all files are read and kept or given up; raises only on cancellation.

        Args:
            message: With the files.
            words: Text of the message beside the files.
            window: Owner of the files.
            is_kept: True if files are stored; otherwise only the texts of text files are read.
        """
        attached = tuple(files_of(message.wire))
        try:
            files = _files(attached)
            await self._take_in(files, Shelf(self._disk if is_kept else None, window, str(message.id)))
            return replace(self._unpacked_words(words, files), unheard=self._answer_unheard(message.wire, files))
        except Exception as error:
            log.exception("the attached files of a message in window %s could not be read", window.address.key)
            note = f"not read: reading it went wrong with {type(error).__name__}"
            return only_words(words, tuple(_nameless(file, note) for file in attached))

    async def discard(self, message: WireMessage, window: Window) -> None:
        """Remove the kept files of a message."""
        await Shelf(self._disk, window, str(message.id)).discard()

    def _answer_unheard(self, message: Wire, files: Sequence[_File]) -> str:
        if not self._listening.limit_s:
            return answer_unheard(message, [OFF])
        return answer_unheard(message, [] if any(file.heard_by for file in files) else [file.unheard for file in files])

    async def _take_in(self, files: Sequence[_File], shelf: Shelf) -> None:
        """Read and keep the files, one after the other."""
        texts: list[str] = []
        lost_s, reading_s, until_s = 0.0, 0.0, self._listening.now_s() + self._listening.limit_s
        for file in files:
            if lost_s >= self._most_lost_s:
                file.unheard = f"others of this message did not come within {lost_s:.0f} s"
                file.entry = _note_loss(file.entry, file.unheard)
                continue
            if file.entry.size_bytes > self._most_bytes:
                file.unheard = f"it is too large: at most {self._most_bytes:,} bytes are read"
                file.entry = _note_loss(file.entry, file.unheard)
                continue
            audio, most_chars = None, usable_chars(self._paste_tokens, texts)
            if not file.is_document:
                async with self._turns.turn(shelf.window):
                    audio, spent_s = await self._take_in_one(file, shelf, most_chars)
                    lost_s += spent_s
            if file.is_document:  # as it is called, or as its content has shown: then it is fetched again
                async with self._documents.turns.turn(shelf.window):
                    began_s = asyncio.get_running_loop().time()
                    audio, spent_s = await self._take_in_one(file, shelf, most_chars, reading_s)
                    reading_s += asyncio.get_running_loop().time() - began_s
                    lost_s += spent_s
            if file.text is not None:
                texts.append(file.text.beginning)
            if audio is not None:  # beside the turns, so that a slow server keeps no other window from its files
                await self._listen(file, shelf.window, audio, until_s)
        shelf.report()

    async def _listen(self, file: _File, window: Window, audio: bytes, until_s: float) -> None:
        """Have a recording's words written down, or note the reason without words."""
        left_s = until_s - self._listening.now_s()
        transcript = await self._listening.hear(window, audio, file.entry.path, left_s)
        if isinstance(transcript, Unheard):
            note = f"not listened to: {transcript}"
            file.entry = msgspec.structs.replace(file.entry, note="; ".join(filter(None, (file.entry.note, note))))
            file.unheard = transcript
        else:
            file.text, file.heard_by = ReadText(transcript.text, 0), transcript.model

    async def _take_in_one(
        self, file: _File, shelf: Shelf, most_chars: int, reading_s: float | None = None
    ) -> tuple[bytes | None, float]:
        """Fetch a file, detect the kind and keep the file; the bytes are freed at the end.

        Args:
            file: File to fetch.
            shelf: Place of the file.
            most_chars: Number of usable characters of the text.
            reading_s: Time spent on other documents of the message; None to leave a document to a separate turn.

        Returns:
            A recording's bytes, None of any other file; seconds spent on a failed download, 0 after a success.
        """
        attachment, began_s = file.entry, asyncio.get_running_loop().time()
        try:
            data = await self._fetcher.fetch(attachment.url, self._most_bytes)
            lane = f"{shelf.window.address.key}/words"  # needs no disk, so it must not wait for one that hangs
            disk = self._disk
            judged = await disk.threads.run(lane, disk.timeout_s, _judge, attachment, data, most_chars)
            text = ""
            if judged is None:
                if reading_s is None:
                    file.is_document = True
                    return None, 0.0
                text = await self._read(file, data, shelf.window, reading_s)
                judged = file.entry, ReadText(text[:most_chars], len(text[most_chars:])) if text else None
        except UnfetchedError as error:
            file.entry, file.unheard = _note_loss(attachment, str(error)), str(error)
            return None, asyncio.get_running_loop().time() - began_s
        except Exception as error:
            log.exception("an attached file could not be read")
            file.unheard = f"reading it went wrong with {type(error).__name__}"
            file.entry = _note_loss(attachment, file.unheard)
            return None, asyncio.get_running_loop().time() - began_s
        file.entry, file.text = judged
        faults = await shelf.keep({file.name: data, **({file.text_name: text.encode()} if text else {})})
        file.fault, audio = faults.get(file.name, ""), None
        if not text and is_audio(attachment.filename, attachment.media_type):
            audio = bytes(data) if self._listening.limit_s else b""
        if not shelf.hangs:
            data.clear()  # a traceback, or a thread that is about to end, may refer to it a while longer
        path = kept_path(shelf.message_id, file.name)
        file.entry = _unkept(file.entry, file.fault) if file.fault else _place(file.entry, path)
        if text and file.text_name not in faults:
            text_path = kept_path(shelf.message_id, file.text_name)
            file.entry = msgspec.structs.replace(file.entry, text_path=text_path)
        return audio, 0.0

    async def _read(self, file: _File, data: bytearray, window: Window, reading_s: float) -> str:
        """Text of a document; empty if the file's entry gives a reason."""
        sized = msgspec.structs.replace(file.entry, size_bytes=len(data))
        file.entry, text = await self._documents.read(sized, bytes(data), window, reading_s)
        file.remark = file.entry.note if text else ""
        return text

    def _unpacked_words(self, words: Words, files: list[_File]) -> Unpacked:
        texts = [(file, file.text) for file in files if file.text is not None]
        pasted = [_paste(file, text) for file, text in texts]
        composition = compose_words(words.all, pasted, self._paste_tokens)
        for (file, text), shown_chars in zip(texts, composition.shown_chars, strict=True):
            note = "not shown here: there is no room for it" if text.beginning and not shown_chars else ""
            notes = (file.entry.note, note if file.is_document or not file.entry.note else "")
            note = "; ".join(filter(None, notes))
            file.entry = msgspec.structs.replace(file.entry, shown_chars=shown_chars, note=note)
        bare = only_words(words, tuple(file.entry for file in files))
        typed_chars = len(words.typed) if any(composition.shown_chars) else bare.typed_chars
        return replace(bare, text=composition.text, typed_chars=typed_chars)


def _files(attached: Sequence[Wire]) -> list[_File]:
    """Files of a message as declared, each with a name for itself and another for the text."""
    names = [text_at(file, "filename") for file in attached]
    safe = safe_names((*names, *(f"{name}.txt" for name in safe_names(names))))
    entries = map(_declaration, attached)
    return [
        _File(entry, name, text_name, is_document=is_called_document(name))
        for entry, name, text_name in zip(entries, safe, safe[len(names) :], strict=False)
    ]


def _declaration(file: Wire) -> Attachment:
    media_type = text_at(file, "content_type").partition(";")[0].strip().lower()
    name = text_at(file, "filename")
    return Attachment(
        filename=name,
        url=text_at(file, "url"),
        size_bytes=number_at(file, "size"),
        media_type=media_type[:100],
        kind=kind_of(name, media_type),
        title=text_at(file, "title"),
        description=text_at(file, "description"),
    )


def _nameless(file: Wire, note: str) -> Attachment:
    """Entry of a file without any trusted data but its name."""
    return Attachment(filename=text_at(file, "filename"), url="", size_bytes=0, kind=FileKind.FILE, note=note)


def _paste(file: _File, text: ReadText) -> PastedText:
    entry = file.entry
    return PastedText(
        name=entry.filename,
        text=text.beginning,
        size_bytes=entry.size_bytes,
        path=entry.path,
        fault=file.fault,
        further_chars=text.further_chars,
        title=entry.title,
        description=entry.description,
        heard_by=file.heard_by,
        text_path=entry.text_path,
        remark=file.remark,
    )


def _judge(attachment: Attachment, data: bytearray, most_chars: int) -> tuple[Attachment, ReadText | None] | None:
    """Entry of the file with the detected kind, and the beginning of the text of a text file.

    Returns:
        None for a document, read elsewhere.
    """
    if is_document(data):
        return None
    sized = msgspec.structs.replace(attachment, size_bytes=len(data))
    if attachment.kind is FileKind.TEXT:
        text = readable_text(data, most_chars)
        if text is not None:
            return sized, text
        return msgspec.structs.replace(sized, kind=FileKind.FILE, note="not shown: it is no text in UTF-8"), None
    if attachment.kind is FileKind.IMAGE:
        media_type = image_type(data)
        if not media_type:
            note = "not shown: it is no image, though it is called one"
            return msgspec.structs.replace(sized, kind=FileKind.FILE, note=note), None
        if len(data) > LONGEST_IMAGE_BYTES:
            note = f"not shown: models take images of at most {LONGEST_IMAGE_BYTES:,} bytes"
            return msgspec.structs.replace(sized, kind=FileKind.FILE, media_type=media_type, note=note), None
        return msgspec.structs.replace(sized, media_type=media_type), None
    return sized, None


def _note_loss(attachment: Attachment, reason: str) -> Attachment:
    return msgspec.structs.replace(attachment, kind=FileKind.FILE, note=f"not read: {reason}")


def _place(attachment: Attachment, path: str) -> Attachment:
    return msgspec.structs.replace(attachment, path=path)


def _unkept(attachment: Attachment, fault: str) -> Attachment:
    """Entry of a file known only by text read from the file; an image that isn't kept cannot be shown."""
    kind = FileKind.FILE if attachment.kind is FileKind.IMAGE else attachment.kind
    return msgspec.structs.replace(
        attachment, kind=kind, note=f"{attachment.note}; {fault}" if attachment.note else fault
    )
