"""Slash commands of the memory, with wording: search, explain the last turn's memories, count."""

from __future__ import annotations

from functools import partial

import msgspec

from actors.part import Answer, Argument, ArgumentValues, Button, Command, Invocation, Press, Wording, Words
from domain.memory.pins import crowding
from domain.policy.forgetting.buttons import ABOUT_PREFIX, place_id
from messages.base import Window
from messages.memory import (
    MEMORY,
    DescribeMemory,
    ExplainMemory,
    FoundMemory,
    MemoriesFound,
    MemoryDescribed,
    MemoryExplained,
    MemoryRebuilt,
    SearchMemory,
)

LIMIT = 10
"""Memories shown by a search."""
MOST_EXPORTED = 200
"""Memories in a file."""
EXPORT_PREFIX = "memory-file:"
_EXCERPT = 160
_NAME = 60
_WHOLE = 10_000
"""Characters of a memory's excerpt in a terminal: more than any memory has."""


def _results(reply: MemoriesFound, wording: Wording) -> Answer:
    lines = [_line(number, memory, wording) for number, memory in enumerate(reply.memories, 1)]
    return Answer("\n".join([*(lines or ["Nothing was found."]), *_note(reply.note, wording)]))


def _about_a_person(reply: MemoriesFound, wording: Wording) -> Answer:
    """Results for a person's own name, with the place of each in the logs."""
    if not reply.memories:
        nothing = "No message by a person of that name, or with the name, is remembered."
        own = "No message by you or with your name would be brought up here."
        return Answer(nothing if wording.is_terminal else own)
    lines = [_line(number, memory, wording) for number, memory in enumerate(reply.memories, 1)]
    if not wording.is_terminal:
        places = [wording.note(f"`{memory.path}` line {memory.line}") for memory in reply.memories]
        lines = [f"{line}\n{place}" for line, place in zip(lines, places, strict=True)]
    head = (
        "These would come up first if a person here asked about you, by your name here. "
        "Only you see this list; everything in it may be read here."
    )
    if wording.is_terminal:
        head = "These would come up first when the person is asked about."
    text = "\n".join([head, *lines, *_note(reply.note, wording)])
    return Answer(text) if wording.is_terminal else Answer(text, _forget_buttons(reply))


def _forget_buttons(reply: MemoriesFound) -> tuple[Button, ...]:
    """Buttons to forget each memory of a list, or all of one's own, and to get the list as a file."""
    each = (
        Button(label=f"Forget {number}", custom_id=place_id(memory.path, memory.line))
        for number, memory in enumerate(reply.memories, 1)
    )
    every = Button(label="Forget all of mine", custom_id=ABOUT_PREFIX)
    return (*each, every, Button(label="Export as a file", custom_id=EXPORT_PREFIX))


def export_memories(reply: MemoriesFound) -> str:
    """The memories about a person as JSON: an object for each, with its place in the logs."""
    return msgspec.json.format(msgspec.json.encode(reply.memories)).decode() + "\n"


def _export(reply: MemoriesFound, _wording: Wording) -> Answer:
    words = f"{len(reply.memories)} memories with their places in the logs, at most {MOST_EXPORTED}. Only you see this."
    return Answer(words, file=("memories.json", export_memories(reply)))


def _explanation(reply: MemoryExplained, wording: Wording) -> Answer:
    turn = f" ({reply.turn_id} in {reply.window})" if wording.is_terminal else ""
    head = (
        f"The turn of {wording.moment(reply.at, 'f')}{turn} was given {len(reply.injected)} memories, "
        f"{reply.block_tokens} of at most {reply.budget_tokens} tokens; {reply.search} search, "
        f"{reply.candidates} ranked, {reply.took_ms:.0f} ms."
    )
    lines = [head, *_note(reply.note, wording)]
    for title, memories in (("Given", reply.injected), ("Not given, best first", reply.rejected)):
        lines += [wording.title(title) + ("" if memories else ": none")]
        lines += [_line(number, memory, wording, scored=True) for number, memory in enumerate(memories, 1)]
    return Answer("\n".join(lines))


def _counts(reply: MemoryDescribed, wording: Wording) -> Answer:
    compared = wording.moment(reply.reconciled_at, "R") if reply.reconciled_at is not None else "not yet"
    aside = f" ({reply.set_aside:,} of them set aside)" if reply.set_aside else ""
    room = f"Pins here: {reply.pins_here:,}, of which {reply.pins_given:,} have room in a turn."
    lines = [
        f"{reply.rows:,} turns of {reply.windows:,} windows, {reply.pins:,} of them pinned.",
        f"{reply.ok:,} have their vector, {reply.pending:,} wait for it, {reply.failed:,} got none{aside}.",
        f"{reply.vectors:,} vectors of `{reply.space}` with {reply.dimensions} dimensions; "
        f"{reply.index_bytes / 1e6:,.1f} MB in all.",
        f"Compared with the logs: {compared}; damaged logs: {reply.damaged_logs}. State: {reply.state}.",
        *([room] if wording.is_terminal else []),
        *_note(crowding(reply.pins_here, reply.pins_given), wording),
    ]
    return Answer("\n".join(lines))


def _rebuilt(reply: MemoryRebuilt, _wording: Wording) -> Answer:
    waiting = f"\n{reply.pending} of them wait for their vectors; the running agent requests them"
    return Answer(f"{reply.rows} turns indexed in {reply.seconds:g} s{waiting if reply.pending else ''}")


def _line(number: int, memory: FoundMemory, wording: Wording, *, scored: bool = False) -> str:
    pin = ", pinned" if memory.pinned else ""
    author = wording.quote(memory.author, _NAME)
    excerpt = wording.quote(memory.excerpt, _WHOLE if wording.is_terminal else _EXCERPT)
    where = memory.window if wording.is_terminal else memory.link or _mention(memory.window)
    lines = [f"{number}. {wording.moment(memory.at, 'd')} {author} in {where}{pin}: {excerpt}"]
    if scored or wording.is_terminal:
        lines.append(
            wording.note(
                f"{memory.score:.3f}: similarity {memory.similarity:.2f}{_halves(memory)}, "
                f"recency {memory.recency:.2f}, repetition {memory.repetition:.2f}"
            )
        )
    if wording.is_terminal:
        lines.append(wording.note(f"path={memory.path} line={memory.line}"))
    return "\n".join(lines)


def _halves(memory: FoundMemory) -> str:
    """Both halves of a similarity, before borrowing from other turns; empty for a cosine alone."""
    return f" (meaning {memory.meaning:.2f}, words {memory.words:.2f})" if memory.meaning or memory.words else ""


def _mention(key: str) -> str:
    """A window in readable form; a mention of a channel sends no notification."""
    try:
        window = Window.from_key(key)
    except ValueError:
        return "a window of the past"
    return f"<#{window.id}>" if window.id.isdecimal() else window.surface.value


def _note(note: str, wording: Wording) -> list[str]:
    return [wording.note(note)] if note else []


def _search_about(call: Invocation, _values: ArgumentValues, *, limit: int) -> SearchMemory:
    """Search for memories that would be recalled about the asking person."""
    name = call.person_name[:_NAME]
    return SearchMemory(
        request_id=call.request_id, reply_to=call.reply_to, window=call.window, query=name, limit=limit, about=name
    )


SEARCH = Command(
    name="memory search",
    group_description="Look into what I remember",
    description="Find messages about a topic",
    arguments=(Argument(name="query", description="What to look for", longest=1000),),
    for_viewers=True,
    to=MEMORY,
    request=lambda call, values: SearchMemory(
        request_id=call.request_id, reply_to=call.reply_to, window=call.window, query=values["query"], limit=LIMIT
    ),
    reply=MemoriesFound,
    answer=_results,
)
ME = Command(
    name="memory me",
    description="Show what I would bring up here about you, with its places",
    for_viewers=True,
    to=MEMORY,
    request=partial(_search_about, limit=LIMIT),
    reply=MemoriesFound,
    answer=_about_a_person,
)
EXPORT = Press(
    prefix=EXPORT_PREFIX,
    for_viewers=True,
    to=MEMORY,
    request=partial(_search_about, limit=MOST_EXPORTED),
    reply=MemoriesFound,
    answer=_export,
    refused="No file",
)
WHY = Command(
    name="memory why",
    description="Which memories the last answer here was given",
    to=MEMORY,
    request=lambda call, _: ExplainMemory(request_id=call.request_id, reply_to=call.reply_to, window=call.window),
    reply=MemoryExplained,
    answer=_explanation,
    refused="Nothing to explain",
)
STATS = Command(
    name="memory stats",
    description="Count what is remembered",
    to=MEMORY,
    request=lambda call, _: DescribeMemory(request_id=call.request_id, reply_to=call.reply_to, window=call.window),
    reply=MemoryDescribed,
    answer=_counts,
)
REBUILT = Words(reply=MemoryRebuilt, answer=_rebuilt)
COMMANDS = (SEARCH, ME, WHY, STATS)
