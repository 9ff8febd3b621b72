"""Store of objects as a subject: lives edit a file, ask for its wording, and note the answer."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from actors.kernel import SystemClock
from actors.objects.store.audit import audit
from actors.objects.store.database import SCHEMA
from lab.bench.objects.layer import Layer, folder_of
from lab.bench.objects.play import WordingRequest
from lab.bench.objects.prose import source
from lab.chaos.kills.audit import read_rows
from lab.chaos.lives.account import ANSWERED, ASKED, STARTED, Account, LifePlan, count_doubled
from lab.chaos.lives.campaign import Counts, ForkedLives, Subject
from messages.base import EventId, TurnId
from messages.turn import CallShown, TurnShown

LONGEST_S = 0.25
FILE = "src/orders.py"
FILE_CHARS = 4_000
TURN_CALLS = 8
SHOWN_TURNS = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """Line of the account: a command's event, the hash of the file then, and the time."""

    event: str
    content_hash: str
    at: str = ""

    def text(self) -> str:
        """The line."""
        return f"{self.content_hash} {self.at} {self.event}"

    @classmethod
    def read(cls, text: str) -> Entry:
        """The entry of a line."""
        content_hash, at, event = text.split(" ")
        return cls(event, content_hash, at)


def live(plan_file: str) -> None:
    """Live as planned in the file, in the file's folder."""
    root, plan = Path(plan_file).parent, LifePlan.read(Path(plan_file))
    account, layer = Account(root), Layer(root, SystemClock())
    calls = [_call(Entry.read(about)) for about in account.about(ASKED)]  # as a log has them, answered or not
    if plan.is_last:
        if calls:
            layer.word(_request_of(calls))
        layer.close()
        sys.exit(0)
    account.note(STARTED)
    for number in itertools.count(1):
        entry = _edit(root, f"{plan.number}-{number}")
        calls.append(_call(entry))
        account.note(ASKED, entry.text())
        layer.word(_request_of(calls))
        account.note(ANSWERED, entry.text())


def _edit(root: Path, name: str) -> Entry:
    """Give the file other words."""
    path, began = folder_of(root) / FILE, SystemClock().now()
    text = source(name, FILE_CHARS)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(".fresh")
    fresh.write_text(text)
    fresh.replace(path)
    return Entry(f"e{name}", sha256(text.encode()).hexdigest(), began.isoformat())


def _call(entry: Entry) -> CallShown:
    at = datetime.fromisoformat(entry.at)
    return CallShown(
        event=EventId(entry.event),
        call_id=f"call_{entry.event}",
        command=f"touch {FILE} && head -n 1 {FILE}",
        text=entry.content_hash,
        outcome="exited",
        exit_code=0,
        asked_at=at,
        ended_at=at + timedelta(milliseconds=1),
    )


def _request_of(calls: list[CallShown]) -> WordingRequest:
    """Newest turns of a conversation with some calls in each turn."""
    first = max(0, (len(calls) - 1) // TURN_CALLS - SHOWN_TURNS + 1)
    turns = tuple(
        TurnShown(turn_id=TurnId(f"turn{number}"), calls=tuple(calls[number * TURN_CALLS : (number + 1) * TURN_CALLS]))
        for number in range(first, (len(calls) - 1) // TURN_CALLS + 1)
    )
    return WordingRequest(turns[-1].turn_id, turns, TurnId(""))


def judge_kept(answered: Iterable[Entry], versions: Iterable[str], outputs: Iterable[str]) -> Counts:
    """Count missing entries of answered requests, and doubled entries of the store."""
    entries, hashes, events = list(answered), Counter(versions), Counter(outputs)
    return {
        "answered": len(entries),
        "lost": sum(not (hashes[each.content_hash] and events[each.event]) for each in entries),
        "doubled": count_doubled(hashes) + count_doubled(events),
    }


def _judge(folder: Path) -> Counts:
    store = SCHEMA.path(folder)
    versions, outputs = (
        [str(value) for (value,) in read_rows(store, query)]
        for query in ("SELECT content_hash FROM versions WHERE object = 1", "SELECT event FROM outputs")
    )
    answered = [Entry.read(about) for about in Account(folder).about(ANSWERED)]
    return {**judge_kept(answered, versions, outputs), "faults": len(audit(store))}


OBJECTS = Subject(
    name="objects",
    killer=lambda scratch: ForkedLives(__name__, scratch, LONGEST_S),
    judge=_judge,
    wrong=frozenset({"lost", "doubled", "faults"}),
    lives_a_folder=25,
)
"""`faults` are the results of an audit of the store."""
