"""Ring of the newest lines, each with its place; the oldest go when the lines are too many or too long."""

from __future__ import annotations

from collections import deque


class Ring:
    """Lines with places that count up and never repeat."""

    def __init__(self, most: int, most_chars: int, begin: int = 0) -> None:
        """Begin with an empty ring.

        Args:
            most: Most lines to keep.
            most_chars: Characters of all lines together, at most; the newest line is kept however long it is.
            begin: Place before the first line's.
        """
        self._most = most
        self._most_chars = most_chars
        self._lines: deque[str] = deque()
        self._chars = 0
        self.begin = begin
        self.last = begin
        """Place of the newest line; `begin` before the first."""

    def __len__(self) -> int:
        """Number of kept lines."""
        return len(self._lines)

    def add(self, line: str) -> None:
        """Keep a line as the newest."""
        self._lines.append(line)
        self._chars += len(line)
        self.last += 1
        while len(self._lines) > 1 and (len(self._lines) > self._most or self._chars > self._most_chars):
            self._chars -= len(self._lines.popleft())

    def after(self, place: int, most_chars: int) -> tuple[tuple[str, ...], int, int]:
        """Lines behind `place`, up to `most_chars` characters, at least one line if there is any.

        Returns:
            The lines, oldest first; the place of the last line; the number of dropped lines before the first.
        """
        first = self.last - len(self._lines) + 1
        start = max(place + 1, first)
        lines: list[str] = []
        chars = 0
        for position in range(start - first, len(self._lines)):
            line = self._lines[position]
            chars += len(line)
            if lines and chars > most_chars:
                break
            lines.append(line)
        return tuple(lines), start + len(lines) - 1, start - place - 1

    def skip(self) -> None:
        """Drop all lines, and count a single missed line for all lines not kept."""
        self.clear()
        self.last += 1

    def clear(self) -> None:
        """Drop all lines; places go on."""
        self._lines.clear()
        self._chars = 0
