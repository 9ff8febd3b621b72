"""Audit of the agent's logs against what was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.context.log.file import check_file
from domain.log.event import Kind
from domain.log.parser import parse
from lab.load.tally import LoadThread
from lab.load.wording import secrets_in

_NOBODY = LoadThread(secret="")


@dataclass(slots=True)
class LogAudit:
    """Findings in the logs."""

    logs: int = 0
    broken: list[str] = field(default_factory=list)
    """Logs that fail the check of their chain, each with its first reason."""
    missing: set[tuple[int, int]] = field(default_factory=set)
    """(Channel, turn) of messages that are not in their thread's log."""
    doubled: int = 0
    """Messages that stand in their thread's log once more than they should."""
    cross_talk: int = 0
    """Messages in the log of another window."""


def audit_logs(data_root: Path, threads: Mapping[int, LoadThread], prepared: range = range(0)) -> LogAudit:
    """Check every log below `data_root`, and that the logs of `threads` hold exactly what was said there.

    Args:
        data_root: The agent's.
        threads: By channel.
        prepared: Ids of windows whose logs were there before; they are left out.
    """
    audit = LogAudit()
    unseen = set(threads)
    for folder in sorted((data_root / "logs").glob("*/*")):
        channel_id = int(folder.name) if folder.name.isdecimal() else 0
        if channel_id in prepared:
            continue
        unseen.discard(channel_id)
        _compare(channel_id, threads.get(channel_id, _NOBODY), _texts(folder, audit), audit)
    for channel_id in unseen:
        _compare(channel_id, threads[channel_id], [], audit)
    return audit


def _texts(folder: Path, audit: LogAudit) -> list[str]:
    """What people said in a window, by all its logs."""
    texts: list[str] = []
    for path in sorted(folder.glob("*.md")):
        audit.logs += 1
        problems = check_file(path)
        if problems:
            audit.broken.append(f"{path}:{problems[0].line}: {problems[0].reason}")
        events = (logged.event for logged in parse(path.read_bytes()).events)
        texts += [event.content for event in events if event.kind is Kind.USER]
    return texts


def _compare(channel_id: int, thread: LoadThread, texts: list[str], audit: LogAudit) -> None:
    counts = Counter(texts)
    for turn in range(1, thread.turns + 1):
        times = counts.pop(thread.text(turn), 0)
        if times == 0:
            audit.missing.add((channel_id, turn))
        else:
            audit.doubled += times - 1
    for text, times in counts.items():
        if secrets_in(text) - {thread.secret}:
            audit.cross_talk += times
        else:
            audit.broken.append(f"window {channel_id}: a message that nobody sent: {text[:80]!r}")
