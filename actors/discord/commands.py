"""The slash commands: acknowledged at once, asked of the window's actor, answered when it replies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

import discord
from discord import app_commands

from actors.discord.arrival import Arrival
from actors.discord.courier import TRANSIENT, described, refusal
from actors.discord.intake import Intake
from actors.discord.timing import Timing
from messages.base import Address, Message, RequestId, Window
from messages.context import NewWindowRefused, NewWindowStarted, StartNewWindow

log = logging.getLogger(__name__)

STARTED = "New window: from here on I start afresh. What was said before stays in the log."
TAKES_LONGER = "This takes longer than usual; the new window starts as soon as what is under way allows it."
_TOKEN_LIFE_S = 870.0
"""Discord takes answers for 15 minutes."""


class Replies:
    """Commands that wait for the reply of a window's actor; outlives each client."""

    def __init__(self) -> None:
        self._waiting: dict[RequestId, asyncio.Future[str]] = {}

    def expect(self, request_id: RequestId) -> asyncio.Future[str]:
        """What will hold the words for the person."""
        return self._waiting.setdefault(request_id, asyncio.get_running_loop().create_future())

    def settle(self, request_id: RequestId, text: str) -> None:
        """Give the words; nothing if nobody waits for them any more."""
        future = self._waiting.pop(request_id, None)
        if future is not None and not future.done():
            future.set_result(text)

    def forget(self, request_id: RequestId) -> None:
        """Wait no longer."""
        self._waiting.pop(request_id, None)

    def take(self, reply: NewWindowStarted | NewWindowRefused) -> None:
        """Turn an actor's reply into words."""
        text = STARTED if isinstance(reply, NewWindowStarted) else f"No new window: {reply.reason}"
        self.settle(reply.request_id, text)


class Commands:
    """One client's slash commands."""

    def __init__(
        self,
        client: discord.Client,
        *,
        intake: Intake,
        replies: Replies,
        tell: Callable[[Address, Message], None],
        reply_to: Address,
        timing: Timing,
    ) -> None:
        self._intake = intake
        self._replies = replies
        self._tell = tell
        self._reply_to = reply_to
        self._timing = timing
        self._tree = _Tree(client)
        self._tree.add_command(
            app_commands.Command(name="new", description="Start a new conversation window here", callback=self._new)
        )

    async def sync(self, guilds: Iterable[discord.Guild]) -> None:
        """Register the commands in each guild where they differ from what Discord lists."""
        for guild in guilds:
            self._tree.copy_global_to(guild=guild)
            try:
                async with asyncio.timeout(self._timing.call_timeout_s):
                    await self._sync_guild(guild)
            except TRANSIENT as error:
                log.warning("slash commands were not registered in server %d: %s", guild.id, described(error))

    async def _sync_guild(self, guild: discord.Guild) -> None:
        listed = {(each.name, each.description) for each in await self._tree.fetch_commands(guild=guild)}
        wanted = {
            (each.name, each.description)
            for each in self._tree.get_commands(guild=guild, type=discord.AppCommandType.chat_input)
            if isinstance(each, app_commands.Command)
        }
        if listed != wanted:
            await self._tree.sync(guild=guild)
            log.info("slash commands registered in server %d", guild.id)

    async def _new(self, interaction: discord.Interaction) -> None:
        request_id = RequestId(str(interaction.id))
        words = self._replies.expect(request_id)

        def accept(window: Window) -> None:
            asked_by = str(interaction.user.id)
            self._tell(
                window.address,
                StartNewWindow(request_id=request_id, reply_to=self._reply_to, window=window, asked_by=asked_by),
            )

        # Before the first await, so that it keeps its place among the messages.
        self._intake.take(
            Arrival(
                number=interaction.id,
                channel=interaction.channel,
                channel_id=str(interaction.channel_id),
                guild_id=interaction.guild_id,
                author=interaction.user,
                accept=accept,
                refuse=lambda reason: self._replies.settle(request_id, reason),
            )
        )
        try:
            async with asyncio.timeout(self._timing.call_timeout_s):
                await interaction.response.defer(ephemeral=True, thinking=True)
            await self._answer(interaction, words)
        except TRANSIENT as error:
            log.warning("a command was carried out but its answer is not shown: %s", described(error))
        finally:
            self._replies.forget(request_id)

    async def _answer(self, interaction: discord.Interaction, words: asyncio.Future[str]) -> None:
        done, _ = await asyncio.wait([words], timeout=self._timing.answer_within_s)
        if not done:
            await self._show(interaction, TAKES_LONGER)
            done, _ = await asyncio.wait([words], timeout=_TOKEN_LIFE_S)
        if done:
            await self._show(interaction, words.result())

    async def _show(self, interaction: discord.Interaction, text: str) -> None:
        """Make `text` the answer; doing it again changes the same message, so a lost call is simply repeated."""
        for is_last in (False, True):
            try:
                async with asyncio.timeout(self._timing.call_timeout_s):
                    await interaction.edit_original_response(
                        content=text, allowed_mentions=discord.AllowedMentions.none()
                    )
            except TRANSIENT as error:
                if is_last or refusal(error) is not None:
                    raise
                log.info("answering a command failed and is tried once more: %s", described(error))
            else:
                return


class _Tree(app_commands.CommandTree[discord.Client]):
    """discord.py's dispatch of commands, whose errors are logged without what people wrote."""

    async def on_error(self, interaction: discord.Interaction, error: app_commands.AppCommandError, /) -> None:
        cause = error.__cause__ or error
        log.error("command %s failed: %s", interaction.id, described(cause), exc_info=cause)
