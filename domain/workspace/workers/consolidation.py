"""Consolidation: the part of a worker's answer to write to MEMORY.md and HISTORY.md before turns are cut off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.text.lines import one_line
from domain.text.secret_look import looks_secret
from domain.workspace.answers.answer_json import json_object, quotation, text_of
from domain.workspace.answers.guard import IsSecret, Spoken, flaw_of
from domain.workspace.answers.printed import Printed
from domain.workspace.files.history_file import LONGEST_BLOCK, history_text
from domain.workspace.files.memory_file import CONSTRAINTS, SECTIONS, MemoryEntry, entries_of
from domain.workspace.files.session_state import LONGEST_ITEM, LONGEST_RULE
from domain.workspace.files.wording import same_words, title_key
from messages.turn import SpokenTurn

MOST_ENTRIES = 20
LONGEST_ENTRY = LONGEST_ITEM
"""Of a constraint `LONGEST_RULE`."""
LEAST_CONFIDENCE = 0.85


@dataclass(frozen=True, slots=True)
class Consolidation:
    """Text fit to write."""

    entries: tuple[MemoryEntry, ...]
    history_block: str
    """Plain lines and bullets; empty for a stretch without messages."""
    dropped: tuple[str, ...] = ()
    """For each refused entry or line its number and the rule, without its words: safe for a log."""
    trouble: str = ""
    """Reason why the stretch has no history yet, worded as an error; empty without a problem."""


def parsed_consolidation(
    answer: str,
    spoken: Sequence[SpokenTurn],
    memory: bytes = b"",
    history: bytes = b"",
    is_secret: IsSecret = looks_secret,
) -> Consolidation:
    """Usable part of an answer: flawed entries and lines are left out individually.

    Args:
        answer: JSON with `entries` and `history`.
        spoken: The turns shown to the worker, with their results, not shown to the worker.
        memory: Content of MEMORY.md: entries present there are left out.
        history: Content of HISTORY.md: lines present there are left out, unless no line would be left.
        is_secret: Test for secrets.

    Raises:
        ValueError: the answer as a whole cannot be used; the error has the value and the rule.
    """
    fields = json_object(answer, ("entries", "history"))
    raw = fields.get("entries")
    if not isinstance(raw, list) and "history" not in fields:
        raise ValueError(
            f"answer with {quotation(', '.join(fields))}: must have the fields entries, a list, and history"
        )
    echoes, printed = Spoken(spoken), Printed(spoken)
    entries = raw if isinstance(raw, list) else []
    fresh, dropped = _kept_entries(entries, memory, echoes, printed, is_secret)
    if not isinstance(raw, list):
        dropped.append("entries: must be a list")
    block, trouble = "", ""
    try:
        block = _history(fields.get("history"), spoken, echoes, printed, is_secret, dropped)
    except ValueError as error:
        if not fresh:
            raise
        trouble = str(error)
    return Consolidation(tuple(fresh), _without_known(block, history, fresh), tuple(dropped), trouble)


def _kept_entries(
    raw: Sequence[object], memory: bytes, echoes: Spoken, printed: Printed, is_secret: IsSecret
) -> tuple[list[MemoryEntry], list[str]]:
    """Entries fit to write, and the reason against each refused entry."""
    known = {same_words(entry.text) for entry in entries_of(memory)}
    fresh, dropped = list[MemoryEntry](), list[str]()
    for number, each in enumerate(raw, 1):
        entry, flaw = _entry(each)
        flaw = flaw or _flaw(entry, known, echoes, printed, is_secret)
        if not flaw and len(fresh) == MOST_ENTRIES:
            flaw = f"must be among the first {MOST_ENTRIES}"
        if flaw:
            dropped.append(f"entry {number} of {len(raw)}: {flaw}")
            continue
        known.add(same_words(entry.text))
        fresh.append(entry)
    return fresh, dropped


def is_exchange(spoken: Iterable[SpokenTurn]) -> bool:
    """True if a person's message was answered, so there is a history to write."""
    return any(turn.text.strip() and turn.answer.strip() for turn in spoken)


def _history(
    raw: object,
    spoken: Sequence[SpokenTurn],
    echoes: Spoken,
    printed: Printed,
    is_secret: IsSecret,
    dropped: list[str],
) -> str:
    """The lines of a history fit to write; the reason for each refused line is added to `dropped`.

    Raises:
        ValueError: no line is left although people were answered, so the stretch would have no history.
    """
    text = text_of(raw, "history")
    if not text:
        if is_exchange(spoken):
            raise ValueError("history '': must have words where people were answered")
        return ""
    if len(text) > LONGEST_BLOCK:
        raise ValueError(f"history of {len(text):,} characters: must have at most {LONGEST_BLOCK:,}")
    lines = [line for line in text.split("\n") if line.strip()]
    staying, reasons = list[str](), list[str]()
    for number, line in enumerate(lines, 1):
        flaw = _line_flaw(line, echoes, printed, is_secret)
        if flaw:
            reasons.append(f"line {number} of history: {flaw}")
        else:
            staying.append(line)
    if not staying:
        raise ValueError(f"history of {len(lines)} lines: {reasons[0].partition(': ')[2]}")
    dropped += reasons
    return history_text("\n".join(staying), is_secret)


def _line_flaw(line: str, echoes: Spoken, printed: Printed, is_secret: IsSecret) -> str:
    return flaw_of(line, echoes, is_secret) or printed.flaw(line)


def _without_known(block: str, history: bytes, entries: Sequence[MemoryEntry]) -> str:
    """The block without lines already in HISTORY.md and lines that are facts; the whole block if no line is left."""
    known = {same_words(line) for line in history.decode("utf-8", "replace").splitlines()}
    known |= {same_words(entry.text) for entry in entries}
    return "\n".join(line for line in block.splitlines() if same_words(line) not in known) or block


def _entry(raw: object) -> tuple[MemoryEntry, str]:
    """An entry, and the fault that makes the entry invalid."""
    if not isinstance(raw, Mapping):
        return MemoryEntry("", ""), "must be an object with section and text"
    fields: Mapping[str, Any] = raw
    section, text = fields.get("section"), fields.get("text")
    if not isinstance(section, str) or not isinstance(text, str):
        return MemoryEntry("", ""), "must have a section and a text"
    names = {title_key(title): title for title in SECTIONS}
    text = text_of(text, "text")
    entry = MemoryEntry(names.get(title_key(section.lstrip("#")), ""), one_line(text))
    if not entry.section:
        return entry, f"its section must be one of {', '.join(SECTIONS)}"
    if "\n" in text:
        return entry, "must be in one line"
    share = fields.get("confidence")
    if isinstance(share, bool) or not isinstance(share, int | float) or not LEAST_CONFIDENCE <= share <= 1:
        return entry, f"its confidence must be a number from {LEAST_CONFIDENCE} to 1"
    return entry, ""


def _flaw(entry: MemoryEntry, known: set[str], echoes: Spoken, printed: Printed, is_secret: IsSecret) -> str:
    if not any(map(str.isalnum, entry.text)):
        return "must have words"
    most = LONGEST_RULE if entry.section == CONSTRAINTS else LONGEST_ENTRY
    if len(entry.text) > most:
        return f"has {len(entry.text)} characters, and must have at most {most}"
    if flaw := flaw_of(entry.text, echoes, is_secret):
        return flaw
    if same_words(entry.text) in known:
        return "must not stand in MEMORY.md already"
    return printed.flaw(entry.text)
