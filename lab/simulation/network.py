"""Network between the agent and Discord: calls that take time or fail, a gateway whose connection breaks."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import Callable
from email.utils import format_datetime
from typing import Any

import aiohttp
import discord
from discord.http import HTTPClient, Route

from lab.discord_json import Json
from lab.simulation.chance import Chance
from lab.simulation.payloads import APPLICATION, BOT, GUILD, user
from lab.simulation.server import DiscordServer, RestError

Note = Callable[[str], None]
_RESUMABLE = 500
"""Events that Discord keeps for a session in a short absence."""


class _Response:
    """HTTP response as needed by discord.py's exceptions and the agent's clock of Discord."""

    def __init__(self, status: int, **headers: str) -> None:
        self.status = status
        self.reason = "simulated"
        self.headers = headers


class Network:
    """The way to Discord and back; it outlives the agent's lives, its connections do not."""

    def __init__(self, server: DiscordServer, chance: Chance, note: Note) -> None:
        """Begin as a working network.

        Args:
            server: At the other end.
            chance: Draws durations and losses.
            note: Told of every call and event.
        """
        self._server, self._chance, self._note = server, chance, note
        server.hear = self._hear
        self.fails = 0.0
        """Probability that a call is answered with 503, or its answer is lost."""
        self.is_down = False
        """True if every call fails."""
        self.is_deaf = False
        """True if no gateway connection can be made."""
        self.harms_events = False
        """True if message events get lost, come late or come twice."""
        self.harmed: Counter[str] = Counter()
        """Number of harmed events by kind of harm."""
        self.unsent: set[int] = set()
        """Messages whose events were lost or late."""
        self.received_ids: set[int] = set()
        """Messages of which an event arrived."""
        self.effects = 0
        """Changes in Discord made by the agent."""
        self.on_effect: Callable[[], None] = lambda: None
        self._session: Session | None = None
        self._breaks = 0
        """Number of times that all connections broke."""

    # REST, in the place of `discord.http.HTTPClient.request`

    async def request(self, _http: HTTPClient, route: Route, *, files: Any = None, form: Any = None, **how: Any) -> Any:
        """Make a call, as discord.py does.

        Raises:
            discord.HTTPException: Discord refuses, or is unwell.
            aiohttp.ClientError: the connection broke; whether Discord has done it is not known.
        """
        del files
        path = route.url.removeprefix(Route.BASE).partition("?")[0]
        body = how.get("json") or {}
        for part in form or ():
            if part.get("name") == "payload_json":
                body = json.loads(part["value"])
        self._note(f"call {route.method} {path}")
        breaks = self._breaks
        await asyncio.sleep(self._chance.draw_skewed(0.005, 1.0))
        if self._breaks != breaks:
            raise aiohttp.ServerDisconnectedError
        if self.is_down or self._chance.happens(self.fails / 2):
            self._note(f"fails {route.method} {path}")
            raise _error(503)
        try:
            answer = self._server.rest(route.method, path, how.get("params") or {}, body)
        except RestError as error:
            raise _error(error.status, error.code) from None
        if route.method in ("POST", "PATCH", "DELETE") and "/messages" in path:
            self.effects += 1
            self.on_effect()
        await asyncio.sleep(self._chance.draw_skewed(0.005, 1.0))
        if hear_answer := how.get("raise_for_status"):
            await hear_answer(_Response(200, Date=format_datetime(self._server.now(), usegmt=True)))
        if self._breaks != breaks or self._chance.happens(self.fails / 2):
            self._note(f"loses the answer to {route.method} {path}")
            raise aiohttp.ServerDisconnectedError
        return answer

    # the gateway, in the place of `discord.Client.connect`

    async def connect(self, client: discord.Client, *, reconnect: bool = True) -> None:  # noqa: ARG002
        """Stay connected, as discord.py does: session after session, resumed while Discord knows the session."""
        session: Session | None = None
        is_first = True
        while True:
            if self.is_deaf:
                await asyncio.sleep(self._chance.between(1.0, 5.0))
                continue
            if session is None or not session.can_resume:
                await client._connection.call_hooks("before_identify", None, initial=is_first)
                session = self._session = Session(self._server)
                self._note("gateway: new session")
            else:
                session.resume()
                self._note("gateway: resumed")
            is_first = False
            await self._listen(client, session)
            client.dispatch("disconnect")
            await asyncio.sleep(self._chance.between(0.5, 4.0))

    async def _listen(self, client: discord.Client, session: Session) -> None:
        while not session.is_lost:
            if not session.queue:
                await session.changed.wait()
                session.changed.clear()
                continue
            await asyncio.sleep(self._chance.draw_skewed(0.002, 0.3))
            item = session.take()
            if item is None:
                continue
            event, data = item
            self._note(f"event {event} {data.get('id', '')}")
            if event == "MESSAGE_CREATE":
                self.received_ids.add(int(data["id"]))
            client._connection.parsers[event](data)

    def drop(self, *, resumable: bool) -> None:
        """Break the gateway's connection; unless `resumable`, undelivered events are lost."""
        if (session := self._session) is not None and not session.is_lost:
            self._note(f"gateway: lost, {'resumable' if resumable else 'for good'}")
            session.lose(resumable=resumable)

    def break_all(self, *, resumable: bool) -> None:
        """Break every connection, as a sleep of the machine does."""
        self._breaks += 1
        self.drop(resumable=resumable)

    def forget(self) -> None:
        """End the agent's connections together with its process."""
        self._session = None

    def _hear(self, event: str, data: Json) -> None:
        session = self._session
        if session is None:
            return
        harm = self._chance.one_of(_HARMS) if self.harms_events and event == "MESSAGE_CREATE" else ""
        if harm:
            self._note(f"event {data['id']} is {harm}")
            self.harmed[harm] += 1
        if harm in ("lost", "late"):
            self.unsent.add(int(data["id"]))
        if harm == "late":
            session.delayed.append((event, data))
        elif harm != "lost":
            for _ in range(2 if harm == "doubled" else 1):
                session.add(event, data)
            if event == "MESSAGE_CREATE":
                session.send_delayed()


_HARMS = ("", "", "lost", "late", "doubled")


class Session:
    """A gateway session: undelivered events."""

    def __init__(self, server: DiscordServer) -> None:
        """Create a session, beginning with the whole present state."""
        ready = {
            "v": 10,
            "user": user(BOT),
            "guilds": [{"id": str(GUILD), "unavailable": True}],
            "session_id": "session",
            "application": {"id": str(APPLICATION), "flags": 0},
        }
        self.queue: deque[tuple[str, Json]] = deque((("READY", ready), ("GUILD_CREATE", server.guild_json())))
        self.delayed: list[tuple[str, Json]] = []
        """Events delivered behind a later event."""
        self.changed = asyncio.Event()
        self.changed.set()
        self.is_lost = False
        self.can_resume = True

    def add(self, event: str, data: Json) -> None:
        """Add an event."""
        self.queue.append((event, data))
        self.can_resume = self.can_resume and len(self.queue) < _RESUMABLE
        self.changed.set()

    def send_delayed(self) -> None:
        """Send the delayed events, after a later event."""
        delayed, self.delayed = self.delayed, []
        for event, data in delayed:
            self.add(event, data)

    def take(self) -> tuple[str, Json] | None:
        """The next event; None if the connection is lost."""
        return None if self.is_lost else self.queue.popleft()

    def lose(self, *, resumable: bool) -> None:
        """The connection is gone."""
        self.is_lost = True
        self.can_resume = resumable
        self.changed.set()

    def resume(self) -> None:
        """Resume the connection: missed events come first, then RESUMED."""
        self.is_lost = False
        self.queue.append(("RESUMED", {}))
        self.changed.set()


def _error(status: int, code: int = 0) -> discord.HTTPException:
    kinds = {403: discord.Forbidden, 404: discord.NotFound, 503: discord.DiscordServerError}
    kind = kinds.get(status, discord.HTTPException)
    return kind(_Response(status), {"code": code, "message": "simulated"})  # type: ignore[arg-type]
