"""`/remember`, `/unremember`, and the message menu's "Remember"."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import discord
import msgspec
from discord import app_commands

from actors.discord.commands.answer import at_once
from actors.discord.commands.dispatcher import CommandDispatcher
from actors.discord.commands.offer import TreeCommand, slash
from actors.discord.commands.replies import word_reply
from actors.discord.incoming.lookup import NO_SUCH, LookedUp, MessageLookup
from actors.discord.incoming.places.channel_policy import MEMORY_IS_OFF
from actors.part import Answer, Invocation
from domain.memory.pins import crowding
from domain.text.discord.message_link import parse_message
from messages.base import Message, MessageId, RequestId, UserId
from messages.context import MemoryPinned, MemoryUnpinned, PinMemory, PinUnknown, UnpinMemory
from messages.memory import MEMORY, DescribeMemory, MemoryDescribed

MENU = "Remember"
ELSEWHERE = "That message is in another channel; use the command there, or the message's own menu."
IS_OFF = f"Not remembered: {MEMORY_IS_OFF}"
COUNT_S = 1.0
"""Seconds to wait for the memory to say whether pins have room; the pin itself is made by then."""
_MOST_CHARACTERS = 300

Fetch = Callable[[], Awaitable[LookedUp | str]]
"""Returns a message that no log has, or the reason for a failure."""


class PinCommands:
    """Commands for pins: words to keep in mind for ever."""

    def __init__(self, dispatcher: CommandDispatcher, lookup: MessageLookup) -> None:
        self._dispatcher = dispatcher
        self._lookup = lookup

    def all(self) -> list[TreeCommand]:
        """The commands to offer."""
        return [
            slash("remember", "Keep something in mind for ever", self._remember),
            slash("unremember", "Take back what you had me remember here", self._unremember),
            app_commands.ContextMenu(name=MENU, callback=self._remember_message),
        ]

    @app_commands.describe(what="Your words, or a message's link or id; leave it out for the last message")
    async def _remember(self, interaction: discord.Interaction, what: app_commands.Range[str, 1, 4000] = "") -> None:
        request = parse_message(what)

        def errand(invocation: Invocation) -> Awaitable[Answer]:
            if request.channel_id not in ("", invocation.window.id):
                return at_once(ELSEWHERE)
            if self._dispatcher.policy.is_off_record(interaction.channel):
                return at_once(IS_OFF)
            return self._pin(
                invocation,
                text=request.text,
                message_id=request.message_id,
                fetch=lambda: self._lookup.fetch(interaction, int(request.message_id)),
            )

        await self._dispatcher.serve(interaction, errand)

    async def _remember_message(self, interaction: discord.Interaction, message: discord.Message) -> None:
        def errand(invocation: Invocation) -> Awaitable[Answer]:
            if self._dispatcher.policy.is_off_record(interaction.channel):
                return at_once(IS_OFF)
            if self._lookup.is_deleted(message.id):
                return at_once(f"Not remembered: {NO_SUCH}.")
            pinned = self._lookup.words_now(interaction, message)
            return self._pin(
                invocation,
                text=pinned.text,
                message_id=str(message.id),
                author_id=pinned.author_id,
                author_name=pinned.author_name,
                fetch=lambda: self._lookup.fetch(interaction, message.id),
            )

        await self._dispatcher.serve(interaction, errand)

    def _pin(
        self,
        invocation: Invocation,
        *,
        text: str,
        message_id: str,
        fetch: Fetch,
        author_id: str = "",
        author_name: str = "",
    ) -> Awaitable[Answer]:
        question = PinMemory(
            request_id=invocation.request_id,
            reply_to=invocation.reply_to,
            window=invocation.window,
            asked_by=invocation.person_id,
            asked_by_name=invocation.person_name,
            message_id=MessageId(message_id),
            text=text,
            author_id=UserId(author_id),
            author_name=author_name,
            audience=invocation.audience,
        )
        # Before anything is waited for, so that it keeps its place among the messages.
        return self._answer_pin(question, self._dispatcher.inquire(invocation.window.address, question), fetch)

    async def _answer_pin(self, question: PinMemory, reply: asyncio.Future[Message], fetch: Fetch) -> Answer:
        """Answer to a pin; a message missing from all logs is fetched and pinned with the words."""
        if isinstance(await reply, PinUnknown):
            message = await fetch()
            if isinstance(message, str):
                return Answer(f"Not remembered: {message}.")
            again = msgspec.structs.replace(
                question,
                text=message.text,
                author_id=UserId(message.author_id),
                author_name=message.author_name,
            )
            reply = self._dispatcher.inquire(question.window.address, again)
        answer = await word_reply(
            reply, MemoryPinned, lambda pinned: self._show("Remembered", pinned), "Not remembered"
        )
        note = await self._crowding(question) if isinstance(await reply, MemoryPinned) else ""
        return Answer(f"{answer.text}\n-# {note}") if note else answer

    async def _crowding(self, question: PinMemory) -> str:
        """Note for a window with more pins than a turn has room for; empty without need."""
        request = DescribeMemory(
            request_id=RequestId(f"{question.request_id}-room"), reply_to=question.reply_to, window=question.window
        )
        try:
            reply = await asyncio.wait_for(self._dispatcher.inquire(MEMORY, request), COUNT_S)
        except TimeoutError:
            return ""
        return crowding(reply.pins_here, reply.pins_given) if isinstance(reply, MemoryDescribed) else ""

    @app_commands.describe(message="A message's link or id; leave it out for what you had me remember last")
    async def _unremember(
        self, interaction: discord.Interaction, message: app_commands.Range[str, 1, 200] = ""
    ) -> None:
        request = parse_message(message)

        def errand(invocation: Invocation) -> Awaitable[Answer]:
            if request.text:
                return at_once("Please name the message by its link or its id.")
            if request.channel_id not in ("", invocation.window.id):
                return at_once(ELSEWHERE)
            return self._unpin(invocation, request.message_id)

        await self._dispatcher.serve(interaction, errand)

    def _unpin(self, invocation: Invocation, message_id: str) -> Awaitable[Answer]:
        question = UnpinMemory(
            request_id=invocation.request_id,
            reply_to=invocation.reply_to,
            window=invocation.window,
            asked_by=invocation.person_id,
            message_id=MessageId(message_id),
        )
        reply = self._dispatcher.inquire(invocation.window.address, question)
        return word_reply(
            reply,
            MemoryUnpinned,
            lambda unpinned: self._show("No longer kept in mind", unpinned),
            "Nothing changed",
        )

    def _show(self, what: str, pin: MemoryPinned | MemoryUnpinned) -> Answer:
        return Answer(
            f"{what}:\n> {self._dispatcher.quote(pin.text, _MOST_CHARACTERS)}\n-# path={pin.path} line={pin.line}"
        )
