"""An unmodified discord.py client in a thread of its own, pointed at a playground."""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import yarl

from actors.discord.connection.keep_alive import end_keep_alives
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.patience import PATIENCE_S

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # discord.py imports audioop, which Python 3.11 deprecates
    import discord
    from discord import app_commands

__all__ = ["GUILD", "Bot", "Client", "app_commands", "discord"]

T = TypeVar("T")
GUILD = discord.Object(defaults.GUILD_ID)
WAIT_S = PATIENCE_S


class Client(discord.Client):
    """Client that records all messages, and answers only on a test's demand."""

    def __init__(self, **options: Any) -> None:
        settings: dict[str, Any] = {"intents": discord.Intents.all(), "guild_ready_timeout": 0.05, **options}
        super().__init__(**settings)
        self.tree = app_commands.CommandTree(self)
        self.messages: list[discord.Message] = []
        self.raw_edits: list[discord.RawMessageUpdateEvent] = []
        self.raw_deletes: list[int] = []
        self.reactions: list[str] = []
        self.seen: list[str] = []
        self.answer: Callable[[discord.Message], Awaitable[Any]] | None = None
        self.noticed = threading.Condition()

    async def on_message(self, message: discord.Message) -> None:
        if message.author != self.user:
            self.note("message", self.messages, message)
            if self.answer is not None:
                await self.answer(message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        self.note("edit", self.raw_edits, payload)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        self.note("delete", self.raw_deletes, payload.message_id)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        self.note("reaction", self.reactions, str(payload.emoji))

    async def on_ready(self) -> None:
        self.note("ready")

    async def on_guild_available(self, _: discord.Guild) -> None:
        self.note("guild")

    async def on_resumed(self) -> None:
        self.note("resumed")

    async def on_thread_create(self, thread: discord.Thread) -> None:
        self.note(f"thread {thread.id}")

    async def on_thread_join(self, thread: discord.Thread) -> None:
        self.note(f"joined {thread.id}")

    async def on_typing(self, *_: Any) -> None:
        self.note("typing")

    def note(self, what: str, place: list[Any] | None = None, value: Any = None) -> None:
        with self.noticed:
            if place is not None:
                place.append(value)
            self.seen.append(what)
            self.noticed.notify_all()

    def wait_until(self, holds: Callable[[], bool], timeout_s: float = WAIT_S) -> None:
        """Return once `holds()`; asked again after every event. From other threads only."""
        with self.noticed:
            if not self.noticed.wait_for(holds, timeout_s):
                raise TimeoutError(f"seen so far: {self.seen}")


class Bot:
    """Runs a client; everything here is called from the test's thread."""

    def __init__(self, playground: PlaygroundServer, client_type: type[Client] = Client, **options: Any) -> None:
        discord.http.Route.BASE = playground.api_base
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(playground.gateway_url)
        discord.Asset.BASE = playground.origin
        self.playground = playground
        self.client: Client
        self._client_type, self._options = client_type, options
        self._loop: asyncio.AbstractEventLoop | None = None
        self._looping = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="real discord.py", daemon=True)
        self._thread.start()
        self._looping.wait(WAIT_S)

    def start(self, token: str | None = None) -> Client:
        """The client, logged in and ready."""
        self.call(self.client.login(token or self.playground.bot_token))
        assert self._loop is not None
        self._connected = asyncio.run_coroutine_threadsafe(self.client.connect(), self._loop)
        self.client.wait_until(
            lambda: "ready" in self.client.seen and self.client.get_channel(defaults.GENERAL_ID) is not None
        )
        return self.client

    def wait_for_end(self) -> None:
        """Return once the connection that `start` began has ended; its error is raised."""
        self._connected.result(WAIT_S)

    def connect(self) -> None:
        """Connect and stay until the connection ends; its error is raised."""
        self.call(self.client.connect())

    def call(self, coroutine: Coroutine[Any, Any, T], timeout_s: float = WAIT_S) -> T:
        """Result of `coroutine` on the client's loop."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout_s)

    def channel(self, channel_id: int = defaults.GENERAL_ID) -> discord.TextChannel:
        """A text channel from the client's cache."""
        channel = self.client.get_channel(channel_id)
        assert isinstance(channel, discord.TextChannel)
        return channel

    def stop(self) -> None:
        """Close the client and end the thread."""
        assert self._loop is not None
        self.call(self.client.close())
        self.call(end_keep_alives())
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(WAIT_S)

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self.client = self._client_type(**self._options)
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._looping.set()
        await self._ended.wait()
