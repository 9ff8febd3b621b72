"""Loopback speech: a transcription server on 127.0.0.1 for recordings made by `recording_of` only.

The server takes both forms: OpenAI's, and the form of whisper.cpp's own server. A script sets the faults.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Self

from aiohttp import web

from actors.kernel import LoopThread
from actors.linux.transports import stop_accepting

PATIENCE_S = 60.0
_BEGIN = b"OggS\0\2" + bytes(22) + b"words:"
"""As Ogg begins; the words follow."""
_LARGEST_BODY = 128 << 20


def recording_of(words: str) -> bytes:
    """Recording of `words`, readable by this module only."""
    return _BEGIN + words.encode()


def words_in(recording: bytes) -> str:
    """Words of a recording of `recording_of`; empty for silence."""
    return recording.removeprefix(_BEGIN).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class SpeechReply:
    """Answer to one call; by default the words of the recording."""

    status: int = 200
    body: Any = None
    """JSON, or bytes and text unchanged; None for the words."""
    headers: Mapping[str, str] = field(default_factory=dict)
    is_delayed: bool = False
    """True to be answered after `release`."""
    cut: bool = False
    """True to close the connection instead."""


@dataclass(frozen=True, slots=True)
class Listened:
    """Call to the server."""

    path: str
    fields: Mapping[str, str]
    filename: str
    media_type: str
    recording: bytes
    headers: Mapping[str, str]


class LoopbackSpeech:
    """Server in a thread of its own; every method may be called from any thread."""

    def __init__(self) -> None:
        """Begin without listening."""
        self.script: deque[SpeechReply] = deque()
        self.always = SpeechReply()
        """When the script is used up."""
        self.calls: list[Listened] = []
        self.url = ""
        self._secret = token_hex(32)
        self._loop = LoopThread("loopback-speech")
        self._changed = threading.Condition()
        self._released = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._listening: socket.socket | None = None

    def start(self) -> Self:
        """Listen."""
        self._loop.start()
        self.url = self._loop.submit(self._start()).result(PATIENCE_S)
        return self

    def stop(self) -> None:
        """Answer the held calls, and end."""
        self.release()
        self._loop.submit(self._stop()).result(PATIENCE_S)
        self._loop.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def release(self) -> None:
        """Answer the held calls, and hold no more calls."""
        self._loop.call(self._released.set)

    def wait_for_calls(self, count: int) -> None:
        """Return when so many calls have come."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.calls) >= count, PATIENCE_S):
                raise TimeoutError(f"{len(self.calls)} calls came, not {count}")

    async def _start(self) -> str:
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.router.add_post(f"/{self._secret}/v1/audio/transcriptions", self._answer)
        app.router.add_post(f"/{self._secret}/v1/inference", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        self._listening = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(self._runner, self._listening).start()
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}/{self._secret}/v1"

    async def _stop(self) -> None:
        if self._listening is not None and self._runner is not None:
            await stop_accepting([self._listening])
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        file = form["file"]
        if not isinstance(file, web.FileField):
            return web.json_response({"error": {"message": "file is required"}}, status=400)
        recording = file.file.read()
        fields = {name: str(value) for name, value in form.items() if name != "file"}
        call = Listened(request.path, fields, file.filename, file.content_type, recording, dict(request.headers))
        with self._changed:
            reply = self.script.popleft() if self.script else self.always
            self.calls.append(call)
            self._changed.notify_all()
        if reply.is_delayed:
            await self._released.wait()
        if reply.cut:
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        if reply.body is None and not recording.startswith(_BEGIN):
            reply = SpeechReply(400, {"error": {"message": "unsupported: this server hears its own recordings only"}})
        body = {"text": words_in(recording)} if reply.body is None else reply.body
        if isinstance(body, str | bytes):
            data = body.encode() if isinstance(body, str) else body
            return web.Response(status=reply.status, body=data, headers=reply.headers, content_type="text/plain")
        return web.json_response(body, status=reply.status, headers=reply.headers)
