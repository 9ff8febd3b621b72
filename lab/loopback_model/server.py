"""Scripted, OpenAI-compatible model server on 127.0.0.1: the far end of the load tool and of tests.

The server speaks the part of HTTP/1.1 needed by clients of chat completions, straight on asyncio's transports: a
response is a list of timed pieces, so thousands of concurrent streams cost timers and not tasks.
"""

from __future__ import annotations

import asyncio
import hmac
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from secrets import token_hex

import msgspec

from actors.linux.transports import abort_transports, stop_accepting
from lab.loopback_model.answers import (
    Answer,
    Behaviour,
    Call,
    CutOff,
    Delayed,
    Raw,
    Received,
    Refusal,
    Stall,
    Step,
    Wire,
    echo,
    steps_of,
)

__all__ = [
    "Answer",
    "Behaviour",
    "Call",
    "CutOff",
    "Delayed",
    "LoopbackModel",
    "Raw",
    "Received",
    "Refusal",
    "Stall",
    "Wire",
    "echo",
]

HEAD_LIMIT_BYTES = 64 * 1024
PATIENCE_S = 60.0
"""Seconds to wait for a client on a busy machine."""


class LoopbackModel:
    """HTTP server in a thread of its own between `start` and `stop`; also a context manager.

    Every method may be called from any thread.
    """

    def __init__(
        self, behave: Callable[[Received], Behaviour] = echo, *, latency_s: float = 0.0, kept_requests: int = 1000
    ) -> None:
        """Begin without listening.

        Args:
            behave: Chooses the answer to a request without a scripted answer; called in the server's thread.
            latency_s: Time from a request to the first bytes of its answer.
            kept_requests: Number of the newest requests given by `requests`.
        """
        self.behave = behave
        """Answers requests beyond the script."""
        self.secret_path = f"/{token_hex(32)}"
        """Prefix of every path: all users of a machine reach loopback. Hex, as no provider's key."""
        self._latency_s = latency_s
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="loopback-model", daemon=True)
        self._port = 0
        self._changed = threading.Condition()
        self._script: deque[Behaviour] = deque()
        self._received: deque[Received] = deque(maxlen=kept_requests)
        self._delayed: deque[tuple[_Connection, list[Step]]] = deque()
        self.connections: set[_Connection] = set()
        self.request_count = 0
        self.disconnect_count = 0
        """Clients that left before their response was complete."""
        self.open_count = 0
        """Responses under way."""
        self.peak_open = 0

    @property
    def api_base(self) -> str:
        """Base of a client's paths; requests below another base are not heard."""
        return f"http://127.0.0.1:{self._port}{self.secret_path}/v1"

    def start(self) -> LoopbackModel:
        """Listen; returns when requests are accepted."""
        ready = threading.Event()
        self._loop.call_soon(lambda: self._loop.create_task(self._listen(ready)))
        self._thread.start()
        if not ready.wait(10):
            raise RuntimeError("the loopback model did not start within 10 s")
        return self

    def stop(self) -> None:
        """Reset every connection and end the thread."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._close(), self._loop)
            self._thread.join(10)

    def __enter__(self) -> LoopbackModel:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def script(self, *behaviours: Behaviour) -> None:
        """Answer the next requests with these behaviours in order, then return to the standing behaviour."""
        with self._changed:
            self._script.extend(behaviours)

    def requests(self) -> list[Received]:
        """The last requests, oldest first."""
        with self._changed:
            return list(self._received)

    def wait_for_requests(self, count: int, timeout_s: float = PATIENCE_S) -> None:
        """Return when `count` requests have come in since the start."""
        self._wait(lambda: self.request_count >= count, f"{count} requests", timeout_s)

    def wait_for_disconnects(self, count: int, timeout_s: float = PATIENCE_S) -> None:
        """Return when `count` clients have left in the middle of a response since the start."""
        self._wait(lambda: self.disconnect_count >= count, f"{count} disconnects", timeout_s)

    def hang_up_at_the_next(self) -> None:
        """Close each open connection at its next bytes, like a server that had given up the connection."""
        for connection in tuple(self.connections):
            connection.is_given_up = True

    def release(self, count: int | None = None) -> None:
        """Release the `count` oldest held answers, or all answers held now."""
        with self._changed:
            chosen = [self._delayed.popleft() for _ in range(len(self._delayed) if count is None else count)]
        for connection, steps in chosen:
            self._loop.call_soon_threadsafe(connection.play, iter(steps))

    # in the server's thread

    def on_request(self, connection: _Connection, request: Received) -> None:
        """Choose how to behave and begin."""
        with self._changed:
            self._received.append(request)
            scripted = self._script.popleft() if self._script else None
            self.request_count += 1
            self.open_count += 1
            self.peak_open = max(self.peak_open, self.open_count)
            self._changed.notify_all()
        behaviour = scripted or self.behave(request)
        if isinstance(behaviour, Delayed):
            steps = list(steps_of(behaviour.answer, request, self._latency_s))
            at_once = steps[:-1] if isinstance(behaviour.answer, CutOff) else []
            with self._changed:
                self._delayed.append((connection, steps[len(at_once) :]))
            connection.play(iter(at_once))
        else:
            connection.play(steps_of(behaviour, request, self._latency_s))

    def on_end(self, *, left: bool) -> None:
        """Count a complete response, or a response whose client `left`."""
        with self._changed:
            self.open_count -= 1
            self.disconnect_count += left
            self._changed.notify_all()

    def _wait(self, reached: Callable[[], bool], what: str, timeout_s: float) -> None:
        with self._changed:
            if not self._changed.wait_for(reached, timeout_s):
                raise TimeoutError(
                    f"the loopback model has not seen {what} within {timeout_s} s (requests: {self.request_count})"
                )

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()

    async def _listen(self, ready: threading.Event) -> None:
        self._server = await self._loop.create_server(lambda: _Connection(self), "127.0.0.1", 0, backlog=4096)
        self._port = self._server.sockets[0].getsockname()[1]
        ready.set()

    async def _close(self) -> None:
        await stop_accepting(self._server.sockets)
        await abort_transports()
        self._server.close()
        self._loop.stop()


@dataclass(slots=True, eq=False)
class _Connection(asyncio.Protocol):
    """Client connection: the unread bytes, and the response under way."""

    server: LoopbackModel
    unread: bytearray = field(default_factory=bytearray)
    serving: bool = False
    transport: asyncio.Transport | None = None
    is_given_up: bool = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio names it
        self.transport = None
        self.server.connections.discard(self)
        if self.serving:
            self.serving = False
            self.server.on_end(left=True)

    def data_received(self, data: bytes) -> None:
        if self.is_given_up:
            self.abort()
            return
        self.unread += data
        end = self.unread.find(b"\r\n\r\n")
        if self.serving or (end < 0 and len(self.unread) < HEAD_LIMIT_BYTES):
            return
        first, *lines = self.unread[: max(end, 0)].decode("latin-1").split("\r\n")
        secret, path = self._path_of(first)
        if not hmac.compare_digest(secret, self.server.secret_path.encode()):  # before any of its body is read
            self._refuse()
            return
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        size = int(headers.get("content-length", "0"))
        if len(self.unread) < end + 4 + size:
            return
        raw = bytes(self.unread[end + 4 : end + 4 + size])
        del self.unread[: end + 4 + size]
        self.serving = True
        self.server.on_request(self, Received(path, headers, msgspec.json.decode(raw or b"{}"), raw))

    def _path_of(self, first_line: str) -> tuple[bytes, str]:
        """The secret part of a request's path, and the rest."""
        target = first_line.partition(" ")[2].partition(" ")[0]
        length = len(self.server.secret_path)
        return target[:length].encode(), target[length:]

    def _refuse(self) -> None:
        self.unread.clear()
        if self.transport is not None:
            self.transport.write(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self.transport.close()

    def abort(self) -> None:
        """Reset the connection."""
        if self.transport is not None:
            self.transport.abort()

    def play(self, steps: Iterator[Step]) -> None:
        """Send the steps due now, and schedule the rest."""
        for delay_s, piece in steps:
            if delay_s > 0:
                self.server._loop.call_later(delay_s, self._play_on, piece, steps)
                return
            if not self._send(piece):
                return

    def _play_on(self, piece: bytes | object, steps: Iterator[Step]) -> None:
        if self._send(piece):
            self.play(steps)

    def _send(self, piece: bytes | object) -> bool:
        """True if the steps go on."""
        if self.transport is None or self.transport.is_closing():
            return False
        if isinstance(piece, bytes):
            if piece:
                self.transport.write(piece)
            else:
                self.serving = False
                self.server.on_end(left=False)
            return True
        self.serving = False
        self.server.on_end(left=False)
        self.abort()
        return False
