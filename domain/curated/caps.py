"""Caps on what is injected of an index: so many lines and bytes, cut behind a line or at least a character."""

from __future__ import annotations

from dataclasses import dataclass

from domain.text.lines import decode_text, encode_text, lines_of


@dataclass(frozen=True, slots=True)
class Capped:
    """Beginning of an index."""

    data: bytes
    lines: int
    """Number of lines of the injected part."""
    total_lines: int
    total_bytes: int

    @property
    def is_cut(self) -> bool:
        """True if the file has further bytes that are not injected."""
        return len(self.data) < self.total_bytes


def cap_index(data: bytes, max_lines: int, max_bytes: int) -> Capped:
    """As many whole lines of the beginning as both limits hold; of a first line that is too long, whole characters.

    Args:
        data: UTF-8, or whatever else the file holds.
        max_lines: At least 0.
        max_bytes: At least 0; line ends count.
    """
    lines = [encode_text(line) for line in lines_of(decode_text(data))]
    count = room = 0
    for line in lines[:max_lines]:
        if room + len(line) > max_bytes:
            break
        count, room = count + 1, room + len(line)
    if not count and lines and max_lines and max_bytes:
        cut = _whole_characters(lines[0][:max_bytes])
        return Capped(cut, 1 if cut else 0, len(lines), len(data))
    return Capped(data[:room], count, len(lines), len(data))


def _whole_characters(data: bytes) -> bytes:
    """`data` without an incomplete character at the end."""
    for tail in range(1, min(4, len(data)) + 1):
        byte = data[-tail]
        if byte & 0b1100_0000 == 0b1000_0000:
            continue
        length = 4 if byte >= 0b1111_0000 else 3 if byte >= 0b1110_0000 else 2 if byte >= 0b1100_0000 else 1
        return data[:-tail] if length > tail else data
    return data
