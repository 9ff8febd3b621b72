"""Account of lives that end by a kill: what was asked and staged, and what the index must hold for it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ASKED = "asked"
STAGED = "staged"
CUT = "cut"
"""Word of a line that says in which call of the disk a life ends."""
_BULLET = re.compile(rb"- (?P<fact>fact [0-9]+-[0-9]+)")
"""Line of a fact that a life asked for, whether it was staged or not."""


class AccountBook:
    """File to which a life adds a line for each thing, so that it is there when the life is killed the next moment."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def note(self, word: str, what: str) -> None:
        """Add a line."""
        os.write(self._fd, f"{word} {what}\n".encode())


@dataclass(slots=True)
class Account:
    """What the lines of a book come to."""

    asked: set[str] = field(default_factory=set)
    staged: set[str] = field(default_factory=set)
    """Of which the agent said that they wait, safe from a crash."""
    cuts: Counter[str] = field(default_factory=Counter)
    """Call of the disk -> lives that ended in it."""


def read(path: Path) -> Account:
    """The account of a book that need not be there."""
    account = Account()
    lines = path.read_text().splitlines() if path.exists() else []
    kinds = {ASKED: account.asked, STAGED: account.staged}
    for line in lines:
        word, _, what = line.partition(" ")
        if word == CUT:
            account.cuts[what] += 1
        else:
            kinds[word].add(what)
    return account


@dataclass(frozen=True, slots=True)
class Verdict:
    """Comparison of an index with what was promised."""

    lost: int
    """Facts that were staged and do not stand there."""
    doubled: int
    strange: int
    """Facts that nobody asked for."""
    harmed: int
    """Lines of people that are not as they were, or in another order."""
    stand: int
    """Facts that stand there."""


def judged(account: Account, before: bytes, index: bytes) -> Verdict:
    """What became of the facts of all lives of a folder, and of the lines that people had written before."""
    lines = index.split(b"\n")
    bullets = [_BULLET.fullmatch(line) for line in lines]
    facts = Counter(bullet["fact"].decode() for bullet in bullets if bullet)
    others = [line for line, bullet in zip(lines, bullets, strict=True) if not bullet]
    return Verdict(
        lost=sum(not facts[each] for each in account.staged),
        doubled=sum(count - 1 for count in facts.values()),
        strange=len(facts.keys() - account.asked),
        harmed=_missing(before.rstrip(b"\n").split(b"\n"), others),
        stand=len(facts),
    )


def _missing(wanted: Iterable[bytes], lines: Iterable[bytes]) -> int:
    """How many of the wanted lines do not come among the others in their order."""
    rest = list(lines)
    count = 0
    for line in wanted:
        if line in rest:
            del rest[: rest.index(line) + 1]
        else:
            count += 1
    return count
