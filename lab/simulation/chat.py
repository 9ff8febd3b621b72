"""Chat clients of the gateway and the model's server behind the gateway, as protocols on a wire."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

from lab.simulation.doubles import ASKED, Outside
from lab.simulation.loop import MODEL_PORT
from lab.simulation.wire import End, Wire

GATEWAY_PORT = 8100
KEY = "a key of the simulation"
"""Key of the gateway's clients."""
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_HEAD_END = b"\r\n\r\n"


class ModelServer(asyncio.Protocol):
    """Server that answers question `q7` with `a7`, as a document or as a stream; unwell as the other models are."""

    def __init__(self, outside: Outside, loop: asyncio.AbstractEventLoop) -> None:
        """A connection to come.

        Args:
            outside: Reliability of models, and the run's chance.
            loop: Loop of the connection.
        """
        self._outside, self._loop = outside, loop
        self._seen = b""
        self._end: End | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note the connection."""
        assert isinstance(transport, End)
        self._end = transport

    def data_received(self, data: bytes) -> None:
        """Answer a request some time after its last byte."""
        self._seen += data
        head, end, body = self._seen.partition(_HEAD_END)
        length = _LENGTH.search(head)
        if not end or length is None or len(body) < int(length[1]):
            return
        self._seen = b""
        request = json.loads(body)
        self._outside.note(f"the gateway asks for {request['messages'][-1]['content'][-8:]!r}")
        self._loop.call_later(self._outside.chance.draw_skewed(0.05, 20.0), self._answer, request)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Answer no more."""
        self._end = None

    def _answer(self, request: dict[str, Any]) -> None:
        if self._end is None:
            return
        chance = self._outside.chance
        if chance.happens(self._outside.fails):
            self._send("503 Service Unavailable", "application/json", b'{"error": {"message": "away"}}')
            return
        (*_, number) = ASKED.findall(request["messages"][-1]["content"])
        text = f"a{number} of the model"
        if not request.get("stream"):
            message = {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}
            message["choices"][0]["finish_reason"] = "stop"
            self._send("200 OK", "application/json", json.dumps(message).encode())
            return
        pieces = [{"delta": {"content": piece}, "index": 0} for piece in (text[:1], text[1:])]
        pieces.append({"delta": {}, "index": 0, "finish_reason": "stop"})
        lines = [f"data: {json.dumps({'choices': [piece]})}\n\n" for piece in pieces]
        self._send("200 OK", "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode())

    def _send(self, status: str, kind: str, body: bytes) -> None:
        """Send an answer in two pieces, and break some off behind the first."""
        assert self._end is not None
        chance = self._outside.chance
        data = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        cut = chance.below(len(data))
        self._end.write(data[:cut])
        if chance.happens(self._outside.fails / 3):
            self._end.close()
        else:
            self._end.write(data[cut:])


class ChatClient(asyncio.Protocol):
    """Client with one question; calls `on_answer` for a whole answer."""

    def __init__(self, number: int, conversation: str, on_answer: Callable[[int], None], *, streams: bool) -> None:
        """A question to be sent.

        Args:
            number: Number of the question.
            conversation: Name of the conversation.
            on_answer: Called with the number of the question for a whole answer.
            streams: True to ask for a stream.
        """
        self._number, self._on_answer, self._streams = number, on_answer, streams
        question = {"role": "user", "content": f"please look at\nq{number}"}
        request = {"model": "simulated", "messages": [question], "memory_id": conversation, "stream": streams}
        self._body = json.dumps(request).encode()
        self._seen = b""
        self._end: End | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the question."""
        assert isinstance(transport, End)
        self._end = transport
        head = (
            "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {KEY}\r\nContent-Length: {len(self._body)}\r\n\r\n"
        )
        transport.write(head.encode() + self._body)

    def data_received(self, data: bytes) -> None:
        """Take in the answer."""
        self._seen += data
        head, _, body = self._seen.partition(_HEAD_END)
        length = _LENGTH.search(head)
        is_whole = body.endswith(b"0\r\n\r\n") if length is None else len(body) >= int(length[1])
        if is_whole and self._end is not None:
            if head.startswith(b"HTTP/1.1 200") and (not self._streams or b"[DONE]" in body):
                self._on_answer(self._number)
            self._end.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Expect no more data."""
        self._end = None


def serve_model(wire: Wire, outside: Outside, loop: asyncio.AbstractEventLoop) -> None:
    """Have the model's server listen."""
    wire.servers[MODEL_PORT] = lambda: ModelServer(outside, loop)
