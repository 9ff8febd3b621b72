"""Commands about the window itself: begin anew, stop, choose a model, count."""

from __future__ import annotations

from collections.abc import Awaitable

import discord
from discord import app_commands

from actors.discord.commands.answer import Answer
from actors.discord.commands.dispatcher import CommandDispatcher, Invocation
from actors.discord.commands.offer import AnyCommand, Choices, choices, slash
from actors.discord.commands.replies import worded
from messages.context import (
    ChooseModel,
    ModelChosen,
    NewWindowStarted,
    StartNewWindow,
    StopTurn,
    TellUsage,
    TurnStopped,
    UsageTold,
)

STARTED = "New window: from here on I start afresh. What was said before stays in the log."
STOPPED = "Stopped."


class WindowCommands:
    """`/new`, `/stop`, `/model`, `/usage`."""

    def __init__(self, dispatcher: CommandDispatcher, models: tuple[str, ...]) -> None:
        self._dispatcher = dispatcher
        self._models = models

    def all(self) -> list[AnyCommand]:
        """The commands to offer."""
        commands: list[AnyCommand] = [
            slash("new", "Start a new conversation window here", self._new),
            slash("stop", "Stop the answer that is being worked on", self._stop),
            slash("usage", "What this conversation has used so far", self._usage),
        ]
        if self._models:
            model = slash("model", "Show or choose the model that answers here", self._model)
            model.autocomplete("name")(self._model_names)
            commands.append(model)
        return commands

    async def _new(self, interaction: discord.Interaction) -> None:
        await self._dispatcher.serve(interaction, self._start)

    def _start(self, invocation: Invocation) -> Awaitable[Answer]:
        question = StartNewWindow(
            request_id=invocation.request_id,
            reply_to=invocation.reply_to,
            window=invocation.window,
            asked_by=invocation.person_id,
        )
        reply = self._dispatcher.inquire(invocation.window.address, question)
        return worded(reply, NewWindowStarted, lambda _: Answer(STARTED), "No new window")

    async def _stop(self, interaction: discord.Interaction) -> None:
        await self._dispatcher.serve(interaction, lambda invocation: stop(self._dispatcher, invocation))

    @app_commands.describe(name="The model; leave it out to see which one answers")
    async def _model(self, interaction: discord.Interaction, name: app_commands.Range[str, 1, 100] = "") -> None:
        def errand(invocation: Invocation) -> Awaitable[Answer]:
            question = ChooseModel(
                request_id=invocation.request_id,
                reply_to=invocation.reply_to,
                window=invocation.window,
                asked_by=invocation.person_id,
                model=name.strip(),
            )
            reply = self._dispatcher.inquire(invocation.window.address, question)
            return worded(reply, ModelChosen, lambda chosen: _model_words(chosen, is_new=bool(question.model)))

        await self._dispatcher.serve(interaction, errand)

    async def _model_names(self, interaction: discord.Interaction, typed: str) -> Choices:
        return choices(self._models, typed) if self._dispatcher.hears(interaction) else []

    async def _usage(self, interaction: discord.Interaction) -> None:
        def errand(invocation: Invocation) -> Awaitable[Answer]:
            question = TellUsage(
                request_id=invocation.request_id, reply_to=invocation.reply_to, window=invocation.window
            )
            return worded(self._dispatcher.inquire(invocation.window.address, question), UsageTold, _usage_words)

        await self._dispatcher.serve(interaction, errand)


def stop(dispatcher: CommandDispatcher, invocation: Invocation, turn_id: str = "") -> Awaitable[Answer]:
    """Have a turn stopped: that one, or whichever runs."""
    question = StopTurn(
        request_id=invocation.request_id,
        reply_to=invocation.reply_to,
        window=invocation.window,
        asked_by=invocation.person_name,
        turn_id=turn_id,
    )
    reply = dispatcher.inquire(invocation.window.address, question)
    return worded(reply, TurnStopped, lambda _: Answer(STOPPED), "Nothing was stopped")


def _model_words(chosen: ModelChosen, *, is_new: bool) -> Answer:
    said = f"From now on `{chosen.model}` answers here." if is_new else f"`{chosen.model}` answers here."
    others = [f"`{model}`" for model in chosen.choices if model != chosen.model]
    return Answer(f"{said} You may choose {' or '.join(others)} instead." if others else said)


def _usage_words(told: UsageTold) -> Answer:
    turns = "1 turn" if told.turns == 1 else f"{told.turns:,} turns"
    tokens = f"{told.prompt_tokens:,} tokens read and {told.completion_tokens:,} written"
    cost = f", about ${told.cost_usd:.4f}" if told.cost_usd else ", at no cost that a provider has named"
    return Answer(f"This conversation so far, with `{told.model}`: {turns}, {tokens}{cost}.")
