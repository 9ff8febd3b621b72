"""discord.py's client: its events handed over, its parsers kept from ending the connection."""

from __future__ import annotations

import asyncio
import functools
import logging
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

import discord

from actors.discord.catch_up import CatchUp
from actors.discord.commands import Commands
from actors.discord.intake import Intake
from actors.discord.timing import Timing

log = logging.getLogger(__name__)

Parser = Callable[[Any], Any]

LEAST_CLEARED = 1024
"""Rate limits that are kept before any are looked through."""


def clear_seldom(http: Any) -> None:
    """Have discord.py's HTTP client look for rate limits to forget only when their number has doubled.

    discord.py 2.7 looks through all of them at each new one beyond 256: at 1,500 busy threads that was a tenth of the
    agent's time, and it grows with the square of their number.
    """
    clear, limit = http._try_clear_expired_ratelimits, LEAST_CLEARED

    def clear_when_doubled() -> None:
        nonlocal limit
        if len(http._buckets) >= limit:
            clear()
            limit = max(LEAST_CLEARED, 2 * len(http._buckets))

    http._try_clear_expired_ratelimits = clear_when_doubled


class AgentClient(discord.Client):
    """One client's life: log in, connect, close.

    Handlers of what people do pass it on before their first `await`: discord.py starts each as a task of its own, in
    the order of the events, and only so is that order kept.
    """

    def __init__(
        self,
        *,
        intake: Intake,
        catch_up: CatchUp,
        make_commands: Callable[[discord.Client], Commands],
        on_online: Callable[[str], None],
        timing: Timing,
    ) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, message_content=True)
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            guild_ready_timeout=timing.guild_ready_timeout_s,
            heartbeat_timeout=timing.heartbeat_timeout_s,
            max_ratelimit_timeout=30.0,
        )
        self.has_session = asyncio.Event()
        """Set while a session is open: from READY or RESUMED until the connection is lost."""
        self.unreadable: Counter[str] = Counter()
        """Events that discord.py could not read, by name."""
        self._intake = intake
        self._catch_up = catch_up
        self._commands = make_commands(self)
        self._on_online = on_online
        self._timing = timing
        self._has_no_session = asyncio.Event()
        self._has_no_session.set()
        self._guard_parsers()
        clear_seldom(self.http)

    async def has_lost_session(self) -> None:
        """Return when there has been no session for longer than one takes to open."""
        while True:
            await self._has_no_session.wait()
            try:
                async with asyncio.timeout(self._timing.session_timeout_s):
                    await self.has_session.wait()
            except TimeoutError:
                return

    # ---- events, by discord.py's names

    async def on_connect(self) -> None:
        """A new session: what was said since the last one is not sent."""
        self._intake.hold()
        self._note_session(True)

    async def on_resumed(self) -> None:
        """The same session: what was missed was sent."""
        self._note_session(True)

    async def on_disconnect(self) -> None:
        """The connection was lost."""
        self._note_session(False)

    async def on_ready(self) -> None:
        """Every server is known; comes once per session."""
        log.info("online in %d servers", len(self.guilds))
        self._catch_up.begin(self)
        await self._commands.sync(self._home_guilds())
        self._on_online(str(self.user))

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """A server came back after an outage."""
        self._catch_up.found(guild)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """A server took the bot in."""
        self._catch_up.found(guild)

    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        """A channel was made."""
        self._catch_up.found(channel.guild)

    async def on_message(self, message: discord.Message) -> None:
        """Somebody wrote something somewhere."""
        self._intake.hear(message)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """A handler failed: a mistake of ours, which one event must not turn into an outage."""
        log.error("handling Discord's %s failed", event_method, exc_info=sys.exception())

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002
        """Wait before a session is opened anew."""
        if not initial:
            await asyncio.sleep(self._timing.identify_pause_s)

    def _note_session(self, is_open: bool) -> None:
        for event, is_set in ((self.has_session, is_open), (self._has_no_session, not is_open)):
            if is_set:
                event.set()
            else:
                event.clear()

    def _home_guilds(self) -> list[discord.Guild]:
        """The servers that hold a configured channel."""
        return [guild for guild in self.guilds if self._is_home(guild)]

    def _is_home(self, guild: discord.Guild) -> bool:
        return any(guild.get_channel_or_thread(int(channel_id)) for channel_id in self._intake.places.channels)

    # ---- parsers

    def _guard_parsers(self) -> None:
        """Keep one unreadable event from ending the connection, which is what discord.py 2.7.1 makes of it."""
        parsers = self._connection.parsers
        for event, parse in parsers.items():
            parsers[event] = functools.partial(self._parse, event, parse)

    def _parse(self, event: str, parse: Parser, data: Any) -> None:
        try:
            parse(data)
        except Exception as error:  # noqa: BLE001  # whatever it is, the text may quote what people wrote: log the place only
            self.unreadable[event] += 1
            place = traceback.extract_tb(error.__traceback__)[-1]
            log.error(
                "Discord's %s could not be read: %s in %s:%d", event, type(error).__name__, place.name, place.lineno
            )
