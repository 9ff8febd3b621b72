"""Answers of a model as they pass through the gateway: their text, from a document or from a stream of events."""

from __future__ import annotations

from collections.abc import Iterator

from domain.facts.chat_request import text_of
from domain.facts.raw_json import value_of
from domain.facts.sound_text import sound

MOST_CHARS = 1_000_000
"""Of an answer that is kept; more passes through and is not."""
MOST_EVENT = 4 * 1024 * 1024
"""Bytes of one event; a longer one passes through unread."""


def text_of_answer(body: bytes) -> str:
    """Text of an answer's first choice; empty without a choice, or without words."""
    choice = next(_first_choices(value_of(body)), {})
    return sound(_said(choice.get("message")))[:MOST_CHARS]


def usage_of_answer(body: bytes) -> object:
    """Usage stated in an answer, as the server wrote it; None without a statement."""
    return _usage(value_of(body))


class StreamText:
    """Text of a streamed answer (server-sent events), gathered as its bytes pass by, wherever they are cut."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._event_bytes = 0
        self._pieces: list[str] = []
        self._chars = 0
        self.is_done = False
        """True if the answer declares itself whole."""
        self.usage: object = None
        """Usage stated so far, as the server wrote it."""

    @property
    def text(self) -> str:
        """Of the first choice, so far."""
        return sound("".join(self._pieces))

    def feed(self, chunk: bytes) -> None:
        """Take in more bytes."""
        first, *others = chunk.split(b"\n")
        self._take(first)
        for part in others:
            self._end_line()
            self._take(part)

    def _take(self, part: bytes) -> None:
        self._event_bytes += len(part)
        if self._is_too_long:  # All that is still of interest is whether the line is empty.
            self._data, self._line = [], [b"".join((*self._line, part))[:2]]
        elif part:
            self._line.append(part)

    @property
    def _is_too_long(self) -> bool:
        return self._event_bytes > MOST_EVENT

    def _end_line(self) -> None:
        line, self._line = b"".join(self._line).removesuffix(b"\r"), []
        if not line:
            data, self._data, self._event_bytes = b"\n".join(self._data), [], 0
            self._end_event(data)
        elif line.startswith(b"data:") and not self._is_too_long:
            self._data.append(line[5:].removeprefix(b" "))

    def _end_event(self, data: bytes) -> None:
        if data.strip() == b"[DONE]":
            self.is_done = True
            return
        value = value_of(data)
        self.usage = _usage(value) or self.usage
        for choice in _first_choices(value):
            self.is_done = self.is_done or bool(choice.get("finish_reason"))
            if (text := _said(choice.get("delta"))) and self._chars < MOST_CHARS:
                self._pieces.append(text[: MOST_CHARS - self._chars])
                self._chars += len(text)


def _first_choices(answer: object) -> Iterator[dict[str, object]]:
    """Parts of choice 0 of an answer; a choice without a number counts as choice 0."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            yield choice


def _usage(answer: object) -> object:
    return answer.get("usage") if isinstance(answer, dict) else None


def _said(message: object) -> str:
    return text_of(message.get("content")) if isinstance(message, dict) else ""
