"""Events of a streamed answer: bytes as they come, into OpenAI's chunks. Pure.

Source:
    The WHATWG's HTML standard, 9.2.6, as far as servers of models use it: each event is one line of `data`.
"""

from __future__ import annotations

import json
import re

import msgspec

from messages.base import make_ready

MOST_LINE_BYTES = 8 * 1024 * 1024
_LINE_END = re.compile(rb"\r\n?|\n")
_DONE = b"[DONE]"
_DATA = re.compile(rb"data:|error:")
"""Fields that hold JSON; llama.cpp's servers told errors in one of their own (coddy-project/coddy-agent#106)."""


class Delta(msgspec.Struct):
    """Addition of a chunk to an answer; of any type that a server sends."""

    content: object = None
    tool_calls: object = None


class Choice(msgspec.Struct):
    """The part of a chunk that belongs to one answer."""

    delta: Delta | None = None
    message: Delta | None = None
    """Whole message, from a server that sends one event in place of many."""
    finish_reason: object = None


class Report(msgspec.Struct):
    """Report of an error, in any of the forms that servers have for one within an answer."""

    error: object = None
    error_type: object = None
    error_message: object = None
    message: object = None
    detail: object = None
    code: object = None

    def fields(self) -> object:
        """The error as the server tells it: an object or words; None if nothing is told."""
        if self.error:
            return self.error
        message = self.error_message or self.message or self.detail
        if isinstance(message, dict) or not (message or self.error_type):
            return None
        return {"message": message, "type": self.error_type, "code": self.code}


class Chunk(Report):
    """One event. Unread fields are skipped without being decoded."""

    choices: list[Choice] | None = None
    usage: object = None

    def reported_error(self) -> object:
        """The error that an event tells, in place of a part of the answer; None if there is none."""
        return self.error or (None if self.choices else self.fields())


class LineTooLongError(ValueError):
    """A line that does not end, so that there is no answer in it."""


_DECODER = msgspec.json.Decoder(Chunk)


class EventStream:
    """Splitter of a stream, which looks at each byte once. Lines end by LF, CR or both, wherever they are cut."""

    def __init__(self, most_line_bytes: int = MOST_LINE_BYTES) -> None:
        self._most_line_bytes = most_line_bytes
        self._rest = bytearray()
        self._is_after_cr = False
        self.is_done = False
        """True if the server has announced the end."""

    def feed(self, data: bytes) -> list[Chunk]:
        """The chunks that `data` completes; what is no chunk is left out.

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
            return []
        lines = [bytes(self._rest), *others[:-1]]
        self._rest = bytearray(others[-1])
        return self._chunks(lines)

    def end(self) -> list[Chunk]:
        """The chunks in what came last, if it is whole although its line has no end."""
        rest, self._rest = bytes(self._rest), bytearray()
        return self._chunks([rest])

    def _chunks(self, lines: list[bytes]) -> list[Chunk]:
        chunks = []
        for line in lines:
            field = _DATA.match(line)
            data = line[field.end() :].strip() if field else line
            if data == _DONE:
                self.is_done = True
            elif (chunk := _chunk(data)) is not None:
                chunks.append(chunk)
        return chunks


def _chunk(data: bytes) -> Chunk | None:
    """The chunk that stands in a line; None for comments, names of events, and what is no JSON of the kind.

    Half a surrogate pair, which servers send that cut emojis in two, is nothing that msgspec takes.
    """
    if not data.startswith(b"{"):
        return None
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return msgspec.convert(json.loads(data.decode("utf-8", "replace")), Chunk)
    except (ValueError, RecursionError):
        return None


make_ready(__name__)
