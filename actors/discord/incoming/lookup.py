"""Lookup of one message by its id, with its present words, so that retracted words are not used."""

from __future__ import annotations

import asyncio

import discord

from actors.discord.calls.parsing import UnreadableAnswerError, read_message
from actors.discord.calls.rest_calls import CallFailedError, CallForbiddenError, CallRefusedError, RestCalls
from actors.discord.incoming.withdrawn import Withdrawn

FETCH_S = 10.0
"""Until when Discord must have given a message."""
NO_SUCH = "there is no such message here"


class MessageLookup:
    """Reader of single messages; lives on the loop and outlives each client."""

    def __init__(self, rest: RestCalls, withdrawn: Withdrawn) -> None:
        """Nothing is asked yet.

        Args:
            rest: Runs the calls.
            withdrawn: Knows what was deleted or edited, also while a message is on its way.
        """
        self._rest = rest
        self._withdrawn = withdrawn

    def is_deleted(self, message_id: int) -> bool:
        """True if a message is known to be deleted."""
        return self._withdrawn.is_deleted(message_id)

    def words_now(self, message: discord.Message) -> str:
        """The words of a message that came a while ago."""
        edit = self._withdrawn.edit_of(message.id)
        return message.content if edit is None else edit.text

    async def fetch(self, interaction: discord.Interaction, message_id: int) -> discord.Message | str:
        """A message with words, of the channel where the user asks, if the user may read its history; else why not."""
        channel_id = interaction.channel_id
        if interaction.guild_id is not None and not interaction.permissions.read_message_history:
            return "you may not read what was said here before"
        if channel_id is None:
            return "this is no channel that I can look into"
        edit_before = self._withdrawn.edit_of(message_id)

        async def call(client: discord.Client) -> discord.Message:
            channel = client.get_partial_messageable(channel_id)
            message = read_message(channel, await client.http.get_message(channel_id, message_id))
            if message is None:
                raise UnreadableAnswerError("a message came as none")
            return message

        try:
            async with asyncio.timeout(FETCH_S):
                message = await self._rest.persist("reading a message", call)
        except CallForbiddenError:
            return "I may not read what was said here before"
        except CallRefusedError:
            return NO_SUCH
        except (TimeoutError, CallFailedError, discord.ClientException):
            return "Discord does not give that message now; please try again"
        if self._withdrawn.is_deleted(message_id):
            return NO_SUCH
        edit = self._withdrawn.edit_of(message_id)
        if edit is not None and edit is not edit_before:
            message.content = edit.text
        return message if message.content.strip() else "that message has no words"
