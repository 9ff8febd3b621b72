"""Gateway protocol: HELLO, IDENTIFY, RESUME, heartbeats, dispatch to sessions, and its faults."""

from __future__ import annotations

import logging
from collections import Counter
from secrets import token_hex
from typing import Any

import msgspec
from aiohttp import WSMsgType, web

from lab.playground.gateway.events import INTENT_CONTENT, INTENT_MEMBERS, PRIVILEGED_INTENTS, Event, encode
from lab.playground.gateway.faults import GatewayFaults
from lab.playground.gateway.feed import Feed
from lab.playground.gateway.members import member_chunks, ready
from lab.playground.gateway.session import Connection, GatewaySession
from lab.playground.gateway.transport import reset_transport
from lab.playground.keys import is_same
from lab.playground.world.payloads import Payloads
from lab.playground.world.state import World
from lab.playground.world.traffic import Frame, Tap

logger = logging.getLogger(__name__)

SESSIONS_KEPT = 16
RECEIVE_LIMIT_BYTES = 4096


class ClientFrame(msgspec.Struct):
    """A frame of a client."""

    op: int
    d: Any = None


_decode = msgspec.json.Decoder(ClientFrame).decode


class Gateway:
    """Every session of the bot."""

    def __init__(
        self,
        world: World,
        payloads: Payloads,
        feed: Feed,
        *,
        token: str,
        heartbeat_interval_ms: int = 41_250,
        allowed_intents: int = PRIVILEGED_INTENTS,
    ) -> None:
        """No session yet; the feed is subscribed to.

        Args:
            world: Content of READY and GUILD_CREATE.
            payloads: JSON of the world.
            feed: Whose events are dispatched, and where connections are announced to the page.
            token: The single accepted token.
            heartbeat_interval_ms: Told in HELLO.
            allowed_intents: Privileged intents that are switched on in the "portal".
        """
        self.url = ""
        """Address for clients to resume; set when the server listens."""
        self.tap: Tap | None = None
        """Listener to the frames of both directions."""
        self.faults = GatewayFaults()
        self.counters: Counter[str] = Counter()
        self.token = token
        self.allowed_intents = allowed_intents
        self._world = world
        self._payloads = payloads
        self._feed = feed
        self._heartbeat_interval_ms = heartbeat_interval_ms
        self._sessions: dict[str, GatewaySession] = {}
        self._connections: dict[Connection, GatewaySession | None] = {}
        self._was_online = False
        self._status = "offline"
        feed.subscribe(self._on_event)

    # what others ask

    @property
    def is_online(self) -> bool:
        """True if a session has a socket."""
        return any(session is not None for session in self._connections.values())

    @property
    def status(self) -> str:
        """Presence of the bot: `offline`, or the status set by the bot."""
        return self._status if self.is_online else "offline"

    def dispatch(self, name: str, payload: dict[str, Any]) -> None:
        """Send any event to every session, well-formed or not."""
        data = encode(payload)
        for session in self._sessions.values():
            session.dispatch(name, data)

    def _on_event(self, event: Event) -> None:
        if event.to_bot:
            for _ in range(self.faults.times(event)):
                self._send(event)

    def _send(self, event: Event) -> None:
        for session in self._sessions.values():
            if session.wants(event):
                session.dispatch(event.name, event.encoded_for(session.intents))

    def send_delayed(self) -> int:
        """Send the delayed events; return the number."""
        delayed, self.faults.delayed = self.faults.delayed, []
        for event in delayed:
            self._send(event)
        return len(delayed)

    # faults

    async def drop(self, code: int = 4000, shard: int | None = None) -> int:
        """Close sockets with `code`; return the number. 1006 skips the closing handshake; None means any shard."""
        connections = [
            connection
            for connection, session in self._connections.items()
            if shard is None or (session is not None and session.shard[0] == shard)
        ]
        for connection in connections:
            if code == 1006:
                reset_transport(connection.transport)
            else:
                await connection.close(code)
        return len(connections)

    def reset(self) -> int:
        """Reset all TCP connections; return the number."""
        for connection in self._connections:
            reset_transport(connection.transport)
        return len(self._connections)

    def request_reconnect(self) -> int:
        """Ask all sockets to reconnect (op 7); return the number."""
        return self._tell_all(7, None)

    def invalidate(self, resumable: bool) -> int:
        """Send op 9 (invalid session) to all sockets; return the number of sockets."""
        count = self._tell_all(9, resumable)
        if not resumable:
            for session in tuple(self._connections.values()):
                if session is not None:
                    self._sessions.pop(session.session_id, None)
        return count

    def freeze(self) -> int:
        """Silence all sockets and keep them open; return the number."""
        for connection in self._connections:
            connection.frozen = True
        return len(self._connections)

    def _tell_all(self, op: int, data: Any) -> int:
        for connection in self._connections:
            connection.send_op(op, data)
        return len(self._connections)

    # a socket's life

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Speak the gateway's protocol on one socket until the socket closes."""
        socket = web.WebSocketResponse(compress=False, max_msg_size=1 << 20, timeout=1.0)
        await socket.prepare(request)
        connection = Connection(socket, request.transport, self.tap)
        self._connections[connection] = None
        self.counters["connections"] += 1
        connection.send_op(10, {"heartbeat_interval": self._heartbeat_interval_ms, "_trace": ["playground"]})
        try:
            await self._read(connection)
        finally:
            session = self._connections.pop(connection)
            if session is not None and session.connection is connection:
                self._detach(session, ended=not connection.closed_by_us and socket.close_code in (1000, 1001))
            await connection.abandon()
            self._announce()
        return socket

    async def close(self) -> None:
        """Close every socket, like a server going away."""
        await self.drop(1001)

    async def _read(self, connection: Connection) -> None:
        async for message in connection.socket:
            if connection.frozen:
                continue
            if message.type is not WSMsgType.TEXT and message.type is not WSMsgType.BINARY:
                return
            code = self._on_text(connection, message.data)
            if code:
                await connection.close(code)
                return

    def _on_text(self, connection: Connection, text: str | bytes) -> int:
        """Act on a client's text; the close code for a broken rule, else 0."""
        if len(text) > RECEIVE_LIMIT_BYTES:
            return 4002
        try:
            received = _decode(text)
        except (msgspec.DecodeError, ValueError):
            return 4002
        if self.tap is not None:
            self.tap(Frame(True, text.encode() if isinstance(text, str) else text))
        try:
            return self._on_frame(connection, received.op, received.d)
        except (KeyError, TypeError, ValueError) as error:
            logger.warning("a gateway client sent an op %d that cannot be read: %r", received.op, error)
            return 4002

    def _on_frame(self, connection: Connection, op: int, data: Any) -> int:
        session = self._connections[connection]
        if op in (2, 3, 6, 8) and not isinstance(data, dict):
            return 4002
        if op == 1:
            if not self.faults.ignore_heartbeats:
                connection.send_op(11, None)
        elif op == 2:
            return 4005 if session else self._identify(connection, data)
        elif op == 6:
            return 4005 if session else self._resume(connection, data)
        elif session is None:
            return 4003
        elif op == 3:
            self._status = str(data.get("status") or "online")
            self._announce(changed=True)
        elif op == 8:
            for chunk in member_chunks(self._world, data):
                session.dispatch("GUILD_MEMBERS_CHUNK", encode(chunk))
        elif op != 4:
            return 4001
        return 0

    def _identify(self, connection: Connection, data: dict[str, Any]) -> int:
        self.counters["identifies"] += 1
        if not is_same(str(data.get("token", "")).removeprefix("Bot "), self.token):
            return 4004
        intents = int(data.get("intents", 0))
        if intents & PRIVILEGED_INTENTS & ~self.allowed_intents:
            return 4014
        number, count = map(int, data.get("shard") or (0, 1))
        if not 0 <= number < count:
            return 4010
        session = GatewaySession(token_hex(16), intents, (number, count))
        self._sessions[session.session_id] = session
        self._forget_sessions()
        self._status = str((data.get("presence") or {}).get("status") or "online")
        self._attach(session, connection)
        session.dispatch("READY", encode(ready(self._world, session, self.url)))
        for guild_id in filter(session.serves, self._world.guilds):
            guild = self._payloads.guild(guild_id, for_gateway=True, all_members=bool(intents & INTENT_MEMBERS))
            session.dispatch("GUILD_CREATE", encode(guild))
        return 0

    def _resume(self, connection: Connection, data: dict[str, Any]) -> int:
        self.counters["resumes"] += 1
        if not is_same(str(data.get("token", "")).removeprefix("Bot "), self.token):
            return 4004
        if self.faults.ignore_resumes:
            self.faults.ignore_resumes -= 1
            return 0
        session = self._sessions.get(str(data.get("session_id")))
        seq = data.get("seq")
        if session is None or not isinstance(seq, int) or self._refuses_resume():
            connection.send_op(9, False)
            return 0
        self._attach(session, connection)
        if not session.replay(seq):
            del self._sessions[session.session_id]
            self._connections[connection] = None
            connection.send_op(9, False)
            return 0
        session.dispatch("RESUMED", b'{"_trace":["playground"]}')
        self._repeat_newest(session)
        return 0

    def _refuses_resume(self) -> bool:
        refuses = self.faults.refuse_resumes > 0
        self.faults.refuse_resumes -= refuses
        return refuses

    def _repeat_newest(self, session: GatewaySession) -> None:
        newest = session.buffer.last_of("MESSAGE_CREATE")
        if self.faults.duplicate_after_resume and newest is not None:
            self.faults.duplicate_after_resume -= 1
            session.dispatch("MESSAGE_CREATE", newest)

    # bookkeeping

    def _attach(self, session: GatewaySession, connection: Connection) -> None:
        if session.connection is not None:
            session.connection.frozen = True
            self._connections[session.connection] = None
        session.connection = connection
        self._connections[connection] = session
        self._announce()

    def _detach(self, session: GatewaySession, *, ended: bool) -> None:
        session.connection = None
        if ended:
            self._sessions.pop(session.session_id, None)

    def _forget_sessions(self) -> None:
        for session_id, session in tuple(self._sessions.items()):
            if len(self._sessions) <= SESSIONS_KEPT:
                return
            if session.connection is None:
                del self._sessions[session_id]

    def _announce(self, *, changed: bool = False) -> None:
        if changed or self.is_online != self._was_online:
            self._was_online = self.is_online
            payload = {"online": self.is_online, "status": self.status, "content": self._sees_content()}
            self._feed.publish(Event("PLAYGROUND_BOT", payload, to_bot=False))

    def _sees_content(self) -> bool:
        return any(s is not None and s.intents & INTENT_CONTENT for s in self._connections.values())
