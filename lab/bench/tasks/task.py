"""Task as data: messages of a person, and the required effect; no model is a judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

MAIN, OTHER = "main", "other"
"""Threads of a task."""


@dataclass(frozen=True, slots=True)
class Say:
    """A person's message, and the answer waited for."""

    text: str
    thread: str = MAIN
    stop_at: str = ""
    """Part of a command: the turn is stopped once the command runs. Empty for a message to be answered."""


@dataclass(frozen=True, slots=True)
class Effects:
    """State of the world after the last message."""

    work: Path
    """Working directory of the main thread."""
    reminders: str
    """Content of reminders.md."""
    answers: tuple[str, ...]
    """Words of the answer to each message, notices included."""
    sent: Mapping[str, bytes]
    """Files posted by the bot, by name."""
    stopped: int
    """Number of stopped turns."""


Judge = Callable[[Effects], str]
"""Returns the missing effect; empty for a finished task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Everyday request."""

    name: str
    messages: tuple[Say, ...]
    judge: Judge
    files: Mapping[str, str] = field(default_factory=dict)
    """Put into the main thread's working directory."""
    reminders: tuple[str, ...] = ()
    """Lines in reminders.md, without their `in=`."""
    skill: Mapping[str, str] = field(default_factory=dict)
    """Files of a further skill, by path below its folder's parent."""


_APOLOGY = re.compile(r"\b(?:can.t|cannot|couldn.t|could not|unable to) (?:find|help|assist)", re.IGNORECASE)


def says(pattern: str) -> Judge:
    """Judge of the last answer's words: `pattern` matches in any case, and the answer is no apology."""

    def judge(effects: Effects) -> str:
        last = effects.answers[-1] if effects.answers else ""
        if _APOLOGY.search(last):
            return "the answer is an apology"
        return "" if re.search(pattern, last, re.IGNORECASE) else f"the answer has nothing like {pattern!r}"

    return judge


def holds(name: str, pattern: str, absent: str = "") -> Judge:
    """Judge of a file in the working directory: the text matches `pattern`, and the file `absent` is gone."""

    def judge(effects: Effects) -> str:
        path = effects.work / name
        text = path.read_text(errors="replace") if path.is_file() else None
        if text is None or not re.search(pattern, text):
            return f"{name} does not hold {pattern!r}: {text!r}"
        return f"{absent} is still there" if absent and (effects.work / absent).exists() else ""

    return judge


def remind(*patterns: str, count: int = 1) -> Judge:
    """Judge of reminders.md: exactly `count` lines, with each pattern matched by the first."""

    def judge(effects: Effects) -> str:
        lines = [line for line in effects.reminders.splitlines() if line.startswith("- [ ]")]
        if len(lines) != count:
            return f"reminders.md has {len(lines)} reminders, not {count}: {lines}"
        missing = [pattern for pattern in patterns if not any(re.search(pattern, line) for line in lines)]
        return f"no reminder has {missing}: {lines}" if missing else ""

    return judge


def send(name: str, content: bytes) -> Judge:
    """Judge of posted files: name and `content` fit."""

    def judge(effects: Effects) -> str:
        return "" if content in effects.sent.get(name, b"") else f"{name} was not sent, only {list(effects.sent)}"

    return judge


def stop(then: Judge) -> Judge:
    """Judge of a stopped turn: exactly one turn was stopped, and `then` judges the rest."""

    def judge(effects: Effects) -> str:
        return then(effects) if effects.stopped == 1 else f"{effects.stopped} turns were stopped, not 1"

    return judge
