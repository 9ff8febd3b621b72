"""Lines of a file that people edit with programs of their own."""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"


class EditRefusedError(Exception):
    """The edit cannot be made and the file is as it was; the text says why."""


def separator(data: bytes) -> bytes:
    """Byte between the lines of `data`: a line feed, or a carriage return where there is no line feed at all."""
    return b"\r" if b"\r" in data and b"\n" not in data else b"\n"


def line_count(data: bytes) -> int:
    """Ends of lines in `data`."""
    return data.count(separator(data))


def without_mark(data: bytes) -> bytes:
    """`data` without the byte order mark at its head, or several as some programs leave there."""
    while data.startswith(BOM):
        data = data[len(BOM) :]
    return data


def line_end(data: bytes) -> bytes:
    """End of most lines of `data`, which are told by their line feeds."""
    carriage_returns = data.count(b"\r\n")
    return b"\r\n" if carriage_returns * 2 > data.count(b"\n") else b"\n"


def padding(data: bytes) -> bytes:
    """Carriage return that most lines of `data` have before their separator; empty if they have none."""
    return line_end(data).removesuffix(b"\n")
