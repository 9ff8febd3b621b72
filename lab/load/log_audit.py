"""Audit of the agent's logs against the messages: each message, its answer and its delivery, once and in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.context.log.file import check_file
from domain.log.event import Event, Kind
from domain.log.parser import parse
from lab.load.tally import LoadThread, out_of_order
from lab.load.wording import read_answer, secrets_in

_NOBODY = LoadThread(secret="")
_STRANGE = {
    Kind.USER: "a message that the load did not send",
    Kind.AGENT: "an answer without a message of its turn",
    Kind.DELIVERY: "a delivery without an answer",
}
"""Faults of events without a turn; each turn has a single event of these kinds."""


@dataclass(slots=True)
class LogAudit:
    """Findings in the logs."""

    logs: int = 0
    broken: list[str] = field(default_factory=list)
    """Logs with a failed check of their chain, each with the first reason, and events without a turn."""
    missing: set[tuple[int, int]] = field(default_factory=set)
    """(Channel, turn) of messages missing in their thread's log, or with a missing answer or delivery."""
    doubled: int = 0
    """Messages, answers and deliveries with a surplus copy in their thread's log."""
    disordered: int = 0
    """Messages, answers and deliveries standing behind those of a later turn."""
    cross_talk: int = 0
    """Events of any kind in the log of another window."""


def audit_logs(data_root: Path, threads: Mapping[int, LoadThread], prepared: range = range(0)) -> LogAudit:
    """Check every log below `data_root`, and the exact match of the logs of `threads` with the messages there.

    Args:
        data_root: Data root of the agent.
        threads: By channel.
        prepared: Ids of windows with logs from before the run; left out.
    """
    audit = LogAudit()
    unseen = set(threads)
    for folder in sorted((data_root / "logs").glob("*/*")):
        channel_id = int(folder.name) if folder.name.isdecimal() else 0
        if channel_id in prepared:
            continue
        unseen.discard(channel_id)
        _compare(channel_id, threads.get(channel_id, _NOBODY), _events(folder, audit), audit)
    for channel_id in unseen:
        _compare(channel_id, threads[channel_id], [], audit)
    return audit


def _events(folder: Path, audit: LogAudit) -> list[Event]:
    """Events of a window, from all its logs."""
    events: list[Event] = []
    for path in sorted(folder.glob("*.md")):
        audit.logs += 1
        problems = check_file(path)
        if problems:
            audit.broken.append(f"{path}:{problems[0].line}: {problems[0].reason}")
        events += [logged.event for logged in parse(path.read_bytes()).events]
    return events


def _compare(channel_id: int, thread: LoadThread, events: list[Event], audit: LogAudit) -> None:
    own = [event for event in events if not secrets_in(event.content) - {thread.secret}]
    audit.cross_talk += len(events) - len(own)
    turns_by_kind: dict[Kind, list[int]] = {kind: [] for kind in _STRANGE}
    for event, turn in _turns(thread, own):
        if turn:
            turns_by_kind[event.kind].append(turn)
        else:
            beginning = (event.content or event.meta_json)[:80]
            audit.broken.append(f"window {channel_id}: {_STRANGE[event.kind]}: {beginning!r}")
    for turns in turns_by_kind.values():
        counts = Counter(turns)
        audit.missing.update((channel_id, turn) for turn in thread.all_turns if not counts[turn])
        audit.doubled += len(turns) - len(set(turns))
        audit.disordered += out_of_order(turns)


def _turns(thread: LoadThread, events: list[Event]) -> Iterator[tuple[Event, int]]:
    """Each message, final answer and delivery with its turn; 0 for an event without a turn."""
    turn_by_text = {thread.text(turn): turn for turn in thread.all_turns}
    messages: dict[object, int] = {}
    answers: dict[object, int] = {}
    for event in events:
        meta = event.meta_dict()
        if event.kind is Kind.USER:
            messages[event.id] = turn_by_text.get(event.content, 0)
            yield event, messages[event.id]
        elif event.kind is Kind.AGENT and meta.get("final"):
            answer, turn = read_answer(event.content), messages.get(meta.get("turn"), 0)
            answers[event.id] = turn if answer is not None and answer.turn == turn else 0
            yield event, answers[event.id]
        elif event.kind is Kind.DELIVERY:
            yield event, answers.get(meta.get("event"), 0) if meta.get("message_ids") else 0
