"""Look at a file: the file's state at the time of opening."""

from __future__ import annotations

import codecs
import hashlib
from enum import StrEnum

import msgspec

from messages.base import make_ready

KEPT_BYTES = 256 * 1024
"""Bytes kept from the beginning of a larger file."""


class Status(StrEnum):
    """Kind of knowledge about a file."""

    TEXT = "text"
    BINARY = "binary"
    """The file has a NUL, or is not UTF-8."""
    LARGE = "large"
    """Text of more than `KEPT_BYTES`, with only the beginning kept."""
    UNREAD = "unread"
    """The file was seen, and not read."""
    MISSING = "missing"
    """The file is gone; never the status of a look."""


class Signature(msgspec.Struct, frozen=True, gc=False):
    """Signature of a file: differs after every change of the file, as long as clocks go forward."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class FileLook(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """State of a file at one look."""

    path: str
    """Plain path, as defined by `path.is_plain`."""
    signature: Signature
    """Signature before the first byte was read, so a file changed meanwhile has another signature."""
    status: str
    """One of `Status`, and never `missing`."""
    size: int
    """Bytes of the file."""
    content_hash: str
    """SHA-256 of the bytes, hexadecimal; for a known beginning, of the beginning, a NUL and `size`. Empty if unread."""
    text: str | None
    """None for a binary or unread file."""


def look_at_bytes(path: str, signature: Signature, beginning: bytes) -> FileLook:
    """State of a file by content.

    Args:
        path: Plain.
        signature: Signature before the reading.
        beginning: All of the file, or more than `KEPT_BYTES`.
    """
    if len(beginning) > KEPT_BYTES:
        return _looked_at_large(path, signature, beginning)
    text = _text_of(beginning, is_whole=True)
    return FileLook(
        path=path,
        signature=signature,
        status=Status.BINARY if text is None else Status.TEXT,
        size=len(beginning),
        content_hash=hashlib.sha256(beginning).hexdigest(),
        text=text,
    )


def unread_look(path: str, signature: Signature) -> FileLook:
    """State of a file known only by signature."""
    return FileLook(
        path=path, signature=signature, status=Status.UNREAD, size=signature.size, content_hash="", text=None
    )


def _looked_at_large(path: str, signature: Signature, beginning: bytes) -> FileLook:
    size = max(signature.size, len(beginning))
    start = beginning[:KEPT_BYTES]
    text = _text_of(start, is_whole=False)
    if text is not None:
        start = text.encode()
    return FileLook(
        path=path,
        signature=signature,
        status=Status.BINARY if text is None else Status.LARGE,
        size=size,
        content_hash=hashlib.sha256(b"%b\0%d" % (start, size)).hexdigest(),
        text=text,
    )


def _text_of(data: bytes, *, is_whole: bool) -> str | None:
    """Text of bytes; a character cut off at the end is left out unless the bytes are the whole."""
    if b"\0" in data:
        return None
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data, is_whole)
    except UnicodeDecodeError:
        return None


make_ready(__name__)
