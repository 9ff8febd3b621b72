"""Lookup of a message by id, with the present words, so retracted words are not used."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import discord

from actors.discord.calls.parsing import WHOLE_MESSAGES, UnreadableAnswerError, WireMessage, read_message
from actors.discord.calls.rest_calls import CallFailedError, CallForbiddenError, CallRefusedError, RestCalls
from actors.discord.incoming.preparation import Preparation
from domain.turn.discord.said import words_of
from domain.turn.discord.wire import object_at
from messages.context import ReviseMessage

FETCH_S = 10.0
"""Until when Discord must have given a message."""
NO_SUCH = "there is no such message here"


@dataclass(frozen=True, slots=True)
class LookedUp:
    """Whole content of a message, and its author."""

    text: str
    author_id: str
    author_name: str


class MessageLookup:
    """Reader of single messages; lives on the loop and outlives each client."""

    def __init__(self, rest: RestCalls, preparation: Preparation) -> None:
        """Begin without lookups.

        Args:
            rest: Runs the calls.
            preparation: Knows names, and deletions and edits, also while a message is on its way.
        """
        self._rest = rest
        self._names = preparation.names
        self._withdrawn = preparation.withdrawn

    def is_deleted(self, message_id: int) -> bool:
        """True if a message is known to be deleted."""
        return self._withdrawn.is_deleted(message_id)

    def words_now(self, interaction: discord.Interaction, message: discord.Message) -> LookedUp:
        """Present words of a message that came with a command a while ago."""
        messages = object_at(object_at(interaction.data or {}, "resolved"), WHOLE_MESSAGES)
        read = read_message(message.channel, messages.get(str(message.id)))
        if read is None:
            return LookedUp(message.content, str(message.author.id), message.author.display_name)
        edit = self._withdrawn.edit_of(message.id)
        return self._looked_up(read, edit)

    def _looked_up(self, message: WireMessage, edit: ReviseMessage | None) -> LookedUp:
        whole = words_of(message.wire, self._names.name_of(message)).all if edit is None else edit.whole or edit.text
        return LookedUp(whole, str(message.author.id), self._names.author_name(message))

    async def fetch(self, interaction: discord.Interaction, message_id: int) -> LookedUp | str:
        """A message with words, of the channel where the user asks, if the user may read its history; else why not."""
        channel_id = interaction.channel_id
        if interaction.guild_id is not None and not interaction.permissions.read_message_history:
            return "you may not read what was said here before"
        if channel_id is None:
            return "I cannot read this channel"
        edit_before = self._withdrawn.edit_of(message_id)

        async def call(client: discord.Client) -> WireMessage:
            channel = client.get_partial_messageable(channel_id, guild_id=interaction.guild_id)
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
        looked_up = self._looked_up(message, None if edit is edit_before else edit)
        return looked_up if looked_up.text.strip() else "that message has no text"
