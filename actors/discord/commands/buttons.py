"""Buttons below the bot's messages: a button's custom id says its action, so buttons work in later lives as well."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import discord

from actors.discord.commands.answer import at_once
from actors.discord.commands.dispatcher import CommandDispatcher
from actors.discord.commands.offered import ask
from actors.part.command import AnyPress

NOBODY = "This button no longer works."

log = logging.getLogger(__name__)


class Buttons:
    """Handler of presses; lives on the loop and outlives each client."""

    def __init__(
        self,
        dispatcher: CommandDispatcher,
        presses: Iterable[AnyPress],
        note_deleted: Callable[[Iterable[int]], None] = lambda _: None,
    ) -> None:
        """Begin without a button.

        Args:
            dispatcher: Serves presses.
            presses: Actions of the parts.
            note_deleted: Receives the ids of deleted messages, possibly with buttons.
        """
        self.note_deleted = note_deleted
        self._dispatcher = dispatcher
        self._presses = tuple(presses)

    async def press(self, interaction: discord.Interaction) -> None:
        """Carry out a button's action; tell the person if no part knows the button (any more)."""
        data: Mapping[str, Any] = interaction.data or {}
        custom_id = str(data.get("custom_id", ""))
        press = next((each for each in self._presses if custom_id.startswith(each.prefix)), None)
        if press is None:
            log.info("button %r has no part that it belongs to", custom_id[:40])
            await self._dispatcher.serve(interaction, lambda _: at_once(NOBODY))
            return
        arguments = {"id": custom_id.removeprefix(press.prefix)}
        # An urgent one is about a turn that runs: what is still to be read in the channel has no say in it.
        await self._dispatcher.serve(
            interaction,
            lambda call: ask(self._dispatcher, press, call, arguments),
            is_urgent=press.is_urgent,
            for_viewers=press.for_viewers,
        )
