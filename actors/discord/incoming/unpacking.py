"""Attachments of a message: read, judged by their bytes, kept, and put into the message's words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import discord
import msgspec

from actors.discord.incoming.attachment_store import keep, kept_path
from actors.discord.incoming.fetching import Fetcher, UnfetchedError
from domain.turn.attachments import (
    LONGEST_IMAGE_BYTES,
    PastedText,
    composed,
    image_type,
    kind_of,
    readable_text,
    safe_names,
)
from messages.base import Window
from messages.context import Attachment, FileKind

log = logging.getLogger(__name__)

WorkdirOf = Callable[[Window], Path]
"""Gives a window's working directory; `ValueError` for a window that has none."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A message's words and files."""

    text: str
    """What was typed, then the text files' sections."""
    typed_chars: int | None
    """How much of it was typed; None for all of it."""
    files: tuple[Attachment, ...]


@dataclass(slots=True)
class _File:
    """A file on its way in."""

    entry: Attachment
    """What is told of it."""
    name: str
    """Under which it is kept."""
    data: bytes | None = None
    text: str | None = None


class Unpacking:
    """Reader of the files of messages; what goes wrong with one is told instead of it, and never costs the message."""

    def __init__(self, *, fetcher: Fetcher, workdir_of: WorkdirOf | None, most_bytes: int, paste_tokens: int) -> None:
        """With nothing under way.

        Args:
            fetcher: Reads bytes.
            workdir_of: Where files are kept; None if nowhere.
            most_bytes: Larger files are not read.
            paste_tokens: Most of text files that goes into a message's words.
        """
        self._fetcher = fetcher
        self._workdir_of = workdir_of
        self._most_bytes = most_bytes
        self._paste_tokens = paste_tokens

    async def unpack(self, message: discord.Message, window: Window) -> Unpacked:
        """The message's words and files, once all of these are read and kept or given up."""
        names = safe_names(file.filename for file in message.attachments)
        files = [_File(_declared(file), name) for file, name in zip(message.attachments, names, strict=True)]
        await asyncio.gather(*(self._read(file) for file in files))
        await self._keep(files, window, str(message.id))
        return self._worded(message.content, files)

    async def _read(self, file: _File) -> None:
        """Fetch one file and see what it is."""
        attachment = file.entry
        if attachment.size_bytes > self._most_bytes:
            file.entry = _lost(attachment, f"it is too large: at most {self._most_bytes:,} bytes are read")
            return
        try:
            data = await self._fetcher.fetch(attachment.url, self._most_bytes)
            file.entry, file.text = await asyncio.to_thread(_judged, attachment, data)
            file.data = data
        except UnfetchedError as error:
            file.entry = _lost(attachment, str(error))
        except Exception as error:
            log.exception("an attached file could not be read")
            file.entry = _lost(attachment, f"reading it went wrong with {type(error).__name__}")

    async def _keep(self, files: list[_File], window: Window, message_id: str) -> None:
        contents = {file.name: file.data for file in files if file.data is not None}
        if not contents:
            return
        fault = await asyncio.to_thread(self._kept, window, message_id, contents)
        for file in files:
            if file.data is None:
                continue
            file.entry = _unkept(file.entry, fault) if fault else _placed(file.entry, kept_path(message_id, file.name))

    def _kept(self, window: Window, message_id: str, contents: dict[str, bytes]) -> str:
        """Why the files could not be kept; empty if they are. Runs beside the loop."""
        if self._workdir_of is None:
            return "files are not kept here"
        try:
            keep(self._workdir_of(window), message_id, contents)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            log.warning("attached files of window %s cannot be kept: %s", window.address.key, reason)
            return f"it cannot be kept: {reason}"
        return ""

    def _worded(self, typed: str, files: list[_File]) -> Unpacked:
        texts = [(file, file.text) for file in files if file.text is not None]
        pasted = [PastedText(file.entry.filename, text, file.entry.size_bytes, file.entry.path) for file, text in texts]
        composition = composed(typed, pasted, self._paste_tokens)
        for (file, text), shown_chars in zip(texts, composition.shown_chars, strict=True):
            note = "not shown here: there is no room for it" if text and not shown_chars else ""
            file.entry = msgspec.structs.replace(file.entry, shown_chars=shown_chars, note=file.entry.note or note)
        typed_chars = len(typed) if any(composition.shown_chars) else None
        return Unpacked(composition.text, typed_chars, tuple(file.entry for file in files))


def _declared(file: discord.Attachment) -> Attachment:
    media_type = (file.content_type or "").partition(";")[0].strip().lower()
    kind = kind_of(file.filename, media_type)
    return Attachment(
        filename=file.filename, url=file.url, size_bytes=file.size, media_type=media_type[:100], kind=kind
    )


def _judged(attachment: Attachment, data: bytes) -> tuple[Attachment, str | None]:
    """What the file is, now that it is known, and its text if it is one."""
    sized = msgspec.structs.replace(attachment, size_bytes=len(data))
    if attachment.kind is FileKind.TEXT:
        text = readable_text(data)
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


def _lost(attachment: Attachment, reason: str) -> Attachment:
    return msgspec.structs.replace(attachment, kind=FileKind.FILE, note=f"not read: {reason}")


def _placed(attachment: Attachment, path: str) -> Attachment:
    return msgspec.structs.replace(attachment, path=path)


def _unkept(attachment: Attachment, fault: str) -> Attachment:
    """A file that is only known by what was read of it; an image that isn't kept cannot be shown."""
    kind = FileKind.FILE if attachment.kind is FileKind.IMAGE else attachment.kind
    return msgspec.structs.replace(
        attachment, kind=kind, note=f"{attachment.note}; {fault}" if attachment.note else fault
    )
