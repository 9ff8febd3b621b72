"""Slash commands of the parts, in the form of Discord's library; question and answer are the part's matter."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

import discord
from discord import app_commands

from actors.discord.commands.answer import at_once
from actors.discord.commands.dispatcher import CommandDispatcher
from actors.discord.commands.offer import Choices, SlashCommand, TreeCommand, choices
from actors.discord.commands.replies import word_reply
from actors.discord.incoming.admission import Admission
from actors.discord.incoming.arrival import Setting, command_message
from actors.discord.incoming.places.channel_policy import MEMORY_IS_OFF
from actors.part import Answer, Argument, ArgumentValues, Command, Completion, Invocation, SpokenCommand
from actors.part.command import AnyCommand, Question
from messages.base import Message, RequestId
from messages.socket import Refused

FRESH_S = 3.0
"""Seconds for which choices are cached before the part is asked again."""
UNREADABLE = "That can't be read at the moment; please try again."


class Completions:
    """Recent choices from actors, for completion; outlives each client."""

    def __init__(self, dispatcher: CommandDispatcher, commands: Iterable[AnyCommand]) -> None:
        self._dispatcher = dispatcher
        arguments = [argument for command in commands for argument in command.arguments]
        self._completions = {each.choices for each in arguments if isinstance(each.choices, Completion)}
        self._names: dict[Completion, tuple[str, ...]] = {}
        self._numbers = itertools.count(1)
        self._lookups: dict[Completion, tuple[asyncio.Future[Message], float]] = {}

    def refresh(self) -> None:
        """Look up all choices that are not recent; the choices arrive later."""
        for completion in self._completions:
            self._refresh(completion)

    def now(self, completion: Completion) -> tuple[str, ...]:
        """The choices at hand."""
        self._refresh(completion)
        return self._names.get(completion, ())

    def _refresh(self, completion: Completion) -> None:
        now = asyncio.get_running_loop().time()
        earlier, asked_at = self._lookups.get(completion, (None, 0.0))
        if earlier is not None and now - asked_at < FRESH_S:
            return
        if earlier is not None:
            earlier.cancel()
        request_id = RequestId(f"choices.{next(self._numbers)}")
        request = completion.request(request_id=request_id, reply_to=self._dispatcher.reply_to)
        future = self._dispatcher.inquire(completion.to, request)
        self._lookups[completion] = future, now
        future.add_done_callback(lambda done: self._take(completion, done))

    def _take(self, completion: Completion, done: asyncio.Future[Message]) -> None:
        if not done.cancelled() and not isinstance(reply := done.result(), Refused):
            self._names[completion] = completion.names(reply)


class PartCommands:
    """Slash commands offered by the parts of the agent."""

    def __init__(
        self,
        dispatcher: CommandDispatcher,
        commands: tuple[AnyCommand, ...],
        completions: Completions,
        admission: Admission,
    ) -> None:
        """Begin without an offer.

        Args:
            dispatcher: Serves the commands.
            commands: In the order to offer them.
            completions: Choices for text being typed.
            admission: Counts each person's answers by the model.
        """
        self._dispatcher = dispatcher
        self._commands = commands
        self._completions = completions
        self._admission = admission

    def all(self) -> list[TreeCommand]:
        """The commands to offer; commands of two words are in groups."""
        groups: dict[str, app_commands.Group] = {}
        offered: list[TreeCommand] = []
        for command in self._commands:
            group, _, name = command.name.rpartition(" ")
            if not group:
                offered.append(self._make(command, name))
                continue
            if group not in groups:
                groups[group] = app_commands.Group(name=group, description=command.group_description)
                offered.append(groups[group])
            groups[group].add_command(self._make(command, name))
        return [*offered, *(self._in_menu(command) for command in self._commands if command.menu)]

    def _in_menu(self, command: AnyCommand) -> app_commands.ContextMenu:
        """The command in the menu of a message."""
        call = self._callback(command)

        async def callback(interaction: discord.Interaction, message: discord.Message) -> None:
            await call(interaction, **{command.arguments[0].name: str(message.id)})

        return app_commands.ContextMenu(name=command.menu, callback=callback)

    def _make(self, command: AnyCommand, name: str) -> SlashCommand:
        slash_command: SlashCommand = app_commands.Command(
            name=name, description=command.description, callback=self._callback(command)
        )
        for argument in command.arguments:
            if argument.choices:
                slash_command.autocomplete(argument.name)(self._completer(argument))
        return slash_command

    def _callback(self, command: AnyCommand) -> Callable[..., Coroutine[Any, Any, None]]:
        """Coroutine function with the command's arguments as its parameters, for discord.py's inspection."""

        async def callback(interaction: discord.Interaction, **arguments: str) -> None:
            if isinstance(command, SpokenCommand):
                await self._speak(interaction, command, arguments)
            else:
                await self._dispatcher.serve(interaction, lambda call: self._ask(interaction, command, call, arguments))

        first = inspect.Parameter(
            "interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=discord.Interaction
        )
        parameters = [first, *(_parameter(argument) for argument in command.arguments)]
        callback.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        descriptions = {argument.name: argument.description for argument in command.arguments}
        return app_commands.describe(**descriptions)(callback) if descriptions else callback

    def _ask(
        self, interaction: discord.Interaction, command: Command[Any], call: Invocation, arguments: ArgumentValues
    ) -> Awaitable[Answer]:
        """Answer of a command; where memory is off, a command that keeps words is refused."""
        if command.keeps_words and self._dispatcher.policy.is_off_record(interaction.channel):
            return at_once(f"{command.refused}: {MEMORY_IS_OFF}")
        return ask(self._dispatcher, command, call, arguments)

    def _completer(self, argument: Argument) -> Callable[[discord.Interaction, str], Coroutine[Any, Any, Choices]]:
        async def complete(interaction: discord.Interaction, typed: str) -> Choices:
            if not self._dispatcher.hears(interaction):
                return []
            fixed = argument.choices
            names = self._completions.now(fixed) if isinstance(fixed, Completion) else fixed
            return choices(names, typed)

        return complete

    # commands that speak

    async def _speak(
        self, interaction: discord.Interaction, command: SpokenCommand[Any], arguments: ArgumentValues
    ) -> None:
        """Look up the person's words, then say the words in order with the channel's messages."""
        replies: list[Message] = []

        async def read() -> None:
            replies.extend(await self._read(interaction, command, arguments))

        def errand(call: Invocation) -> Awaitable[Answer]:
            return self._say(interaction, command, call, replies)

        await self._dispatcher.serve(interaction, errand, prepare=read)

    async def _read(
        self, interaction: discord.Interaction, command: SpokenCommand[Any], arguments: ArgumentValues
    ) -> list[Message]:
        """Reply of a part, in a list; empty without a reply in time."""
        request = command.request(RequestId(str(interaction.id)), self._dispatcher.reply_to, arguments)
        reply = self._dispatcher.inquire(command.to, request)
        await asyncio.wait([reply], timeout=self._dispatcher.timing.answer_within_s / 2)
        if reply.done():
            return [reply.result()]
        reply.cancel()
        return []

    def _say(
        self, interaction: discord.Interaction, command: SpokenCommand[Any], call: Invocation, replies: list[Message]
    ) -> Awaitable[Answer]:
        """Give the window its message; return the text for the person."""
        match replies:
            case [Refused(reason=reason)]:
                return at_once(reason)
            case [reply] if isinstance(reply, command.reply):
                refusal = self._admission.command_refusal(call.person_id)
                if refusal:
                    return at_once(refusal)
                policy, channel = self._dispatcher.policy, interaction.channel
                is_off = policy.is_off_record(channel, interaction.id)
                setting = Setting(call.audience, policy.tables_of(channel), is_off)
                message = command_message(interaction, call.window, call.reply_to, setting, command.speech(reply))
                self._dispatcher.tell(call.window.address, message)
                return at_once(command.answer(reply, self._dispatcher).text)
            case _:
                return at_once(UNREADABLE)


def ask(
    dispatcher: CommandDispatcher, question: Question[Any], call: Invocation, arguments: ArgumentValues
) -> Awaitable[Answer]:
    """Send a part's question to its address; return the answer made from the reply."""
    to = question.to(call.window) if callable(question.to) else question.to or call.window.address
    reply = dispatcher.inquire(to, question.request(call, arguments))
    return word_reply(reply, question.reply, lambda reply: question.answer(reply, dispatcher), question.refused)


def _parameter(argument: Argument) -> inspect.Parameter:
    """An argument in discord.py's form: a text of bounded length, by default empty."""
    kind: Any = app_commands.Range
    bounded = kind[str, 1, argument.longest]
    default = inspect.Parameter.empty if argument.required else ""
    return inspect.Parameter(argument.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=bounded)
