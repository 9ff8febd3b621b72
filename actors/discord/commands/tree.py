"""A client's commands: their list, and their registration with Discord."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import discord
from discord import app_commands

from actors.discord.calls.refusals import describe
from actors.discord.calls.rest_calls import TRANSIENT
from actors.discord.commands.definition import definitions
from actors.discord.commands.dispatcher import CommandDispatcher
from actors.discord.commands.offered import Completions, PartCommands
from actors.discord.commands.pins import PinCommands
from actors.discord.commands.status import StatusCommands
from actors.discord.incoming.admission import Admission
from actors.discord.incoming.lookup import MessageLookup
from actors.discord.timing import Timing
from actors.part.command import AnyCommand
from messages.base import Address

log = logging.getLogger(__name__)

_BOT_DM = 1
"""Discord's number for the direct messages with the bot, among the places that show a command."""


@dataclass(frozen=True, slots=True)
class CommandOffer:
    """Offer to people, with its dispatcher; outlives each client."""

    dispatcher: CommandDispatcher
    commands: tuple[AnyCommand, ...]
    """Of the parts."""
    describers: tuple[Address, ...]
    """Addresses that describe themselves for `/status`, in the order of their lines."""
    completions: Completions
    admission: Admission
    """Counts how much each person has the model answer."""
    lookup: MessageLookup
    """Reader of messages by their ids."""


class Commands:
    """Commands of a client."""

    def __init__(self, client: discord.Client, offer: CommandOffer, *, dms: bool, timing: Timing) -> None:
        """Begin without registered commands.

        Args:
            client: discord.py's.
            offer: Offered commands, and their dispatcher.
            dms: True to offer the commands in direct messages as well.
            timing: Every wait.
        """
        self._client = client
        self._completions = offer.completions
        self._dms = dms
        self._timing = timing
        self._tree = _Tree(client)
        dispatcher = offer.dispatcher
        parts = PartCommands(dispatcher, offer.commands, offer.completions, offer.admission)
        status = StatusCommands(dispatcher, offer.describers, self._tree.get_commands)
        for command in (*parts.all(), *PinCommands(dispatcher, offer.lookup).all(), *status.all()):
            self._tree.add_command(command)

    async def sync(self, guilds: Iterable[discord.Guild]) -> None:
        """Register the commands in each guild with a different list."""
        self._completions.refresh()
        for guild in guilds:
            self._tree.copy_global_to(guild=guild)
            await self._try_to_sync(guild.id)
        if self._dms:
            await self._try_to_sync(None)

    async def _try_to_sync(self, guild_id: int | None) -> None:
        place = "direct messages" if guild_id is None else f"server {guild_id}"
        try:
            async with asyncio.timeout(self._timing.call_timeout_s):
                if await self._sync(guild_id):
                    log.info("commands registered in %s", place)
        except TRANSIENT as error:
            log.warning("commands were not registered in %s: %s", place, describe(error))

    async def _sync(self, guild_id: int | None) -> bool:
        """Register the commands if Discord's list differs; True if registered.

        discord.py's own comparison leaves out some fields, so both sides are compared in Discord's wording.
        """
        http, application_id = self._client.http, self._client.application_id
        if application_id is None:
            raise ValueError("application_id None: it is known once the client has logged in")
        payloads: list[Any] = [command.to_dict(self._tree) for command in self._tree.get_commands()]
        if guild_id is not None:
            listed = await http.get_guild_commands(application_id, guild_id)
        else:
            listed = await http.get_global_commands(application_id)
            payloads = [{**command, "contexts": [_BOT_DM]} for command in payloads]
        if definitions(listed) == definitions(payloads):
            return False
        if guild_id is not None:
            await http.bulk_upsert_guild_commands(application_id, guild_id, payloads)
        else:
            await http.bulk_upsert_global_commands(application_id, payloads)
        return True


class _Tree(app_commands.CommandTree[discord.Client]):
    """discord.py's dispatch of commands; errors are logged without people's words."""

    async def on_error(self, interaction: discord.Interaction, error: app_commands.AppCommandError, /) -> None:
        cause = error.__cause__ or error
        log.error("command %s failed: %s", interaction.id, describe(cause), exc_info=cause)
