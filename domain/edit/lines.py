"""Lines of a file also edited by people with programs of their own."""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"


class EditRefusedError(Exception):
    """The edit is impossible and the file is unchanged; the text gives the reason."""


def separator(data: bytes) -> bytes:
    """Byte between the lines of `data`: a line feed, or a carriage return where there is no line feed at all."""
    return b"\r" if b"\r" in data and b"\n" not in data else b"\n"


def line_count(data: bytes) -> int:
    """Ends of lines in `data`."""
    return data.count(separator(data))


def without_mark(data: bytes) -> bytes:
    """`data` without the byte order mark at the head, or several marks as left by some programs."""
    while data.startswith(BOM):
        data = data[len(BOM) :]
    return data


def line_end(data: bytes) -> bytes:
    """Line end of most lines of `data`, recognised by line feeds."""
    carriage_returns = data.count(b"\r\n")
    return b"\r\n" if carriage_returns * 2 > data.count(b"\n") else b"\n"


def padding(data: bytes) -> bytes:
    """Carriage return before the separator of most lines of `data`; empty without a carriage return."""
    return line_end(data).removesuffix(b"\n")
