"""Lines of a file that people edit with programs of their own."""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"


class EditRefusedError(Exception):
    """The edit cannot be made and the file is as it was; the text says why."""


def line_end(data: bytes) -> bytes:
    """What most lines of `data` end with."""
    carriage_returns = data.count(b"\r\n")
    return b"\r\n" if carriage_returns * 2 > data.count(b"\n") else b"\n"
