"""Consolidation: what of a worker's answer goes into MEMORY.md and HISTORY.md before turns are cut off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.curated.refusal import one_line
from domain.curated.secret_look import looks_secret
from domain.workspace.answers.answer_json import json_object, shown, text_of
from domain.workspace.answers.guard import LONGEST_ECHO, IsSecret, Spoken, flaw_of
from domain.workspace.files.history_file import LONGEST_BLOCK, history_text
from domain.workspace.files.memory_file import SECTIONS, MemoryEntry, entries_of
from domain.workspace.files.wording import same_words, title_key
from messages.turn import SpokenTurn

MOST_ENTRIES = 20
LONGEST_ENTRY = 300
LEAST_CONFIDENCE = 0.85
_WORD = re.compile(r"[^\W_][\w./:@-]*[^\W_]|[^\W_]")
_STEM = 5
"""Letters of a word that are compared."""
_SHORTEST_WORD = 4


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What may be written."""

    entries: tuple[MemoryEntry, ...]
    history_block: str
    """Of plain lines and bullets; empty where nothing was said."""
    dropped: tuple[str, ...] = ()
    """Of each entry that may not be written its number and the rule, but none of its words: this may be logged."""


def parsed_consolidation(
    answer: str,
    spoken: Sequence[SpokenTurn],
    memory: bytes = b"",
    history: bytes = b"",
    is_secret: IsSecret = looks_secret,
) -> Consolidation:
    """What of an answer may be written; entries that may not be are left out one by one.

    Args:
        answer: JSON with `entries` and `history`.
        spoken: The turns that the worker was told, with their results, which it was not.
        memory: What MEMORY.md holds: entries that stand there are left out.
        history: What HISTORY.md holds: lines that stand there are left out, unless none would be left.
        is_secret: What tells a secret.

    Raises:
        ValueError: the answer as a whole cannot be used; says the value and the rule.
    """
    said = json_object(answer)
    raw = said.get("entries")
    if not isinstance(raw, list) or "history" not in said:
        raise ValueError(f"answer with {shown(', '.join(said))}: must have the fields entries, a list, and history")
    echoes = Spoken(spoken)
    block = _history(text_of(said["history"], "history"), spoken, echoes, is_secret)
    printed = _Printed(spoken)
    known = {same_words(entry.text) for entry in entries_of(memory)}
    kept, dropped = list[MemoryEntry](), list[str]()
    for number, each in enumerate(raw, 1):
        entry, flaw = _entry(each)
        flaw = flaw or _flaw(entry, known, echoes, printed, is_secret)
        if not flaw and len(kept) == MOST_ENTRIES:
            flaw = f"must be among the first {MOST_ENTRIES}"
        if flaw:
            dropped.append(f"entry {number} of {len(raw)}: {flaw}")
            continue
        known.add(same_words(entry.text))
        kept.append(entry)
    return Consolidation(tuple(kept), _without_known(block, history, kept), tuple(dropped))


def is_exchange(spoken: Iterable[SpokenTurn]) -> bool:
    """Whether somebody said something and was answered, so that there is a history to tell."""
    return any(turn.text.strip() and turn.answer.strip() for turn in spoken)


def _history(text: str, spoken: Sequence[SpokenTurn], echoes: Spoken, is_secret: IsSecret) -> str:
    if not text:
        if is_exchange(spoken):
            raise ValueError("history '': must have words where people were answered")
        return ""
    if len(text) > LONGEST_BLOCK:
        raise ValueError(f"history of {len(text):,} characters: must have at most {LONGEST_BLOCK:,}")
    block = history_text(text, is_secret)
    if echoes.has_words_of(block):
        raise ValueError(
            f"history {shown(block)}: must not repeat {LONGEST_ECHO} characters or more of what was said word for word"
        )
    return block


def _without_known(block: str, history: bytes, entries: Sequence[MemoryEntry]) -> str:
    """The block without lines that HISTORY.md has already, or that are facts; all of it if none is left."""
    known = {same_words(line) for line in history.decode("utf-8", "replace").splitlines()}
    known |= {same_words(entry.text) for entry in entries}
    return "\n".join(line for line in block.splitlines() if same_words(line) not in known) or block


def _entry(raw: object) -> tuple[MemoryEntry, str]:
    """An entry, and why it is none."""
    if not isinstance(raw, Mapping):
        return MemoryEntry("", ""), "must be an object with section and text"
    fields: Mapping[str, Any] = raw
    section, text = fields.get("section"), fields.get("text")
    if not isinstance(section, str) or not isinstance(text, str):
        return MemoryEntry("", ""), "must have a section and a text"
    names = {title_key(title): title for title in SECTIONS}
    entry = MemoryEntry(names.get(title_key(section.lstrip("#")), ""), one_line(text))
    if not entry.section:
        return entry, f"its section must be one of {', '.join(SECTIONS)}"
    if "\n" in text.strip():
        return entry, "must be in one line"
    confidence = fields.get("confidence", 1)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not confidence >= LEAST_CONFIDENCE:
        return entry, f"its confidence must be a number from {LEAST_CONFIDENCE}"
    return entry, ""


def _flaw(entry: MemoryEntry, known: set[str], echoes: Spoken, printed: _Printed, is_secret: IsSecret) -> str:
    if not any(map(str.isalnum, entry.text)):
        return "must have words"
    if len(entry.text) > LONGEST_ENTRY:
        return f"has {len(entry.text)} characters, and must have at most {LONGEST_ENTRY}"
    if flaw := flaw_of(entry.text, echoes, is_secret):
        return flaw
    if same_words(entry.text) in known:
        return "must not stand in MEMORY.md already"
    return "must not tell what only a command printed" if printed.is_source_of(entry.text) else ""


class _Printed:
    """Words that commands printed and nobody said."""

    def __init__(self, spoken: Iterable[SpokenTurn]) -> None:
        turns = tuple(spoken)
        self._said = {stem for turn in turns for stem in _stems(f"{turn.author} {turn.text} {turn.answer}")}
        self._printed = {stem for turn in turns for text in turn.results for stem in _stems(text)} - self._said

    def is_source_of(self, text: str) -> bool:
        """Whether a text has more of their words than of what was said, or one that is a name or number."""
        stems = set(_stems(text))
        printed = stems & self._printed
        said = stems & self._said
        return any(_is_name(stem) for stem in printed) or (len(printed) > 1 and len(printed) > len(said))


def _stems(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.casefold()):
        if _is_name(word):
            yield word
        elif len(word) >= _SHORTEST_WORD or not word.isascii():
            yield word[:_STEM]


def _is_name(word: str) -> bool:
    """Whether it is no word of a sentence: a number, a path, an address."""
    return any(character in "0123456789./:@_" for character in word)
