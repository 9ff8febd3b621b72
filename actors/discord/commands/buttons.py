"""Buttons below our messages: each says by its custom id what it does, so that it works in every later life as well."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Mapping
from typing import Any

import discord

from actors.discord.commands.answer import Answer, at_once
from actors.discord.commands.dispatcher import CommandDispatcher, Invocation
from actors.discord.commands.reminders import UNREMIND_PREFIX, ReminderCommands
from actors.discord.commands.services import Services
from actors.discord.commands.windows import stop
from actors.discord.outgoing.live import STOP_PREFIX

NOBODY = "Nobody keeps reminders any more."

log = logging.getLogger(__name__)


class Buttons:
    """Serves presses; lives on the loop and outlives each client."""

    def __init__(self, dispatcher: CommandDispatcher, services: Services) -> None:
        self._dispatcher = dispatcher
        self._reminders = None if services.scheduler is None else ReminderCommands(dispatcher, services.scheduler)

    async def press(self, interaction: discord.Interaction) -> None:
        """Do what the pressed button says; nothing for one of somebody else's making."""
        data: Mapping[str, Any] = interaction.data or {}
        custom_id = str(data.get("custom_id", ""))

        def errand(invocation: Invocation) -> Awaitable[Answer]:
            if custom_id.startswith(STOP_PREFIX):
                return stop(self._dispatcher, invocation, custom_id.removeprefix(STOP_PREFIX))
            if self._reminders is None:
                return at_once(NOBODY)
            return self._reminders.deletion(invocation, custom_id.removeprefix(UNREMIND_PREFIX))

        if custom_id.startswith((STOP_PREFIX, UNREMIND_PREFIX)):
            # It is about a turn that runs: what is still to be read in the channel has no say in it.
            await self._dispatcher.serve(interaction, errand, is_urgent=custom_id.startswith(STOP_PREFIX))
        else:
            log.warning("button %r is not one of ours", custom_id[:40])
