"""Gateway client: discord.py's events handed over, its parsers kept from ending the connection."""

from __future__ import annotations

import asyncio
import functools
import logging
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import discord

from actors.discord.calls.discord_clock import DiscordClock
from actors.discord.calls.parsing import (
    WireMessage,
    author_of,
    fault_of,
    number_of,
    readable_interaction,
    without_quotation,
)
from actors.discord.commands.buttons import Buttons
from actors.discord.commands.tree import Commands
from actors.discord.config import DiscordConfig
from actors.discord.connection.pauses import Pauses, in_use
from actors.discord.connection.rate_limits import clear_seldom
from actors.discord.connection.shards import Shards
from actors.discord.connection.sockets import Sockets, guild_wait_s, most_connections
from actors.discord.incoming.catch_up import CatchUp
from actors.discord.incoming.places.window_map import AnyChannel
from actors.http_client.clean_connector import CleanConnector

log = logging.getLogger(__name__)

Parser = Callable[[Any], Any]

_MESSAGES = ("MESSAGE_CREATE", "MESSAGE_UPDATE")

_OF_GUILDS = ("READY", "GUILD_CREATE", "GUILD_DELETE")
"""Events that change the set of awaited servers."""


class AgentClient(discord.Client):
    """A client's life: log in, connect, close.

    Handlers of people's actions pass each event on before their first `await`: discord.py starts each as a separate
    task, in the order of the events, and only an immediate hand-over keeps the order.
    """

    def __init__(
        self,
        *,
        config: DiscordConfig,
        catch_up: CatchUp,
        make_commands: Callable[[discord.Client], Commands],
        buttons: Buttons,
        clock: DiscordClock,
        on_online: Callable[[discord.Client], None],
    ) -> None:
        """A client before its login.

        Args:
            config: Direct messages or not, number of shards, waits.
            catch_up: Takes people's messages, and reads missed messages at each new session.
            make_commands: Returns this client's commands.
            buttons: Serves presses.
            clock: Receives the time in Discord's answers.
            on_online: Called with this client whenever all servers of a new session are known.
        """
        timing, shards = config.timing, config.shards or None
        intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=config.dms, message_content=True)
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            guild_ready_timeout=timing.guild_ready_timeout_s,
            heartbeat_timeout=timing.heartbeat_timeout_s,
            max_ratelimit_timeout=30.0,
            shard_count=shards,
        )
        self.unreadable: Counter[str] = Counter()
        """Events that discord.py could not read, by name."""
        self._intake = catch_up.intake
        self._catch_up = catch_up
        self._commands = make_commands(self)
        self._buttons = buttons
        self._on_online = on_online
        self._clock = clock
        self._timing = timing
        self._shards = Shards(shards, timing.session_timeout_s)
        self._is_complete = False
        self._pauses = in_use() or Pauses(timing)
        self._sockets = Sockets(self.http, self._pauses.note_opened)
        self._guard_parsers()
        clock.listen(self.http)
        clear_seldom(self.http)

    async def login(self, token: str) -> None:
        """Log in; from then on calls wait for one another to avoid too many connections."""
        self.http.connector = CleanConnector(limit=most_connections(self.shard_count))
        await super().login(token)

    async def close(self) -> None:
        """Close the connection; discord.py 2.7.1 leaves its waits for servers running, to fail without a loop."""
        state: Any = self._connection
        for waiting in filter(None, (state._ready_task, *getattr(state, "_ready_tasks", {}).values())):
            waiting.cancel()
        await super().close()

    async def has_lost_session(self) -> None:
        """Return when a connection has had no session for longer than the opening of a session takes."""
        self._shards.launch()
        await self._shards.has_lost_one()

    async def abandon_sockets(self) -> None:
        """Close sockets that discord.py left open."""
        await self._sockets.close(self._timing.close_timeout_s)

    # events, by discord.py's names

    async def on_connect(self) -> None:
        """Begin a new session: Discord does not send the messages since the last session."""
        self._open(0)

    async def on_resumed(self) -> None:
        """Resume the session: missed events were sent."""
        self._continue(0)

    async def on_disconnect(self) -> None:
        """The connection was lost."""
        self._lose(0)

    async def on_ready(self) -> None:
        """Every server is known; comes once per session."""
        self._shards.ready()
        await self._complete()

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """A server came back after an outage."""
        self._intake.window_map.survey(self.guilds)
        self._intake.readership.meet_all(guild)
        self._catch_up.come_back(guild)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """A server took the bot in."""
        self._intake.window_map.survey(self.guilds)
        self._intake.readership.meet_all(guild)
        self._catch_up.resume(guild)

    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        """Take in a new channel, perhaps in a heard category."""
        self._intake.window_map.survey(self.guilds)
        self._intake.readership.compare()
        self._catch_up.resume(channel.guild)

    # who may read what

    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """A server is out."""
        self._catch_up.go_out(guild)
        self._intake.readership.compare()

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """A server is gone, or wants the bot no more."""
        self._catch_up.go_out(guild)
        self._intake.readership.compare()

    async def on_guild_update(self, _before: discord.Guild, _after: discord.Guild) -> None:
        """A server has another owner, say."""
        self._intake.readership.compare()

    async def on_guild_role_create(self, _role: discord.Role) -> None:
        """A role was made."""
        self._intake.readership.compare()

    async def on_guild_role_update(self, _before: discord.Role, _after: discord.Role) -> None:
        """Take in a role's changed permissions."""
        self._intake.readership.compare()

    async def on_guild_role_delete(self, _role: discord.Role) -> None:
        """A role is gone."""
        self._intake.readership.compare()

    async def on_guild_channel_update(self, _before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """A channel has other overwrites, say, or stands in another category."""
        if self._intake.window_map.survey(self.guilds):
            self._intake.readership.meet_all(after.guild)
            self._catch_up.resume(after.guild)
        else:
            self._intake.readership.compare()

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel is gone."""
        self._intake.readership.forget_channel(channel.id)

    async def on_thread_create(self, thread: discord.Thread) -> None:
        """A thread was made."""
        self._intake.preparation.starters.meet_new(thread.id)
        await self.on_thread_join(thread)

    async def on_thread_join(self, thread: discord.Thread) -> None:
        """A thread is there again, or took the bot in."""
        self._intake.readership.meet(thread)
        self._catch_up.meet_thread(thread)

    async def on_raw_thread_delete(self, gone: discord.RawThreadDeleteEvent) -> None:
        """A thread is gone."""
        self._intake.readership.forget_thread(gone.thread_id)

    # what people do and take back

    async def on_raw_message_delete(self, gone: discord.RawMessageDeleteEvent) -> None:
        """A message was deleted."""
        self._buttons.note_deleted([gone.message_id])
        self._intake.retract(self._place(gone.channel_id), [gone.message_id])

    async def on_raw_bulk_message_delete(self, gone: discord.RawBulkMessageDeleteEvent) -> None:
        """Take in messages deleted in bulk."""
        self._buttons.note_deleted(gone.message_ids)
        self._intake.retract(self._place(gone.channel_id), gone.message_ids)

    async def on_wire_edit(self, message: WireMessage) -> None:
        """Take in an edited message; its window finds out if the words have changed."""
        if message.edited_at is not None and message.author != self.user:
            self._intake.revise(message)

    def _place(self, channel_id: int) -> AnyChannel:
        return self.get_channel(channel_id) or self.get_partial_messageable(channel_id)

    async def on_message(self, message: WireMessage) -> None:
        """Take a message from Discord."""
        self._catch_up.hear(message)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Take a press of a button; commands go through their tree."""
        if interaction.type is discord.InteractionType.component:
            await self._buttons.press(interaction)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Log a failed handler: a bug of ours, and a single event must not cause an outage.

        Work under way at the client's closing fails for lack of a connection; this error is no bug.
        """
        if self.is_closed():
            log.info("handling Discord's %s was cut short by the end of the connection", event_method)
            return
        log.error("handling Discord's %s failed", event_method, exc_info=sys.exception())

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002
        """Wait before a session is opened anew."""
        if not initial:
            await asyncio.sleep(self._timing.identify_pause_s)

    def _open(self, shard: int) -> None:
        """Take in a new session; its servers follow."""
        self._clock.doubt()
        self._is_complete = False
        self._intake.hold()
        self._intake.readership.suspend()
        self._shards.note_session(shard)

    def _lose(self, shard: int) -> None:
        """Suspend readership: without this connection no change of permissions arrives."""
        self._shards.note_lost(shard)
        self._intake.readership.suspend()

    def _continue(self, shard: int) -> None:
        """Note a resumed connection; its missed events were sent before, or should have been."""
        self._clock.doubt()
        self._pauses.note_resumed()
        self._shards.note_resumed(shard)
        self._catch_up.look()
        if self._shards.are_connected:
            self._intake.readership.resume()

    async def _complete(self) -> None:
        """Begin to work once all servers of all sessions are known, once for each new session."""
        if self._is_complete or not self._shards.are_ready:
            return
        self._is_complete = True
        log.info("online in %d servers", len(self.guilds))
        self._intake.window_map.survey(self.guilds)
        self._intake.readership.begin(self)
        await self._catch_up.begin(self)
        try:
            await self._commands.sync(self._home_guilds())
        except RuntimeError:  # aiohttp's word for a closed session
            if not self.is_closed():
                raise
            return
        self._on_online(self)

    def _home_guilds(self) -> list[discord.Guild]:
        """Servers with a configured channel."""
        return [guild for guild in self.guilds if self._is_home(guild)]

    def _is_home(self, guild: discord.Guild) -> bool:
        return any(guild.get_channel_or_thread(int(channel_id)) for channel_id in self._intake.window_map.channels)

    # parsers

    def _guard_parsers(self) -> None:
        """Keep an unreadable event from ending the connection, as happens with discord.py 2.7.1."""
        parsers = self._connection.parsers
        for event, parse in parsers.items():
            parsers[event] = functools.partial(self._parse, event, parse)
        for event, take in (("MESSAGE_CREATE", self._take_message), ("MESSAGE_UPDATE", self._take_edit)):
            parsers[event] = functools.partial(self._parse, event, take)

    def _parse(self, event: str, parse: Parser, data: Any) -> None:
        if event in _MESSAGES and self._passes_by(event, data):
            return
        if event == "INTERACTION_CREATE":
            data = readable_interaction(data)
        try:
            parse(data)
        except Exception as error:  # noqa: BLE001  # whatever it is, its words may quote what people wrote
            if event in _MESSAGES and (alone := without_quotation(data)) is not None:
                self._parse(event, parse, alone)
                return
            self.unreadable[event] += 1
            log.error("Discord's %s could not be read: %s", event, fault_of(error))
        if event in _OF_GUILDS:
            self._shorten_wait()

    def _take_message(self, data: Any) -> None:
        """Make a message from Discord's data, as discord.py's own parser does, and keep all data."""
        message = self._read(data)
        channel = message.channel
        if isinstance(channel, discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread):
            channel.last_message_id = message.id
        self.dispatch("message", message)

    def _take_edit(self, data: Any) -> None:
        """The same for an edited message."""
        self.dispatch("wire_edit", self._read(data))

    def _read(self, data: Any) -> WireMessage:
        channel, _ = self._connection._get_guild_channel(data)
        return WireMessage(state=self._connection, channel=channel, data=data)

    def _passes_by(self, event: str, data: Any) -> bool:
        """True if a message is the bot's own: only the id is needed, and edits are ignored.

        Each answer comes back as an event, and so does each change of a running message; an object and a task for the
        event cost as much as half a call. The id is noted at the time when a handler's task would have begun, to keep
        the order of the channel's messages.
        """
        if self.user is None or author_of(data) != self.user.id:
            return False
        if event == "MESSAGE_CREATE":
            message_id, channel_id = number_of(data), number_of({"id": data.get("channel_id")})
            if message_id is None or channel_id is None:
                return False
            asyncio.get_running_loop().call_soon(self._intake.pass_by, channel_id, message_id)
        return True

    def _shorten_wait(self) -> None:
        """Wait for more servers only while a server named by Discord is not described yet; discord.py always waits."""
        self._connection.guild_ready_timeout = guild_wait_s(self._timing, self._connection.guilds)


class ShardedAgentClient(AgentClient, discord.AutoShardedClient):
    """Client with several connections that share the servers.

    A new session of any connection holds people's events until its servers are known, and all channels are caught up:
    messages passed on before are known by their ids. discord.py's own `on_ready` comes only when all sessions are new.
    """

    async def on_connect(self) -> None:
        """Ignore the event of a single connection; see `on_shard_connect`."""

    async def on_resumed(self) -> None:
        """Ignore the event of a single connection; see `on_shard_resumed`."""

    async def on_disconnect(self) -> None:
        """Ignore the event of a single connection; see `on_shard_disconnect`."""

    async def on_shard_connect(self, shard: int) -> None:
        """Begin a new session: Discord does not send the servers' messages since the last session."""
        self._shards.count = self.shard_count
        self._open(shard)

    async def on_shard_resumed(self, shard: int) -> None:
        """Resume the session: missed events were sent."""
        self._continue(shard)

    async def on_shard_disconnect(self, shard: int) -> None:
        """The connection was lost."""
        self._lose(shard)

    async def on_shard_ready(self, shard: int) -> None:
        """Note that the connection's servers are known."""
        self._shards.ready(shard)
        await self._complete()
