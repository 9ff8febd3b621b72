"""Reading of an answer while it passes: an unreadable answer gives a reason, never an error."""

from __future__ import annotations

from collections.abc import Sequence

from actors.gateway.packing import PackingError, Unpacker
from domain.facts.answer import MOST_CHARS, kept_words, problem_of
from domain.text.answer.events import LineTooLongError
from domain.text.answer.stream import AnswerStream

_BETWEEN_EVENTS = (b"\n\n", b"\r\r", b"\n\r\n")


class RefusedError(Exception):
    """The answer is an error alone."""

    def __init__(self, piece: bytes) -> None:
        super().__init__("the server reported an error in place of an answer")
        self.piece = piece
        """Last bytes of the answer."""


class Reading:
    """An answer, as far as it has passed."""

    def __init__(self, most_bytes: int) -> None:
        """Begin without bytes.

        Args:
            most_bytes: Of an answer that is no stream.
        """
        self._most_bytes = most_bytes
        self.begin("")
        self.has_begun = False
        """True if the server took the request."""

    def begin(self, encoding: str) -> None:
        """Begin an answer packed according to its header; any earlier answer was a refusal."""
        self._answer = AnswerStream(most_chars=MOST_CHARS, most_document_bytes=self._most_bytes)
        self._unpacker = Unpacker(encoding)
        self._tail = b""
        self._problem = ""
        self.has_begun = True
        self.is_over = False
        """True if all bytes have come."""

    @property
    def is_document(self) -> bool:
        """True if the answer is one JSON document, not a stream."""
        return not self._problem and self._answer.is_stream is False

    @property
    def is_stream(self) -> bool:
        """True if the answer is a stream of pieces."""
        return bool(self._answer.is_stream)

    @property
    def has_error(self) -> bool:
        """True if the server reported an error within the answer."""
        return bool(self._answer.error)

    @property
    def is_refusal(self) -> bool:
        """True if the answer is an error alone, as from servers with refusals inside a 200."""
        return self.has_error and not self._answer.choices

    @property
    def may_become_refusal(self) -> bool:
        """True within the first event, so an error is recognised before any part of it is sent on."""
        return not (self._problem or self._answer.choices or self._tail.endswith(_BETWEEN_EVENTS))

    @property
    def is_unreadable(self) -> bool:
        """True if the rest cannot be read."""
        return bool(self._problem)

    @property
    def is_whole(self) -> bool:
        """True if the answer declares itself whole, and was read completely."""
        return not self.problem

    @property
    def has_ended(self) -> bool:
        """True behind the mark of a whole answer's end."""
        return self._answer.has_ended and self.is_whole

    @property
    def problem(self) -> str:
        """Reason why the answer is not whole so far; empty for an answer that may be kept."""
        return self._problem or problem_of(self._answer)

    @property
    def usage(self) -> object:
        """Usage in the server's own form."""
        return self._answer.usage

    @property
    def chars(self) -> int:
        """Characters of the text so far."""
        return len(self._answer.assembly.text)

    def words(self, texts: Sequence[str]) -> str:
        """Words to keep; empty unless the answer is whole. `texts` are the request's texts."""
        return kept_words(self._answer, texts) if self.is_whole else ""

    def feed(self, data: bytes) -> None:
        """Take in arriving bytes."""
        if self._problem:
            return
        try:
            if data := self._unpacker.feed(data):
                self._tail = (self._tail + data)[-4:]
                self._answer.feed(data)
        except (PackingError, LineTooLongError) as error:
            self._problem = str(error)

    def end(self) -> None:
        """Note the end of the bytes."""
        if self._problem or self.is_over:
            return
        self.is_over = True
        try:
            self._answer.feed(self._unpacker.end())
            self._answer.end()
        except LineTooLongError as error:
            self._problem = str(error)
