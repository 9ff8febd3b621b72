"""Answer in transit: bytes as they arrive, in events, in lines, or as the JSON of a server without streaming. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

from domain.text.answer.assembly import Assembly
from domain.text.answer.chunk import Choice, Chunk, chunk_of
from domain.text.answer.ending import is_broken_off
from domain.text.answer.events import EventStream, LineTooLongError

_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_GLUED_END = re.compile(rb"\s*(?:data:\s*)?\[DONE\]\s*\Z")
"""A stream's end mark behind a document, as some gateways send it."""
MOST_DOCUMENT_BYTES = 64 * 1024 * 1024


def _nothing(_piece: str) -> None:
    """Ignore a piece."""


class AnswerStream:
    """Reader of an answer, whatever the server calls the form. Only the first choice counts."""

    def __init__(
        self,
        say: Callable[[str], object] = _nothing,
        *,
        most_chars: int | None = None,
        most_document_bytes: int = MOST_DOCUMENT_BYTES,
    ) -> None:
        """Begin without bytes.

        Args:
            say: Called with each piece of text.
            most_chars: Limit for the assembled answer; None for no bound.
            most_document_bytes: Limit for an answer that is not a stream.
        """
        self._say = say
        self._most_chars = most_chars
        self._most_document_bytes = most_document_bytes
        self._events = EventStream()
        self._body = bytearray()
        """All bytes received, as long as the bytes may be JSON."""
        self._looked_at = 0
        """Bytes of the document searched without finding the first line's end; negative once the line has ended."""
        self._followed: str | None = None
        self.assembly = Assembly(most_chars)
        self.is_stream: bool | None = None
        """False for a JSON document, None while only blanks have come."""
        self.error: object = None
        """The first error reported by the server before the announced end."""
        self.usage: object = None
        """Last usage stated, as the server wrote it."""
        self.choices = 0
        """Parts of the answer, with words or without."""
        self.tells_reasons = False
        """True if a part had a place for the reason of the end."""
        self.has_ended = False
        """True behind a mark of the end: `[DONE]`, or a reason without words."""

    @property
    def is_done(self) -> bool:
        """True if the server has announced the end."""
        return self._events.is_done

    @property
    def has_holes(self) -> bool:
        """True if a part of a stream could not be read."""
        return self._events.has_holes

    @property
    def is_broken(self) -> bool:
        """True if the server reports: the rest of the answer will not come."""
        return bool(self.error) or is_broken_off(self.assembly.finish_reason)

    def feed(self, data: bytes) -> None:
        """Take in bytes.

        Raises:
            LineTooLongError: a line or a document is longer than the limit.
        """
        if self.is_stream:
            self._take(self._events.feed(data))
            return
        self._body += data
        if self.is_stream is None and not self._has_form():
            return
        self.is_stream = not self._body.startswith(b"{") or self._begins_with_line()
        if self.is_stream:
            self._take(self._events.feed(self._take_body()))
        elif len(self._body) > self._most_document_bytes:
            raise LineTooLongError(f"an answer is longer than {self._most_document_bytes} bytes")

    def end(self) -> None:
        """Finish the answer after the last byte."""
        if not self.is_stream and (body := self._take_body()):
            if (whole := chunk_of(_GLUED_END.sub(b"", body.strip()))) is not None:
                self._take_document(whole)
                return
            self._take(self._events.feed(body))
        self._take(self._events.end())

    def _has_form(self) -> bool:
        """True once the first byte that decides the form has come; leading blanks and a byte order mark are dropped."""
        self._body = self._body.lstrip(_BLANKS)
        if self._body.startswith(_BOM):
            self._body = self._body[len(_BOM) :].lstrip(_BLANKS)
        return len(self._body) >= len(_BOM) or not _BOM.startswith(self._body)

    def _take_body(self) -> bytes:
        body, self._body = bytes(self._body), bytearray()
        return body

    def _begins_with_line(self) -> bool:
        """True if the first line is a chunk on its own and further lines follow."""
        if self._looked_at < 0:
            return False
        at = self._body.find(b"\n", self._looked_at)
        self._looked_at = len(self._body) if at < 0 else -1
        chunk = chunk_of(bytes(self._body[:at]).strip()) if at >= 0 else None
        return chunk is not None and (chunk.done is not None or any(each.delta for each in chunk.choices or ()))

    def _take_document(self, chunk: Chunk) -> None:
        """Take in a whole answer, which needs no reason for the end."""
        self.is_stream = False
        self.usage = chunk.usage or self.usage
        self.error = chunk.reported_error()
        for choice in sorted(chunk.parts(), key=lambda each: _number(each) != "0")[:1]:
            if choice.message is None and choice.delta is None:
                continue
            self.choices += 1
            self._followed = _number(choice)
            self.assembly.add(choice, is_whole=True)
            reason = choice.finish_reason
            self.assembly.finish_reason = reason if reason and isinstance(reason, str) else "stop"
            self.has_ended = True

    def _take(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            self.usage = chunk.usage or self.usage
            if not self.error and not (self.is_done and self.assembly.finish_reason):
                self.error = chunk.reported_error()
            for choice in chunk.parts():
                self.choices += 1
                self.tells_reasons |= choice.finish_reason is not msgspec.UNSET
                if not self._follows(choice):
                    continue
                had = self.assembly.size
                if piece := self.assembly.add(choice):
                    self._say(piece)
                self.has_ended |= bool(choice.finish_reason) and self.assembly.size == had
        self.has_ended |= self.is_done

    def _follows(self, choice: Choice) -> bool:
        """True for the first choice: the first to come counts as first until choice 0 comes."""
        number = _number(choice)
        if self._followed is None:
            self._followed = number
        elif number != self._followed and number == "0":
            self._followed, self.assembly = number, Assembly(self._most_chars)
        return number == self._followed


def _number(choice: Choice) -> str:
    return str(choice.index or 0)
