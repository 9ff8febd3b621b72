"""Report of the reader to the agent: whole lines of JSON, so a kill costs only the unwritten part."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

MOST_CHARS = 4 << 20
"""Of a document's text."""
_LINE_CHARS = 1 << 15


class UnreadableError(Exception):
    """The document cannot be read; the text says why, for a model and a person."""


class FullError(Exception):
    """The text has as many characters as may be told."""


class Report:
    """Writer of the lines."""

    def __init__(self, write: Callable[[bytes], object], most_chars: int = MOST_CHARS) -> None:
        """Begin without output.

        Args:
            write: Writes a line.
            most_chars: Most characters of the text.
        """
        self._write = write
        self._most_chars = most_chars
        self._pieces: list[str] = []
        self._waiting = 0
        self._is_cut = False
        """True if only a part of the last line may be written; the next line must not continue the part."""
        self.chars = 0

    def begin(self, kind: str, about: str) -> None:
        """Tell the kind of the document, for example `PDF`, and the extent, for example `3 pages`."""
        self._say(kind=kind, about=about)

    def add(self, text: str) -> None:
        """Add to the text.

        Raises:
            FullError: no more may be told.
        """
        room = self._most_chars - self.chars
        piece = text[:room]
        self._pieces.append(piece)
        self._waiting += len(piece)
        self.chars += len(piece)
        if self._waiting >= _LINE_CHARS:
            self.flush()
        if len(text) > room:
            raise FullError

    def remark(self, words: str) -> None:
        """Add a remark on the whole text, shown before the text."""
        self._say(remark=words)

    def refuse(self, reason: str) -> None:
        """Say why there is no text."""
        self._say(unread=reason)

    def flush(self) -> None:
        """Write waiting output."""
        text = "".join(self._pieces)
        self._pieces.clear()
        self._waiting = 0
        for start in range(0, len(text), _LINE_CHARS):
            self._say(text=text[start : start + _LINE_CHARS])

    def end(self) -> None:
        """Mark the end of the report."""
        self.flush()
        self._say(end=True)

    def _say(self, **fields: object) -> None:
        clean = {name: _encodable(value) if isinstance(value, str) else value for name, value in fields.items()}
        line = json.dumps(clean, ensure_ascii=False).encode() + b"\n"
        begin = b"\n" if self._is_cut else b""
        self._is_cut = True  # if the time ends within `write`
        self._write(begin + line)
        self._is_cut = False


def ranges(numbers: Iterable[int]) -> str:
    """Numbers in ascending order, in words: `3, 5 to 9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join(" to ".join(map(str, run)) for run in runs)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8", "replace")
