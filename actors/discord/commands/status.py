"""`/status` and `/help`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import discord
from discord import app_commands

from actors.discord.commands.answer import at_once
from actors.discord.commands.dispatcher import CommandDispatcher
from actors.discord.commands.offer import TreeCommand, slash
from actors.part import Answer, Invocation
from messages.base import Address, Message, RequestId, flaw_of
from messages.status import DescribeYourself, SelfDescription

HELP = "Write to me here, and I answer. There are also these commands:"
_FIGURE = 120


class StatusCommands:
    """Commands on the agent itself: the status, and a list of commands."""

    def __init__(
        self, dispatcher: CommandDispatcher, describers: tuple[Address, ...], offered: Callable[[], list[TreeCommand]]
    ) -> None:
        """Begin without an offer.

        Args:
            dispatcher: Serves the commands.
            describers: Addresses that describe themselves for `/status`, in the order of their lines.
            offered: Returns every offered command.
        """
        self._dispatcher = dispatcher
        self._describers = describers
        self._offered = offered

    def all(self) -> list[TreeCommand]:
        """The commands to offer."""
        return [
            slash("status", "Show my state", self._status),
            slash("help", "List my commands", self._help),
        ]

    async def _status(self, interaction: discord.Interaction) -> None:
        user, guilds = interaction.client.user, interaction.client.guilds
        head = f"I am {user.display_name if user else 'here'}, online in {_count(len(guilds), 'server')}."

        is_direct = interaction.guild_id is None
        head = f"{head} {self._dispatcher.policy.describe(interaction.channel, is_direct=is_direct)}".rstrip()

        def errand(invocation: Invocation) -> Awaitable[Answer]:
            replies = {
                describer: self._dispatcher.inquire(
                    describer,
                    DescribeYourself(
                        request_id=RequestId(f"{invocation.request_id}.{number}"), reply_to=invocation.reply_to
                    ),
                )
                for number, describer in enumerate(self._describers)
            }
            return self._gather_descriptions(head, replies)

        await self._dispatcher.serve(interaction, errand)

    async def _gather_descriptions(self, head: str, replies: dict[Address, asyncio.Future[Message]]) -> Answer:
        """Answer with all descriptions received in time; describers without a reply are named."""
        if replies:
            await asyncio.wait(replies.values(), timeout=self._dispatcher.timing.answer_within_s / 2)
        lines = [head]
        for describer, reply in replies.items():
            if not reply.done():
                reply.cancel()
                lines.append(f"**{describer}**: does not answer")
            elif isinstance(description := reply.result(), SelfDescription) and not flaw_of(description):
                lines.append(self._render_description(description))
            else:
                lines.append(f"**{describer}**: gives an unreadable answer")
        return Answer("\n".join(lines))

    def _render_description(self, description: SelfDescription) -> str:
        figures = (
            f"{name.replace('_', ' ')} {self._dispatcher.quote(str(value), _FIGURE)}"
            for name, value in description.figures
        )
        return f"**{description.about}**: {', '.join(figures) or 'no figures'}"

    async def _help(self, interaction: discord.Interaction) -> None:
        await self._dispatcher.serve(
            interaction, lambda invocation: at_once(self._help_text(is_member=invocation.is_member))
        )

    def _help_text(self, *, is_member: bool) -> str:
        lines = [HELP]
        for command in self._offered():
            lines += [
                f"- {name}: {description}"
                for name, key, description in _entries(command)
                if is_member or self._dispatcher.is_open_to_viewers(key)
            ]
        return "\n".join(lines)


def _entries(command: TreeCommand) -> list[tuple[str, str, str]]:
    """(invocation, name, description) of a command, or of each command of a group."""
    if isinstance(command, app_commands.Group):
        return [entry for inner in command.commands for entry in _entries(inner)]
    if isinstance(command, app_commands.ContextMenu):
        return [(f"a message's menu, Apps, {command.name}", command.qualified_name, "the same for that message")]
    return [(f"`/{command.qualified_name}`", command.qualified_name, command.description)]


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
