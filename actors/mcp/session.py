"""Session with a server, on the loop: begins at first need, ends when idle, and begins anew after its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from actors.mcp.config import ServerConfig
from actors.mcp.errors import ServerError, SessionOverError, words_of

if TYPE_CHECKING:
    from actors.mcp.client import Client
    from domain.turn.tools.catalogue import Tool

log = logging.getLogger(__name__)
T = TypeVar("T")
END_S = 5.0

Connect = Callable[[ServerConfig, Callable[[], None], Callable[[str], None]], AbstractAsyncContextManager["Client"]]
"""Opens a session with a server; the callbacks report a changed list of tools, and the end of the connection."""


class Session:
    """Session with a server. The server's behaviour affects only its own requests."""

    def __init__(self, config: ServerConfig, connect: Connect, *, idle_s: float, start_s: float) -> None:
        """Nothing is begun.

        Args:
            config: The server.
            connect: Opens a session.
            idle_s: A session without a request for so long is ended.
            start_s: Longest time for the beginning.
        """
        self._config = config
        self._connect = connect
        self._idle_s = idle_s
        self._start_s = start_s
        self._life: _Life | None = None
        self._under_way = 0
        self._idle: asyncio.TimerHandle | None = None
        self._tools: tuple[Tool, ...] | None = None
        self._are_tools_stale = False
        self.title = ""
        """The server's own name and version; empty before its first session."""
        self.instructions = ""
        self.lives = 0
        """Number of sessions begun."""

    @property
    def is_open(self) -> bool:
        """True if a session is there, or begins."""
        return self._life is not None

    async def tools(self) -> tuple[Tool, ...]:
        """Tools of the server, as last listed; listed anew after the server's notice of a change.

        Raises:
            ServerError: the tools cannot be listed.
        """
        if self._tools is None or self._are_tools_stale:
            await self.run(lambda client: self._list(client))
        assert self._tools is not None
        return self._tools

    async def run(self, work: Callable[[Client], Awaitable[T]]) -> T:
        """Result of `work`, within the server's time for a call, after a start if needed.

        Raises:
            ServerError: the server cannot be started, ends, refuses, or takes too long.
        """
        self._under_way += 1
        if self._idle is not None:
            self._idle.cancel()
        try:
            if self._life is None or self._life.over.is_set():  # a session that ends serves no more
                self._life = self._begin()
            life = self._life
            client = await asyncio.shield(life.ready)
            return await self._within(life, work(client))
        finally:
            self._under_way -= 1
            if self._under_way == 0:
                self._idle = asyncio.get_running_loop().call_later(self._idle_s, self.end)

    def end(self) -> None:
        """End the session; the next request begins another."""
        if self._life is not None:
            self._life.over.set()

    async def close(self) -> None:
        """End the session and wait for its end."""
        if self._idle is not None:
            self._idle.cancel()
        if (life := self._life) is not None:
            life.over.set()
            await asyncio.wait({life.task}, timeout=END_S)

    async def _list(self, client: Client) -> None:
        self._are_tools_stale = False
        try:
            self._tools = await client.list_tools()
        except BaseException:
            self._are_tools_stale = True  # those of before may be gone
            raise

    async def _within(self, life: _Life, work: Awaitable[T]) -> T:
        """Result of a pending request, unless the work takes too long or the session ends before."""
        task = asyncio.ensure_future(work)
        task.add_done_callback(_note_end)
        try:
            async with asyncio.timeout(self._config.timeout_s):
                await asyncio.wait({task, life.task}, return_when=asyncio.FIRST_COMPLETED)
                if task.cancelled():  # by the library, or no answer would ever come
                    raise ServerError("the request was broken off; a call may or may not have had an effect")
                if task.done() and not isinstance(task.exception(), SessionOverError):
                    return task.result()
                life.over.set()
                await asyncio.wait({life.task})
            raise SessionOverError(life.words)
        except TimeoutError:
            if self._under_way == 1:
                life.over.set()  # what it is still at would go on
            raise ServerError(f"no answer within {self._config.timeout_s:g} s (timeout_s of the server)") from None
        finally:
            task.cancel()

    def _begin(self) -> _Life:
        loop = asyncio.get_running_loop()
        life = _Life(loop.create_future())
        life.task = loop.create_task(self._live(life))
        self.lives += 1
        return life

    def _note_change(self) -> None:
        self._are_tools_stale = True

    async def _live(self, life: _Life) -> None:
        def end(reason: str) -> None:
            life.reason = life.reason or reason
            life.over.set()

        limit = asyncio.timeout(self._start_s)
        try:
            async with limit, self._connect(self._config, self._note_change, end) as client:
                limit.reschedule(None)
                self.title, self.instructions = client.title, client.instructions
                self._are_tools_stale = True
                life.ready.set_result(client)
                await life.over.wait()
        except Exception as error:  # noqa: BLE001 - whatever a server, or the library on its account, comes up with
            late = f"it did not begin a session within {self._start_s:g} s"
            life.reason = life.reason or (late if limit.expired() else words_of(error))
        finally:
            if self._life is life:
                self._life = None
            if not life.ready.done():
                life.ready.set_exception(ServerError(f"it did not start: {life.words}"))
                life.ready.exception()  # perhaps nobody waits any more
            log.info("MCP server %s: its session is over", self._config.name)


def _note_end(task: asyncio.Future[T]) -> None:
    """Note a failure, perhaps without a waiting caller."""
    if not task.cancelled():
        task.exception()


class _Life:
    """A session from beginning to end."""

    def __init__(self, ready: asyncio.Future[Any]) -> None:
        self.ready = ready
        self.over = asyncio.Event()
        self.reason = ""
        self.task: asyncio.Task[None]

    @property
    def words(self) -> str:
        """Reason of the end."""
        return self.reason or "its session has ended"
