"""`/remember`, `/unremember`, and the message menu's "Remember"."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final

import discord
from discord import app_commands

from actors.discord.commands.answer import Answer, at_once
from actors.discord.commands.dispatcher import Desk, Visit
from actors.discord.commands.offer import AnyCommand, slash
from actors.discord.commands.replies import worded
from messages.context import MemoryPinned, MemoryUnpinned, PinMemory, UnpinMemory

MENU: Final = "Remember"
ELSEWHERE: Final = "That message stands in another channel; say it there, or use the message's own menu."
_SHOWN: Final = 300
_ID: Final = re.compile("[0-9]{15,20}")
_LINK: Final = re.compile(
    r"<?https://(?:\w+\.)?discord(?:app)?\.com/channels/(?:[0-9]{15,20}|@me)/([0-9]{15,20})/([0-9]{15,20})/?>?"
)


@dataclass(frozen=True, slots=True)
class Meant:
    """What somebody wrote behind a command."""

    text: str = ""
    message_id: str = ""
    channel_id: str = ""
    """Of the message, where a link says it."""


def meant(words: str) -> Meant:
    """A message by its link or id, or else the words themselves."""
    words = words.strip()
    if (link := _LINK.fullmatch(words)) is not None:
        return Meant(channel_id=link[1], message_id=link[2])
    return Meant(message_id=words) if _ID.fullmatch(words) else Meant(text=words)


class PinCommands:
    """What is to be kept in mind for ever."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def all(self) -> list[AnyCommand]:
        """The commands to offer."""
        return [
            slash("remember", "Keep something in mind for ever", self._remember),
            slash("unremember", "Take back what you had me remember here", self._unremember),
            app_commands.ContextMenu(name=MENU, callback=self._remember_message),
        ]

    @app_commands.describe(what="Your words, or a message's link or id; leave it out for what was said last")
    async def _remember(self, interaction: discord.Interaction, what: app_commands.Range[str, 1, 4000] = "") -> None:
        asked = meant(what)

        def errand(visit: Visit) -> Awaitable[Answer]:
            if asked.channel_id not in ("", visit.window.id):
                return at_once(ELSEWHERE)
            return self._pin(visit, text=asked.text, message_id=asked.message_id)

        await self._desk.serve(interaction, errand)

    async def _remember_message(self, interaction: discord.Interaction, message: discord.Message) -> None:
        def errand(visit: Visit) -> Awaitable[Answer]:
            return self._pin(
                visit,
                text=message.content,
                message_id=str(message.id),
                author_id=str(message.author.id),
                author_name=message.author.display_name,
            )

        await self._desk.serve(interaction, errand)

    def _pin(
        self, visit: Visit, *, text: str, message_id: str, author_id: str = "", author_name: str = ""
    ) -> Awaitable[Answer]:
        question = PinMemory(
            request_id=visit.request_id,
            reply_to=visit.reply_to,
            window=visit.window,
            asked_by=visit.person_id,
            asked_by_name=visit.person_name,
            message_id=message_id,
            text=text,
            author_id=author_id,
            author_name=author_name,
            audience=visit.audience,
        )
        reply = self._desk.inquire(visit.window.address, question)
        return worded(reply, MemoryPinned, lambda pinned: self._shown("Remembered", pinned), "Not remembered")

    @app_commands.describe(message="A message's link or id; leave it out for what you had me remember last")
    async def _unremember(
        self, interaction: discord.Interaction, message: app_commands.Range[str, 1, 200] = ""
    ) -> None:
        asked = meant(message)

        def errand(visit: Visit) -> Awaitable[Answer]:
            if asked.text:
                return at_once("Please name the message by its link or its id.")
            if asked.channel_id not in ("", visit.window.id):
                return at_once(ELSEWHERE)
            return self._unpin(visit, asked.message_id)

        await self._desk.serve(interaction, errand)

    def _unpin(self, visit: Visit, message_id: str) -> Awaitable[Answer]:
        question = UnpinMemory(
            request_id=visit.request_id,
            reply_to=visit.reply_to,
            window=visit.window,
            asked_by=visit.person_id,
            message_id=message_id,
        )
        reply = self._desk.inquire(visit.window.address, question)
        return worded(
            reply,
            MemoryUnpinned,
            lambda unpinned: self._shown("No longer kept in mind", unpinned),
            "Nothing changed",
        )

    def _shown(self, what: str, pin: MemoryPinned | MemoryUnpinned) -> Answer:
        return Answer(f"{what}:\n> {self._desk.quoted(pin.text, _SHOWN)}\n-# path={pin.path} line={pin.line}")
