"""HTTP server of the observer: the page, live events, and data requested by the page piece by piece."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from actors.http_server.exchange import Exchange
from actors.http_server.guard import Guard
from actors.http_server.listener import ClientFaults, Listener
from actors.http_server.page_file import PATTERN, page_file
from actors.http_server.places import Places
from actors.linux.regular_file import read_regular
from actors.observer.metrics import CONTENT_TYPE, Spent, figure_lines, system_lines
from actors.observer.views import log_view, memory_view, reminders_view, skills_view, usage_view
from actors.observer.watch import TICKS_PER_DESCRIPTION, TOLD_AT, Watch
from domain.log.window import LogName, log_folder, parse_log_name
from messages.base import OPERATOR, Window
from messages.memory import MEMORY, ExplainMemory, MemoryExplained
from messages.model import LEDGER, ReadUsage, UsageRead
from messages.scheduler import SCHEDULER, ListReminders, RemindersListed
from messages.skills import SKILLS, ListSkills, SkillsListed
from messages.socket import Refused

log = logging.getLogger(__name__)

PLACES = Places(most=128, most_of_one=128, stranger_s=10.0, idle_s=75.0)
ANSWER_S = 5.0
SHUTDOWN_S = 0.5
STILL_HERE_S = 15.0
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self' http://127.0.0.1:* http://localhost:*"
    ),
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on the work caused by readers."""

    places: Places = PLACES
    slowest_write_s: float = 10.0
    """Seconds after which a page that takes no data is cut off; the page comes back for the whole state."""
    log_bytes_per_s: float = 1_000_000
    """A log of so many bytes is read once a second, of ten times as many every ten: 2 % of a processor's time."""
    usage_rest: float = 50
    """Pause after summing the ledger, in multiples of the time taken by the sum."""
    most_logs: int = 64
    """Most logs with a kept newest reading."""
    again_s: float = 5.0
    """Seconds before another try at a port, or at the file with the address."""


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Place:
    """Address of the observer, the data root, and the token of the readers."""

    port: int
    token: str = field(repr=False)
    data_root: Path
    address: str = "127.0.0.1"


class ObserverServer:
    """Server on one loopback address, from `start` to `stop`; used on the loop."""

    def __init__(self, place: Place, exchange: Exchange, watch: Watch, spent: Spent, limits: Limits = LIMITS) -> None:
        """Open no socket yet.

        Args:
            place: Address, data root and token.
            exchange: Asks the actors.
            watch: State shown to readers.
            spent: Usage of calls, for metrics.
            limits: Limits on the work caused by readers.
        """
        self._place = place
        self._exchange = exchange
        self._watch = watch
        self._spent = spent
        self._limits = limits
        self._listener = Listener(limits.places)
        self._runner: web.AppRunner | None = None
        self._feeds: set[asyncio.Task[Any] | None] = set()
        self._looks: dict[str, tuple[float, dict[str, Any]]] = {}
        """Folder -> time of the last reading of the folder's newest log, and the content."""
        self._looking = asyncio.Lock()
        self._usage_told: dict[str, Any] = {}
        self._usage_due = 0.0
        self._asking_usage = asyncio.Lock()

    async def start(self) -> int:
        """Listen; gives the port.

        Raises:
            OSError: the port cannot be listened on.
        """
        guards = [self._listener.middleware(), Guard("observer", self._place.token).middleware(), self._admit]
        app = web.Application(middlewares=guards, client_max_size=0)
        app.router.add_get("/", self._root)
        app.router.add_get(PATTERN, self._file)
        app.router.add_get("/events", self._events)
        app.router.add_get("/memory", self._memory)
        app.router.add_get("/reminders", self._reminders)
        app.router.add_get("/skills", self._skills)
        app.router.add_get("/usage", self._usage)
        app.router.add_get("/log", self._log)
        app.router.add_get("/metrics", self._metrics)
        runner = web.AppRunner(app, access_log=None, logger=ClientFaults(log), shutdown_timeout=SHUTDOWN_S)
        try:
            await runner.setup()
            await self._listener.listen(runner, self._place.address, self._place.port)
        except BaseException:
            await runner.cleanup()
            raise
        self._runner = runner
        return self._listener.port

    async def stop(self) -> None:
        """Close everything, open feeds included."""
        for feed in self._feeds:
            if feed is not None:
                feed.cancel()
        await self._listener.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        await self._watch.end()

    @web.middleware
    async def _admit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Keep the connection of a request admitted by the guard."""
        self._listener.admit(request, "")
        return await handler(request)

    async def _root(self, _: web.Request) -> web.Response:
        return page_file("actors.observer", "index.html", _HEADERS)

    async def _file(self, request: web.Request) -> web.Response:
        return page_file("actors.observer", request.match_info["name"], _HEADERS)

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """Server-sent events: `actors` and `turn` as they change, `figures` once a second."""
        response = web.StreamResponse(headers={**_HEADERS, "Content-Type": "text/event-stream"})
        await response.prepare(request)
        task = asyncio.current_task()
        self._feeds.add(task)
        try:
            async with self._watch as watch:
                await self._feed(response, watch, request.query.get("window", ""))
        except TimeoutError:
            if request.transport is not None:
                request.transport.abort()  # or the library waits for the reader to take the end
            return response
        except (ConnectionError, asyncio.CancelledError):
            return response
        finally:
            self._feeds.discard(task)
        return response

    async def _feed(self, response: web.StreamResponse, watch: Watch, window: str) -> None:
        census, turn_version, silent_since = 0, 0, watch.now()
        await self._send(response, b"retry: 1000\n\n")
        while True:
            parts = []
            if watch.census.version != census:
                changes = watch.census.changes(census)
                census = watch.census.version
                parts.append(
                    _event("actors", {"kinds": watch.census.kinds, "windows": changes, "crash": watch.crash()})
                )
            turn = watch.turns.of(window)
            if turn is not None and turn.version != turn_version:
                turn_version = turn.version
                parts.append(_event("turn", turn.as_dict(watch.now())))
            if watch.ticks % TICKS_PER_DESCRIPTION == TOLD_AT:
                parts.append(_event("figures", watch.described))
            if parts or watch.now() - silent_since > STILL_HERE_S:
                await self._send(response, b"".join(parts) or b": still here\n\n")
                silent_since = watch.now()
            await watch.next_tick()

    async def _send(self, response: web.StreamResponse, data: bytes) -> None:
        async with asyncio.timeout(self._limits.slowest_write_s):
            await response.write(data)

    async def _memory(self, request: web.Request) -> web.Response:
        about = request.query.get("window", "")
        make = partial(ExplainMemory, window=OPERATOR, about=about[:200])
        answer = await self._exchange.answer_to(MEMORY, make, ANSWER_S)
        return _json(memory_view(answer) if isinstance(answer, MemoryExplained) else _without(answer))

    async def _reminders(self, _: web.Request) -> web.Response:
        answer = await self._exchange.answer_to(SCHEDULER, partial(ListReminders, window=OPERATOR), ANSWER_S)
        return _json(reminders_view(answer) if isinstance(answer, RemindersListed) else _without(answer))

    async def _skills(self, _: web.Request) -> web.Response:
        answer = await self._exchange.answer_to(SKILLS, ListSkills, ANSWER_S)
        return _json(skills_view(answer) if isinstance(answer, SkillsListed) else _without(answer))

    async def _usage(self, _: web.Request) -> web.Response:
        """Sums of the ledger; if summing a long ledger takes a while, the result of a while ago."""
        async with self._asking_usage:
            began = self._watch.now()
            if began >= self._usage_due:
                answer = await self._exchange.answer_to(LEDGER, ReadUsage, ANSWER_S)
                self._usage_told = usage_view(answer) if isinstance(answer, UsageRead) else _without(answer)
                now = self._watch.now()
                self._usage_due = now + self._limits.usage_rest * (now - began)
            return _json(self._usage_told)

    async def _log(self, request: web.Request) -> web.Response:
        key = request.query.get("window", "")
        try:
            folder = log_folder(Window.from_key(key))
        except ValueError as error:
            return _json({"trouble": str(error)}, 400)
        return _json(await self._look(folder.as_posix()))

    async def _look(self, folder: str) -> dict[str, Any]:
        """A window's newest log; for a long log the last reading, if recent."""
        async with self._looking:
            at, view = self._looks.pop(folder, (0.0, {}))
            if not view or self._watch.now() - at >= view.get("bytes", 0) / self._limits.log_bytes_per_s:
                view = await asyncio.to_thread(self._read_log, folder)
                at = self._watch.now()
            self._looks[folder] = (at, view)
            while len(self._looks) > self._limits.most_logs:
                del self._looks[next(iter(self._looks))]
            return view

    async def _metrics(self, _: web.Request) -> web.Response:
        """Prometheus' text form; each scrape asks the actors that can describe themselves."""
        figures = await self._watch.figures_now()
        lines = [
            *system_lines(self._watch.live_actors(), self._watch.counts()),
            *self._spent.lines(),
            *figure_lines(figures),
        ]
        body = "".join(f"{line}\n" for line in lines).encode(errors="replace")
        return web.Response(body=body, headers={**_HEADERS, "Content-Type": CONTENT_TYPE})

    def _read_log(self, folder: str) -> dict[str, Any]:
        try:
            name = _newest(self._place.data_root / folder)
            if name is None:
                return {"trouble": "no message was logged there yet"}
            return log_view(f"{folder}/{name}", read_regular(self._place.data_root / folder / name))
        except OSError as error:
            return {"trouble": f"the log cannot be read: {error.strerror}"}


def _newest(folder: Path) -> str | None:
    """Name of the newest log in `folder`; None for a folder without logs."""
    named: list[tuple[LogName, str]] = []
    if folder.is_dir():
        for place in folder.iterdir():
            with suppress(ValueError):  # other files may lie there
                named.append((parse_log_name(place.name), place.name))
    return max(named)[1] if named else None


def _event(name: str, data: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), _encode(data))


def _json(data: object, status: int = 200) -> web.Response:
    return web.Response(body=_encode(data), status=status, content_type="application/json", headers=_HEADERS)


def _encode(data: object) -> bytes:
    """JSON; half of a surrogate pair, which people can say and UTF-8 has no form for, goes out as an escape."""
    try:
        return msgspec.json.encode(data)
    except UnicodeEncodeError:
        return json.dumps(data).encode()


def _without(answer: object) -> dict[str, str]:
    return {"trouble": answer.reason if isinstance(answer, Refused) else "no answer in time"}
