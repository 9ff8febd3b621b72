"""Answers of a model as they pass through the gateway: their text, from a document or from a stream of events."""

from __future__ import annotations

import msgspec

from domain.facts.chat_request import text_of

MOST_CHARS = 1_000_000
"""Of an answer that is kept; more passes through and is not."""
_MOST_EVENT = 4 * 1024 * 1024


class _Message(msgspec.Struct):
    content: object = None


class _Choice(msgspec.Struct):
    index: int = 0
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: object = None


class _Answer(msgspec.Struct):
    choices: list[_Choice] = []


_DECODER = msgspec.json.Decoder(_Answer)


def text_of_answer(body: bytes) -> str:
    """What the first choice of an answer says; empty where there is none, or it says no words."""
    answer = _read(body)
    first = next((each for each in answer.choices if each.index == 0), None) if answer is not None else None
    return text_of(first.message.content)[:MOST_CHARS] if first is not None and first.message is not None else ""


class StreamText:
    """Text of a streamed answer (server-sent events), gathered as its bytes pass by, wherever they are cut."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._pieces: list[str] = []
        self._chars = 0
        self.is_done = False
        """Whether the answer says of itself that it is whole."""

    @property
    def text(self) -> str:
        """Of the first choice, so far."""
        return "".join(self._pieces)

    def feed(self, chunk: bytes) -> None:
        """Take in more bytes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > _MOST_EVENT:
            self._rest = b""
        for line in lines:
            self._line(line.rstrip(b"\r"))

    def _line(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            data, self._data = b"\n".join(self._data), []
            self._event(data)

    def _event(self, data: bytes) -> None:
        if data.strip() == b"[DONE]":
            self.is_done = True
            return
        answer = _read(data)
        for choice in answer.choices if answer is not None else ():
            if choice.index:
                continue
            self.is_done = self.is_done or bool(choice.finish_reason)
            if choice.delta is not None and (text := text_of(choice.delta.content)) and self._chars < MOST_CHARS:
                self._pieces.append(text[: MOST_CHARS - self._chars])
                self._chars += len(text)


def _read(body: bytes) -> _Answer | None:
    try:
        return _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
