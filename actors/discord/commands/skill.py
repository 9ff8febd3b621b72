"""`/skill`: one command for all skills, carried out like a message of whoever calls it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable

import discord
from discord import app_commands

from actors.discord.commands.answer import Answer, at_once
from actors.discord.commands.dispatcher import CommandDispatcher, Invocation
from actors.discord.commands.offer import AnyCommand, Choices, choices, slash
from actors.discord.commands.replies import CommandReply
from actors.discord.incoming.admission import Admission
from actors.discord.incoming.arrival import spoken
from messages.base import Address, RequestId
from messages.skills import ListSkills, ReadSkill, SkillRead, SkillsListed
from messages.socket import Refused

FRESH_S = 3.0
"""For so long nobody is asked again which skills there are."""
UNREADABLE = "The skills can't be read at the moment; please try again."


class SkillNames:
    """The names to offer, as they were a moment ago; outlives each client."""

    def __init__(self, dispatcher: CommandDispatcher, skills: Address | None) -> None:
        self._dispatcher = dispatcher
        self._skills = skills
        self._names: tuple[str, ...] = ()
        self._numbers = itertools.count(1)
        self._asked: asyncio.Future[CommandReply] | None = None
        self._asked_at = 0.0

    def refresh(self) -> None:
        """Have the names looked up, unless that was done a moment ago; they come later."""
        now = asyncio.get_running_loop().time()
        if self._skills is None or (self._asked is not None and now - self._asked_at < FRESH_S):
            return
        if self._asked is not None:
            self._asked.cancel()
        question = ListSkills(request_id=RequestId(f"skills.{next(self._numbers)}"), reply_to=self._dispatcher.reply_to)
        self._asked, self._asked_at = self._dispatcher.inquire(self._skills, question), now
        self._asked.add_done_callback(self._take)

    def now(self) -> tuple[str, ...]:
        """The names at hand."""
        self.refresh()
        return self._names

    def _take(self, asked: asyncio.Future[CommandReply]) -> None:
        if not asked.cancelled() and isinstance(reply := asked.result(), SkillsListed):
            self._names = tuple(skill.name for skill in reply.skills)


class SkillCommands:
    """`/skill name arguments`."""

    def __init__(self, dispatcher: CommandDispatcher, skills: Address, names: SkillNames, admission: Admission) -> None:
        self._dispatcher = dispatcher
        self._skills = skills
        self._names = names
        self._admission = admission

    def all(self) -> list[AnyCommand]:
        """The commands to offer."""
        command = slash("skill", "Do something by one of my skills", self._skill)
        command.autocomplete("name")(self._offer)
        return [command]

    @app_commands.describe(name="Which skill", arguments="What to do with it, in your words")
    async def _skill(
        self,
        interaction: discord.Interaction,
        name: app_commands.Range[str, 1, 100],
        arguments: app_commands.Range[str, 1, 4000] = "",
    ) -> None:
        found: list[CommandReply] = []

        async def read() -> None:
            found.extend(await self._read(interaction, name.strip(), arguments))

        def errand(invocation: Invocation) -> Awaitable[Answer]:
            return at_once(self._begin(invocation, interaction, name.strip(), found))

        await self._dispatcher.serve(interaction, errand, prepare=read)

    async def _offer(self, interaction: discord.Interaction, typed: str) -> Choices:
        return choices(self._names.now(), typed) if self._dispatcher.hears(interaction) else []

    async def _read(self, interaction: discord.Interaction, name: str, arguments: str) -> list[CommandReply]:
        """The skill's words or why there are none; empty when nobody says in time."""
        question = ReadSkill(
            request_id=RequestId(str(interaction.id)),
            reply_to=self._dispatcher.reply_to,
            name=name,
            arguments=arguments,
        )
        reply = self._dispatcher.inquire(self._skills, question)
        await asyncio.wait([reply], timeout=self._dispatcher.timing.answer_within_s / 2)
        if reply.done():
            return [reply.result()]
        reply.cancel()
        return []

    def _begin(
        self, invocation: Invocation, interaction: discord.Interaction, name: str, found: list[CommandReply]
    ) -> str:
        """Give the window its message; what to say to the person."""
        match found:
            case [SkillRead(text=text)]:
                refusal = self._admission.command_refusal(invocation.person_id)
                if refusal:
                    return refusal
                self._dispatcher.tell(
                    invocation.window.address,
                    spoken(interaction, invocation.window, invocation.reply_to, invocation.audience, text),
                )
                return (
                    f"The skill {self._dispatcher.quoted(name, 100)} is at work; the answer comes here in the channel."
                )
            case [Refused(reason=reason)]:
                return reason
            case _:
                return UNREADABLE
