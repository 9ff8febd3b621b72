"""Events of a streamed answer: bytes as they arrive, into chunks. Pure.

Source:
    The WHATWG's HTML standard, 9.2.6, and the variants of model servers: events without blank lines between,
    errors without a field's name, JSON in separate lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from domain.text.answer.chunk import Chunk, chunk_of

MOST_LINE_BYTES = 8 * 1024 * 1024
_MOST_ERROR_BYTES = 4_000
_LINE_END = re.compile(rb"\r\n?|\n")
_END_MARK = re.compile(rb'"?\[DONE\]"?', re.IGNORECASE)
_FIELD = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*(data|error|event):")
"""Fields to read; llama.cpp's servers sent errors in a field of their own (coddy-project/coddy-agent#106)."""


class LineTooLongError(ValueError):
    """A line without an end, so no answer can be read from it."""


class EventStream:
    """Splitter of a stream that reads each byte once. Lines end by LF, CR or both, wherever the bytes are cut."""

    def __init__(self, most_line_bytes: int = MOST_LINE_BYTES) -> None:
        self._most_line_bytes = most_line_bytes
        self._rest = bytearray()
        self._is_after_cr = False
        self._open: list[bytes] = []
        """Lines of data, no JSON on their own."""
        self._open_bytes = 0
        self._is_error = False
        """True within an event named error."""
        self.is_done = False
        """True if the server has announced the end."""
        self.has_holes = False
        """True if data that began as an object could not be read: words may be missing."""

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """The chunks that `data` completes, to be taken before the next call; other data is left out.

        Raises:
            LineTooLongError: a line is longer than the limit.
        """
        if self._is_after_cr and data.startswith(b"\n"):
            data = data[1:]
        if data:
            self._is_after_cr = data.endswith(b"\r")
        first, *others = _LINE_END.split(data)
        self._rest += first
        if len(self._rest) > self._most_line_bytes:
            raise LineTooLongError(f"a line of an answer is longer than {self._most_line_bytes} bytes")
        if not others:
            return iter(())
        lines = [bytes(self._rest), *others[:-1]]
        self._rest = bytearray(others[-1])
        return self._chunks(lines)

    def end(self) -> Iterator[Chunk]:
        """The chunks in the last line if the line is whole although its end is missing."""
        rest, self._rest = bytes(self._rest), bytearray()
        return self._chunks([rest, b""])

    def _chunks(self, lines: list[bytes]) -> Iterator[Chunk]:
        for line in lines:
            field = _FIELD.match(line)
            if not line:
                if not (self._open or self._is_error):
                    continue
                chunk = self._end_event()
            elif field is not None and field[1] == b"event":
                self._is_error = line[field.end() :].strip().lower() == b"error"
                continue
            else:
                chunk = self._take(line[field.end() :] if field else line, is_field=field is not None)
            if chunk is not None:
                yield chunk

    def _take(self, line: bytes, *, is_field: bool) -> Chunk | None:
        """The chunk in a single line; the data of a possible part of a chunk is kept."""
        data = line.strip()
        if _END_MARK.fullmatch(data):
            self.is_done = True
            return None
        chunk = chunk_of(data)
        if chunk is not None and self._open and not (chunk.parts() or chunk.usage or chunk.reported_error()):
            chunk = None  # an object within one that stands on several lines
        if chunk is None:
            if is_field and self._open_bytes <= self._most_line_bytes:
                self._open.append(line.removeprefix(b" "))
                self._open_bytes += len(line) + 1
            return None
        if self._open:
            self._lose_open()
        return self._with_error(chunk) if self._is_error else chunk

    def _end_event(self) -> Chunk | None:
        """The chunk in lines that form a chunk only together, at the blank line behind the lines."""
        data = b"\n".join(self._open).strip()
        chunk = chunk_of(data) if len(self._open) > 1 else None
        if chunk is None and self._is_error and data:
            chunk = Chunk(error=data[:_MOST_ERROR_BYTES].decode("utf-8", "replace"))
        if chunk is None:
            self._lose_open()
        self._open.clear()
        self._open_bytes = 0
        chunk = self._with_error(chunk) if chunk is not None and self._is_error else chunk
        self._is_error = False
        return chunk

    def _lose_open(self) -> None:
        self.has_holes = self.has_holes or b"".join(self._open[:1]).lstrip().startswith(b"{")
        self._open.clear()
        self._open_bytes = 0

    def _with_error(self, chunk: Chunk) -> Chunk:
        """The chunk of an event named error, whose data may have no words of one."""
        if not chunk.reported_error():
            chunk.error = "an event named error"
        return chunk
