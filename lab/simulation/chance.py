"""Chance and trace of a run: every draw comes from the seed, every step is noted."""

from __future__ import annotations

import hashlib
import queue
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from actors.kernel.mailbox import Mailbox


T = TypeVar("T")


class Killed(KeyboardInterrupt):
    """The process is dead; a kind of interrupt, since asyncio and the kernel let interrupts through."""


class Chance:
    """Source of all draws of a run."""

    def __init__(self, seed: int, what: str = "") -> None:
        """Draws of a seed; draws for one subject are independent of draws for another.

        Args:
            seed: The run's.
            what: The subject.
        """
        self._random = random.Random(f"{seed} {what}")
        self.draw = self._random.random
        """In [0, 1)."""
        self.below = self._random.randrange
        """A whole number >= 0 and less than the argument."""

    def happens(self, probability: float) -> bool:
        """True with the given probability."""
        return self._random.random() < probability

    def between(self, least: float, most: float) -> float:
        """Draw evenly from a range, for example of seconds."""
        return least + (most - least) * self._random.random()

    def draw_skewed(self, least: float, most: float) -> float:
        """Seconds of very different lengths: mostly near the least, seldom near the most."""
        return float(least * (most / least) ** (self._random.random() ** 2))

    def one_of(self, things: Sequence[T]) -> T:
        """Draw an element, evenly."""
        return things[self._random.randrange(len(things))]


class Trace:
    """Schedule of a run in retrospect: a hash over its lines, and the lines themselves if wanted."""

    def __init__(self, now: Callable[[], float], *, keeps: bool) -> None:
        """Begin without lines.

        Args:
            now: Seconds since the run began.
            keeps: Whether the lines are kept.
        """
        self._now = now
        self._keeps = keeps
        self._hash = hashlib.blake2b(digest_size=8)
        self.lines: list[str] = []
        self.steps = 0

    def note(self, what: str) -> None:
        """Add a line, free of data of the machine."""
        self.steps += 1
        line = f"{self._now():12.6f} {what}"
        self._hash.update(line.encode())
        if self._keeps:
            self.lines.append(line)

    @property
    def digest(self) -> str:
        """Of all lines, in hexadecimal."""
        return self._hash.hexdigest()


class DrawnQueue:
    """Ready mailboxes of a system in random order; as `actors.kernel.ReadyQueue`."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._waiting: list[Mailbox] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, mailbox: Mailbox | None, /) -> None:
        """Have the mailbox run some time."""
        if mailbox is not None:
            self._waiting.append(mailbox)

    def get_nowait(self) -> Mailbox | None:
        """Draw a waiting mailbox.

        Raises:
            queue.Empty: no mailbox waits.
        """
        if not self._waiting:
            raise queue.Empty
        return self._waiting.pop(self._chance.below(len(self._waiting)))

    get = get_nowait
