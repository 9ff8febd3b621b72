"""Verdict on a killed gateway: entries of answered messages are kept, and no entry is kept twice. Pure."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lab.bench.facts.store import Entry, Stored
from lab.bench.facts.words import fact, message

LOST = ("words_lost", "answers_lost", "streams_lost", "turns_doubled", "facts_lost", "facts_doubled")
COUNTED = ("said", "answered", "retried", *LOST)
Counts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ClientMessage:
    """One message of a person."""

    conversation: str
    series: str
    number: int
    answer: str
    """Empty without a whole answer."""
    is_stream: bool
    is_retry: bool = False
    """True if the same words were sent before, and a kill took the answer."""

    def text(self) -> str:
        """The line of the account."""
        return json.dumps(dataclasses.asdict(self))


def judge_kept(messages: Iterable[ClientMessage], stored: Stored) -> Counts:
    """Count missing entries of answered messages, and doubled entries of all messages."""
    live = [entry for entry in stored.entries if entry.is_live]
    users, answers, facts = (_bodies(live, role) for role in ("user", "assistant", "memory"))
    figures: Counter[str] = Counter(dict.fromkeys(COUNTED, 0))
    last = {(each.conversation, each.series, each.number): each for each in messages}
    for each in last.values():
        user = users[each.conversation, message(each.series, each.number)]
        answer = answers[each.conversation, each.answer] if each.answer else 0
        copies = facts[each.conversation, fact(each.series, each.number)]
        figures["said"] += 1
        figures["retried"] += each.is_retry
        figures["turns_doubled"] += max(0, user - 1) + max(0, answer - 1)
        figures["facts_doubled"] += max(0, copies - 1)
        if each.answer:
            figures["answered"] += 1
            figures["words_lost"] += not user
            figures["streams_lost" if each.is_stream else "answers_lost"] += not answer
            figures["facts_lost"] += not copies
    return {**figures, "files": len(stored.entries), "broken": len(stored.broken)}


def _bodies(entries: Iterable[Entry], role: str) -> Counter[tuple[str, str]]:
    return Counter((entry.conversation, entry.body) for entry in entries if entry.role == role)
