"""Slash commands of the memory: search what was said, explain the last turn's memories, count."""

from __future__ import annotations

from actors.part import Answer, Argument, Command, Wording, moment
from domain.memory.pins import crowding
from messages.base import Window
from messages.memory import (
    MEMORY,
    DescribeMemory,
    ExplainMemory,
    FoundMemory,
    MemoriesFound,
    MemoryDescribed,
    MemoryExplained,
    SearchMemory,
)

LIMIT = 10
"""Memories that a search shows."""
_EXCERPT = 160
_NAME = 60


def _results(reply: MemoriesFound, wording: Wording) -> Answer:
    lines = [_line(number, memory, wording) for number, memory in enumerate(reply.memories, 1)]
    return Answer("\n".join([*(lines or ["Nothing was found."]), *_note(reply.note)]))


def _explanation(reply: MemoryExplained, wording: Wording) -> Answer:
    head = (
        f"The turn of {moment(reply.at, 'f')} was given {len(reply.injected)} memories, {reply.block_tokens} of at "
        f"most {reply.budget_tokens} tokens; {reply.search} search, {reply.candidates} ranked, {reply.took_ms:.0f} ms."
    )
    lines = [head, *_note(reply.note)]
    for title, memories in (("Given", reply.injected), ("Not given, best first", reply.rejected)):
        lines += [f"**{title}**" if memories else f"**{title}**: none"]
        lines += [_line(number, memory, wording, scored=True) for number, memory in enumerate(memories, 1)]
    return Answer("\n".join(lines))


def _counts(reply: MemoryDescribed, _wording: Wording) -> Answer:
    compared = moment(reply.reconciled_at, "R") if reply.reconciled_at is not None else "not yet"
    lines = [
        f"{reply.rows:,} turns of {reply.windows:,} windows, {reply.pins:,} of them pinned.",
        f"{reply.ok:,} have their vector, {reply.pending:,} wait for it, {reply.failed:,} got none.",
        f"Vectors of `{reply.space}` with {reply.dimensions} dimensions; {reply.index_bytes / 1e6:,.1f} MB in all.",
        f"Compared with the logs: {compared}; damaged logs: {reply.damaged_logs}. State: {reply.state}.",
        *_note(crowding(reply.pins_here, reply.pins_given)),
    ]
    return Answer("\n".join(lines))


def _line(number: int, memory: FoundMemory, wording: Wording, *, scored: bool = False) -> str:
    pin = ", pinned" if memory.pinned else ""
    score = (
        f"\n-# {memory.score:.3f}: similarity {memory.similarity:.2f}, recency {memory.recency:.2f}, "
        f"repetition {memory.repetition:.2f}"
        if scored
        else ""
    )
    author, excerpt = wording.quoted(memory.author, _NAME), wording.quoted(memory.excerpt, _EXCERPT)
    return f"{number}. {moment(memory.at, 'd')} {author} in {_mention(memory.window)}{pin}: {excerpt}{score}"


def _mention(key: str) -> str:
    """A window as readers see it; a mention of a channel sends no notification."""
    try:
        window = Window.from_key(key)
    except ValueError:
        return "a window of the past"
    return f"<#{window.id}>" if window.id.isdecimal() else window.surface.value


def _note(note: str) -> list[str]:
    return [f"-# {note}"] if note else []


COMMANDS = (
    Command(
        name="memory search",
        group_description="Look into what I remember",
        description="Find what was said about something",
        arguments=(Argument(name="query", description="What to look for", longest=1000),),
        for_viewers=True,
        to=MEMORY,
        request=lambda call, given: SearchMemory(
            request_id=call.request_id, reply_to=call.reply_to, window=call.window, query=given["query"], limit=LIMIT
        ),
        reply=MemoriesFound,
        answer=_results,
    ),
    Command(
        name="memory why",
        description="Which memories the last answer here was given",
        to=MEMORY,
        request=lambda call, _: ExplainMemory(request_id=call.request_id, reply_to=call.reply_to, window=call.window),
        reply=MemoryExplained,
        answer=_explanation,
        refused="Nothing to explain",
    ),
    Command(
        name="memory stats",
        description="Count what is remembered",
        to=MEMORY,
        request=lambda call, _: DescribeMemory(request_id=call.request_id, reply_to=call.reply_to, window=call.window),
        reply=MemoryDescribed,
        answer=_counts,
    ),
)
