"""Rows of the fault matrix that a campaign can bring about from outside, and the schedule of a life. Pure."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from lab.chaos.kills.texts import BIG, HOSTILE, HUGE, LONG, MALFORMED, PLAIN, SLOW, TOOL

ROWS: dict[int, str] = {
    1: "kill -9 at a random instant",
    2: "kill when a log has grown",
    3: "kill between what is sent and what is known of it",
    4: "kill inside a tool call",
    5: "torn end of a log",
    10: "embedder limits its rate",
    11: "embedder fails or cuts off",
    12: "embedder answers nonsense",
    14: "model limits its rate, fails or cuts off",
    15: "malformed tool calls",
    16: "an answer of 100 kB",
    17: "full disk",
    22: "index deleted, emptied, cut or without its WAL",
    36: "gateway closes, asks to reconnect, ends the session",
    37: "an event comes twice after a RESUME",
    38: "history is out of reach, or a message of it cannot be read",
    39: "sending is limited, fails, or succeeds unseen",
    42: "a second agent on the data root",
    43: "SIGTERM while turns run",
    46: "many threads at once",
    49: "an event never comes, comes late or twice",
    50: "messages are edited and deleted",
    51: "files are attached",
    52: "clients of the gateway",
}
LIFE_S = 4.0
"""Longest life of an agent to be killed, except for tests of slower work."""
FILE_BYTES = 60_000
"""Largest attached file."""
EARLY_S = 1.0
EARLY_SHARE = 0.36
"""Share of lives ending within `EARLY_S` after a start; a part is spent on faults with longer lives."""
OUTAGE_S = 20.0
"""Longer than a call is tried again."""


class Where(StrEnum):
    """Kind of window for a message."""

    CHANNEL = "channel"
    OLD = "old thread"
    NEW = "new thread"
    DM = "direct messages"


class Trap(StrEnum):
    """Occasion of a kill."""

    START = "start"
    """At any time in the first second of the process."""
    ONLINE = "online"
    """At any time in the first second of the connection."""
    TIME = "time"
    LOG = "log"
    SHOWN = "shown"
    CALL = "call"
    HISTORY = "history"
    MODEL = "model"
    TERM = "term"


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Message of a person."""

    where: Where
    wants: str
    body: str
    is_unreadable: bool = False
    """True if the bot's library cannot read the message in the history."""
    file_bytes: int = 0
    """Size of the attached file; 0 for none."""


@dataclass(frozen=True, slots=True)
class BeginAnew:
    """Begin of a new conversation in a window, by a person."""


@dataclass(frozen=True, slots=True)
class Remind:
    """Reminder written into the file by a person."""

    minutes: int
    """Minutes from now; past reminders are due at once."""


@dataclass(frozen=True, slots=True)
class Change:
    """Edit or deletion of a recent message by its author."""

    back: int
    """Position among the newest messages, from 1."""
    is_deletion: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """Message of a client of the gateway."""


@dataclass(frozen=True, slots=True)
class Harm:
    """Harm: `row` says the kind, `variety` the variant."""

    row: int
    variety: int


Act = Say | BeginAnew | Remind | Change | Talk | Harm


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """Events before and during one life of the agent, and the life's end."""

    is_cold: bool
    before: tuple[Act, ...]
    during: tuple[tuple[float, Act], ...]
    """Each with the seconds since the start."""
    trap: Trap
    nth: int
    """Number of the ending occasion among occasions of its kind."""
    at_most_s: float
    """Seconds after which the life ends in any case."""
    after_s: float = 0.0
    """Seconds from the occasion to the end."""


def parse_rows(text: str) -> frozenset[int]:
    """Rows named by `text`, such as `1,3,36-39`; a range means its existing rows.

    Raises:
        ValueError: the text names a row that no campaign can cause, or is no list of rows.
    """
    rows: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"rows {text!r}: numbers and ranges of numbers are required, such as 1,3,36-39")
        chosen = {row for row in ROWS if int(first) <= row <= int(last or first)}
        if not chosen:
            known = ", ".join(map(str, ROWS))
            raise ValueError(f"row {part.strip()}: not to be had from outside; these are: {known}")
        rows |= chosen
    return frozenset(rows)


def plan_life(choices: random.Random, rows: Collection[int], *, has_dms: bool) -> Life:
    """A life drawn from `choices`, with the faults of `rows`."""
    trap, nth, at_most_s = _end(choices, rows)
    after_s = choices.uniform(0, EARLY_S) if trap is Trap.ONLINE else 0.0
    before: tuple[Act, ...] = tuple(_say(choices, rows, has_dms=has_dms) for _ in range(choices.randrange(4)))
    during: list[tuple[float, Act]] = [
        (choices.uniform(0, 1.5), _say(choices, rows, has_dms=has_dms)) for _ in range(choices.randrange(1, 5))
    ]
    if 1 in rows and choices.random() < 0.3:
        during.append((choices.uniform(0.8, 2.5), BeginAnew()))
    if choices.random() < 0.5:
        during.append((choices.uniform(0, 1.5), Remind(choices.randrange(-2, 1))))
    if choices.random() < 0.3:
        before = (*before, Remind(choices.randrange(-2, 1)))
    if 50 in rows and choices.random() < 0.4:
        during.append((choices.uniform(0, 2.0), _change(choices)))
    if 50 in rows and choices.random() < 0.2:
        before = (*before, _change(choices))
    if 52 in rows:
        during += [(choices.uniform(0, 1.5), Talk()) for _ in range(choices.randrange(3))]
    before, harmed, longer_s = _harms(choices, rows, before, at_most_s)
    at_most_s = at_most_s if trap is Trap.START else longer_s
    during += harmed
    return Life(
        is_cold=choices.random() < 0.05,
        before=before,
        during=tuple(sorted(during, key=lambda timed: timed[0])),
        trap=trap,
        nth=nth,
        at_most_s=at_most_s,
        after_s=after_s,
    )


def _end(choices: random.Random, rows: Collection[int]) -> tuple[Trap, int, float]:
    """Occasion, ordinal of the occasion, and longest wait for the occasion."""
    if 1 in rows and choices.random() < EARLY_SHARE:
        is_counted_online = choices.random() < 0.5
        return (Trap.ONLINE, 1, LIFE_S) if is_counted_online else (Trap.START, 1, choices.uniform(0, EARLY_S))
    traps: list[tuple[Trap, int]] = []
    if 1 in rows or not {2, 3, 4} & set(rows):
        traps += [(Trap.TIME, 1)] * 4 + [(Trap.HISTORY, choices.randrange(1, 4))]
    if 2 in rows:
        traps += [(Trap.LOG, choices.randrange(1, 9))] * 2
    if 3 in rows:
        traps += [(Trap.SHOWN, choices.randrange(1, 6))] * 2 + [(Trap.CALL, choices.randrange(1, 20))]
    if 4 in rows:
        traps += [(Trap.MODEL, choices.randrange(1, 5))] * 2
    if 43 in rows:
        traps += [(Trap.TERM, 1)]
    trap, nth = choices.choice(traps)
    if trap in (Trap.TIME, Trap.TERM):
        return trap, nth, choices.uniform(0.0, choices.choice((1.2, 3.0)))
    return trap, nth, LIFE_S


def _say(choices: random.Random, rows: Collection[int], *, has_dms: bool) -> Say:
    wants = [PLAIN, PLAIN, PLAIN, SLOW, LONG]
    wants += [TOOL] * (4 in rows) * 2 + [BIG] * (1 in rows) + [MALFORMED] * (15 in rows)
    if 16 in rows and choices.random() < 0.03:
        wants = [HUGE]
    file_bytes = choices.randrange(1, FILE_BYTES) if 51 in rows and choices.random() < 0.1 else 0
    places = [Where.CHANNEL, Where.OLD, Where.OLD, Where.NEW, Where.NEW] + [Where.DM] * has_dms
    where, want, body = choices.choice(places), choices.choice(wants), choices.choice(HOSTILE)
    return Say(where=where, wants=want, body=body, file_bytes=file_bytes)


def _change(choices: random.Random) -> Change:
    return Change(choices.randrange(1, 7), is_deletion=choices.random() < 0.5)


def _harms(
    choices: random.Random, rows: Collection[int], before: tuple[Act, ...], at_most_s: float
) -> tuple[tuple[Act, ...], list[tuple[float, Act]], float]:
    """Acts before the life, acts during the life, and new length of the life."""
    during: list[tuple[float, Act]] = []
    for row in (5, 22):
        if row in rows and choices.random() < 0.15:
            before = (*before, Harm(row, choices.randrange(5)))
    during += [
        (choices.uniform(0, 1.5), Harm(row, choices.randrange(1000)))
        for row in (10, 11, 12, 14, 36, 37, 39, 49)
        if row in rows and choices.random() < 0.15
    ]
    if 42 in rows and choices.random() < 0.05:
        during.append((1.2, Harm(42, 0)))
    if 46 in rows and choices.random() < 0.05:
        during += [(1.0, Say(where=Where.NEW, wants=PLAIN, body="one of many")) for _ in range(15)]
    if 17 in rows and choices.random() < 0.05:
        during.append((choices.uniform(0.3, 1.5), Harm(17, 0)))
    if 38 in rows and choices.random() < 0.1:
        unreadable = Say(where=choices.choice((Where.CHANNEL, Where.OLD)), wants=PLAIN, body="odd", is_unreadable=True)
        before = (_say(choices, rows, has_dms=False), unreadable, *before)
    if 38 in rows and choices.random() < 0.03:
        before = (*before, Harm(38, choices.randrange(2)))
        at_most_s = OUTAGE_S
    return before, during, at_most_s
