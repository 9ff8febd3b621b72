"""Gateway session: numbered events, kept for RESUME, with or without an attached socket."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import islice
from typing import Any

from aiohttp import WSMsgType, web

from lab.playground.gateway.events import Event, encode
from lab.playground.world.traffic import Frame, Tap

BUFFER_EVENTS = 4000
BUFFER_BYTES = 16 * 1024 * 1024


class ReplayBuffer:
    """The newest events of a session, bounded in number and bytes."""

    def __init__(self, limit_events: int = BUFFER_EVENTS, limit_bytes: int = BUFFER_BYTES) -> None:
        """Empty.

        Args:
            limit_events: Most events kept.
            limit_bytes: Most bytes kept; a single larger event is kept alone.
        """
        self._limit_events = limit_events
        self._limit_bytes = limit_bytes
        self._size_bytes = 0
        self._entries: deque[tuple[int, str, bytes]] = deque()

    def add(self, seq: int, name: str, data: bytes) -> None:
        """Keep an event; `seq` is one more than the last."""
        self._entries.append((seq, name, data))
        self._size_bytes += len(data)
        while len(self._entries) > 1 and (
            len(self._entries) > self._limit_events or self._size_bytes > self._limit_bytes
        ):
            self._size_bytes -= len(self._entries.popleft()[2])

    def after(self, seq: int) -> list[tuple[int, str, bytes]] | None:
        """Events after `seq`, oldest first; None if some events are forgotten."""
        if not self._entries:
            return []
        missing = self._entries[-1][0] - seq
        if missing <= 0:
            return []
        if missing > len(self._entries):
            return None
        return list(islice(self._entries, len(self._entries) - missing, None))

    def last_of(self, name: str) -> bytes | None:
        """The data of the newest kept event called `name`."""
        return next((data for _, kind, data in reversed(self._entries) if kind == name), None)


class Connection:
    """Websocket with outgoing frames, sent in order by a task of its own."""

    def __init__(
        self, socket: web.WebSocketResponse, transport: asyncio.Transport | None, tap: Tap | None = None
    ) -> None:
        """Start the writing task with an empty queue.

        Args:
            socket: The accepted websocket.
            transport: Its TCP connection.
            tap: Called with every frame.
        """
        self._tap = tap
        self.socket = socket
        self.transport = transport
        self.frozen = False
        """True for a zombie: an open socket without sending or receiving."""
        self.closed_by_us = False
        self._frames: deque[bytes] = deque()
        self._has_frames = asyncio.Event()
        self._drained = asyncio.Event()
        self._writer = asyncio.create_task(self._write())

    def send(self, frame: bytes) -> None:
        """Queue a text frame; a frozen connection drops the frame."""
        if not self.frozen:
            self._frames.append(frame)
            if self._tap is not None:
                self._tap(Frame(False, frame))
            self._drained.clear()
            self._has_frames.set()

    def send_op(self, op: int, data: Any) -> None:
        """Queue a frame other than a dispatch."""
        self.send(encode({"op": op, "d": data, "s": None, "t": None}))

    async def close(self, code: int) -> None:
        """Send the queued frames (for at most a second), then close with `code`."""
        self.closed_by_us = True
        waits = {self._writer, asyncio.create_task(self._drained.wait())}
        if self._frames:
            await asyncio.wait(waits, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
        for task in waits:
            task.cancel()
        await asyncio.wait(waits)
        await self.socket.close(code=code)

    async def abandon(self) -> None:
        """Stop sending; the socket is someone else's business."""
        self.frozen = True
        self._writer.cancel()
        await asyncio.wait([self._writer])

    async def _write(self) -> None:
        try:
            while True:
                while self._frames:
                    await self.socket.send_frame(self._frames[0], WSMsgType.TEXT)
                    self._frames.popleft()
                self._drained.set()
                self._has_frames.clear()
                await self._has_frames.wait()
        except ConnectionError:
            self._frames.clear()


class GatewaySession:
    """Session opened by IDENTIFY and continued by RESUME."""

    def __init__(self, session_id: str, intents: int, shard: tuple[int, int] = (0, 1)) -> None:
        """Begin without events and without a socket.

        Args:
            session_id: Told to the client in READY.
            intents: Intents requested by the client.
            shard: (number, count).
        """
        self.session_id = session_id
        self.intents = intents
        self.shard = shard
        self.seq = 0
        self.connection: Connection | None = None
        self.buffer = ReplayBuffer()

    def wants(self, event: Event) -> bool:
        """True if `event` belongs to the session's guilds and intents."""
        return self.serves(event.guild_id) and (not event.intent or bool(self.intents & event.intent))

    def serves(self, guild_id: int | None) -> bool:
        """True if a guild belongs to this shard; None stands for DMs, which belong to the first shard."""
        number, count = self.shard
        return number == ((guild_id or 0) >> 22) % count

    def dispatch(self, name: str, data: bytes) -> None:
        """Number an event, keep the event for replay, and send the event to an attached socket."""
        self.seq += 1
        self.buffer.add(self.seq, name, data)
        if self.connection is not None:
            self.connection.send(frame(self.seq, name, data))

    def replay(self, seq: int) -> bool:
        """Send the events after `seq` again; False if some are forgotten or `seq` never existed."""
        missed = self.buffer.after(seq) if 0 <= seq <= self.seq else None
        if missed is None or self.connection is None:
            return False
        for number, name, data in missed:
            self.connection.send(frame(number, name, data))
        return True


def frame(seq: int, name: str, data: bytes) -> bytes:
    """Dispatch frame around an encoded payload."""
    return b'{"op":0,"s":%d,"t":"%s","d":%s}' % (seq, name.encode(), data)
