"""Reconnection: the connection to Discord is logged in, watched, opened anew with backoff, closed."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable

import discord

from actors.discord.calls.fatal import fatal_sentence
from actors.discord.calls.refusals import describe
from actors.discord.calls.rest_calls import TRANSIENT, RestCalls
from actors.discord.connection.client import AgentClient
from actors.discord.connection.keep_alive import end_keep_alives
from actors.discord.connection.pauses import Pauses, use
from actors.discord.timing import Timing

log = logging.getLogger(__name__)

TRANSIENT_OR_FATAL = (*TRANSIENT, discord.ClientException, discord.GatewayNotFound)
"""Exceptions with which discord.py ends a connection on purpose."""


class GatewaySession:
    """Connection kept up: one client after another until it is closed or Discord refuses for good.

    discord.py resumes and reconnects by itself. Some faults end the client, and the next client takes over: an
    unreadable event, a RESUME without an answer, a login while Discord is down.
    """

    def __init__(
        self,
        *,
        token: str,
        build: Callable[[], AgentClient],
        rest: RestCalls,
        timing: Timing,
        pauses: Pauses,
        on_fatal: Callable[[str], None],
    ) -> None:
        """Not connected.

        Args:
            token: The bot's.
            build: Gives a new client; each is used once.
            rest: Makes its calls through whichever client is logged in.
            timing: Every other wait.
            pauses: Between one client and the next.
            on_fatal: Told in words for a person why no restart could help.
        """
        self._token = token
        self._build = build
        self._rest = rest
        self._timing = timing
        self._pauses = pauses
        self._on_fatal = on_fatal
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to connect, on the loop."""
        self._running = asyncio.get_running_loop().create_task(self._run())
        self._running.add_done_callback(self._report_end)

    async def close(self) -> None:
        """Disconnect; returns when the client is closed."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])

    def _report_end(self, task: asyncio.Task[None]) -> None:
        """Report a fault of the bot's own that ended the task, so the bot does not stop silently."""
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("no client for Discord can be made", exc_info=error)
            self._on_fatal(
                f"the bot cannot connect to Discord, because of a fault of the agent: {type(error).__name__}: {error}"
            )

    async def _run(self) -> None:
        """Stay connected; return only when no restart could help, after a call of `on_fatal`."""
        use(self._pauses)
        while True:
            client = self._build()
            self._rest.guard(client)
            try:
                await self._live(client)
            except TRANSIENT_OR_FATAL as error:
                if (sentence := fatal_sentence(error)) is not None:
                    self._on_fatal(sentence)
                    return
                log.warning("the connection to Discord was lost: %s", describe(error))
            except Exception:
                log.exception("the connection to Discord failed")
            finally:
                await self._bury(client)
            pause_s = max(self._pauses.next_s(), self._rest.gate.left_s())
            log.warning("connecting to Discord again in %.1f s", pause_s)
            await asyncio.sleep(pause_s)

    async def _live(self, client: AgentClient) -> None:
        """Log in and stay connected as long as discord.py manages; ends with its error, or when the session is lost."""
        async with asyncio.timeout(self._timing.call_timeout_s):
            await client.login(self._token)
        self._rest.employ(client)
        connection = asyncio.create_task(client.connect())
        watch = asyncio.create_task(client.has_lost_session())
        try:
            await asyncio.wait((connection, watch), return_when=asyncio.FIRST_COMPLETED)
            if connection.done():
                connection.result()
            else:
                log.warning("no session with Discord for %.0f s", self._timing.session_timeout_s)
        finally:
            connection.cancel()
            watch.cancel()
            await asyncio.gather(connection, watch, return_exceptions=True)

    async def _bury(self, client: AgentClient) -> None:
        """Close a client; a failure to close does not keep the next client from connecting."""
        if self._rest.client is client:
            self._rest.employ(None)
        for end in (functools.partial(self._close, client), client.abandon_sockets, end_keep_alives):
            try:
                await end()
            except Exception:
                log.exception("a client for Discord was not closed properly")

    async def _close(self, client: AgentClient) -> None:
        """Close the client, with force when Discord doesn't answer."""
        try:
            async with asyncio.timeout(self._timing.close_timeout_s):
                await client.close()
        except TRANSIENT as error:
            log.warning("the connection to Discord was cut: %s", describe(error))
            await client.http.close()
