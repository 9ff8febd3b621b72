"""`/memory`: search what was said, explain the last turn's memories, count."""

from __future__ import annotations

from collections.abc import Awaitable

import discord
from discord import app_commands

from actors.discord.commands.answer import Answer, moment
from actors.discord.commands.dispatcher import CommandDispatcher, Invocation
from actors.discord.commands.offer import AnyCommand, slash
from actors.discord.commands.replies import worded
from messages.base import Address, Window
from messages.memory import (
    DescribeMemory,
    ExplainMemory,
    FoundMemory,
    MemoriesFound,
    MemoryDescribed,
    MemoryExplained,
    SearchMemory,
)

FOUND = 10
_EXCERPT = 160


class MemoryCommands:
    """Look into what is remembered, as far as the window may see it."""

    def __init__(self, dispatcher: CommandDispatcher, memory: Address) -> None:
        self._dispatcher = dispatcher
        self._memory = memory

    def all(self) -> list[AnyCommand]:
        """The commands to offer."""
        group = app_commands.Group(name="memory", description="Look into what I remember")
        for command in (
            slash("search", "Find what was said about something", self._search),
            slash("why", "Which memories the last answer here was given", self._why),
            slash("stats", "Count what is remembered", self._stats),
        ):
            group.add_command(command)
        return [group]

    @app_commands.describe(query="What to look for")
    async def _search(self, interaction: discord.Interaction, query: app_commands.Range[str, 1, 1000]) -> None:
        def errand(invocation: Invocation) -> Awaitable[Answer]:
            question = SearchMemory(
                request_id=invocation.request_id,
                reply_to=invocation.reply_to,
                window=invocation.window,
                query=query,
                limit=FOUND,
            )
            return worded(self._dispatcher.inquire(self._memory, question), MemoriesFound, self._found)

        await self._dispatcher.serve(interaction, errand)

    async def _why(self, interaction: discord.Interaction) -> None:
        def errand(invocation: Invocation) -> Awaitable[Answer]:
            question = ExplainMemory(
                request_id=invocation.request_id, reply_to=invocation.reply_to, window=invocation.window
            )
            return worded(
                self._dispatcher.inquire(self._memory, question), MemoryExplained, self._explained, "Nothing to explain"
            )

        await self._dispatcher.serve(interaction, errand)

    async def _stats(self, interaction: discord.Interaction) -> None:
        def errand(invocation: Invocation) -> Awaitable[Answer]:
            question = DescribeMemory(
                request_id=invocation.request_id, reply_to=invocation.reply_to, window=invocation.window
            )
            return worded(self._dispatcher.inquire(self._memory, question), MemoryDescribed, _described)

        await self._dispatcher.serve(interaction, errand)

    # words

    def _found(self, found: MemoriesFound) -> Answer:
        lines = [self._line(number, memory) for number, memory in enumerate(found.memories, 1)]
        return Answer("\n".join([*(lines or ["Nothing was found."]), *_note(found.note)]))

    def _explained(self, told: MemoryExplained) -> Answer:
        head = (
            f"The turn of {moment(told.at, 'f')} was given {len(told.injected)} memories, {told.block_tokens} of at "
            f"most {told.budget_tokens} tokens; {told.search} search, {told.candidates} ranked, {told.took_ms:.0f} ms."
        )
        lines = [head, *_note(told.note)]
        for title, memories in (("Given", told.injected), ("Not given, best first", told.rejected)):
            lines += [f"**{title}**" if memories else f"**{title}**: none"]
            lines += [self._line(number, memory, scored=True) for number, memory in enumerate(memories, 1)]
        return Answer("\n".join(lines))

    def _line(self, number: int, memory: FoundMemory, *, scored: bool = False) -> str:
        pin = ", pinned" if memory.pinned else ""
        score = (
            f"\n-# {memory.score:.3f}: similarity {memory.similarity:.2f}, recency {memory.recency:.2f}, "
            f"repetition {memory.repetition:.2f}"
            if scored
            else ""
        )
        who = self._dispatcher.quoted(memory.author, 60)
        said = self._dispatcher.quoted(memory.excerpt, _EXCERPT)
        return f"{number}. {moment(memory.at, 'd')} {who} in {_place(memory.window)}{pin}: {said}{score}"


def _place(key: str) -> str:
    """A window as readers see it; a mention of a channel notifies nobody."""
    try:
        window = Window.from_key(key)
    except ValueError:
        return "a window of the past"
    return f"<#{window.id}>" if window.id.isdecimal() else window.surface.value


def _note(note: str) -> list[str]:
    return [f"-# {note}"] if note else []


def _described(told: MemoryDescribed) -> Answer:
    compared = moment(told.reconciled_at, "R") if told.reconciled_at is not None else "not yet"
    lines = [
        f"{told.rows:,} turns of {told.windows:,} windows, {told.pins:,} of them pinned.",
        f"{told.ok:,} have their vector, {told.pending:,} wait for it, {told.failed:,} got none.",
        f"Vectors of `{told.space}` with {told.dimensions} dimensions; {told.index_bytes / 1e6:,.1f} MB in all.",
        f"Compared with the logs: {compared}; damaged logs: {told.damaged_logs}. State: {told.state}.",
    ]
    return Answer("\n".join(lines))
