"""Narrowing of failed calls: the server or a text at fault, and the text.

A call with many texts fails as a whole when a single text spoils the call. Such a call is halved until the bad text is
alone, as long as the server answers other texts meanwhile; a server without any answer is waited for instead.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from domain.policy.refusal import read_refusal
from domain.policy.retrying import Fault, FaultKind

T = TypeVar("T")

TRIES = 2
"""Failed calls with a text alone, each at once after the other, before the text is put off."""
_TRIES_OF = {FaultKind.REJECTED: 1, FaultKind.TOO_LONG: 1}
"""Fewer where the server has looked at the text and will say the same again."""
DOWNS_TO_SPLIT = 2
DOWNS_TO_SET_ASIDE = 4
"""Times that the server worked, was given a call, and failed for every text from then on: chance explains few."""
LATER_S = (30.0, 180.0)
"""Waits before further tries of a text that failed alone: a fault of a few minutes sets no text aside."""
LEAST_CHARS = 200
"""Length below which a text is not shortened any more."""
_SPARE = 0.9
"""Share of the size allowed by a refusal's numbers: tokens are not spread evenly over a text."""
_LEAST_HALVED = 4
"""Of fewer texts each goes alone: halving would take more calls."""
_GROW_AFTER = 16
"""Successful calls of the greatest size in a row before a greater size is tried."""

STREAK = 16
"""Failed calls in a row before calls are spaced out: more than needed to find a bad text among a hundred."""
LONGEST_SPACE_S = 10.0

_OF_THE_ACCOUNT = frozenset({FaultKind.KEY, FaultKind.QUOTA, FaultKind.NOT_FOUND})
_BY_TEXT_TOO = frozenset({400, 403, 404})
"""Statuses by which a firewall, or a server that quotes the text, seems to refuse the account."""


class Step(StrEnum):
    """Next step after a failed call."""

    WAIT = "wait"
    """The server is at fault: ask for the same texts after a pause."""
    PROBE = "probe"
    """Find out with a harmless text whether the server works."""
    SPLIT = "split"
    """Ask for the texts in smaller calls."""
    REPEAT = "repeat"
    """Ask for the text alone once more."""
    PUT_OFF = "put off"
    """Ask for the text alone once more, minutes later."""
    SHORTEN = "shorten"
    """Ask for the beginning of the text alone: mostly the length, or a later place, spoils the text."""
    SET_ASIDE = "set aside"
    """Ask no more for the text."""


def server_works(fault: Fault, works: bool | None) -> bool | None:
    """State of the server, by the fault of a call and the answers to other calls meanwhile: True if working.

    Args:
        fault: Fault of the call.
        works: True if the server has answered another text since; None if unknown.
    """
    speaks_for_all = not is_blamed_on_text(fault) or fault.kind is FaultKind.RATE_LIMIT
    return False if speaks_for_all or fault.asked_wait_s is not None else works


def is_blamed_on_text(fault: Fault) -> bool:
    """True if one text can cause such a fault."""
    if fault.kind in _OF_THE_ACCOUNT:
        return fault.status in _BY_TEXT_TOO
    return fault.kind is not FaultKind.UNREACHABLE


def next_step(
    fault: Fault, count: int, *, tries: int, downs: int, rounds: int, works: bool | None, chars: int = 0
) -> Step:
    """Next step for the texts of a failed call.

    Args:
        fault: Fault of the call.
        count: Texts in the call, >= 1.
        tries: Failed calls with the text alone while the server worked, this call included.
        downs: Times that the server worked before a call with the texts and not after, this call included.
        rounds: Times that the text was put off.
        works: True if the server has answered another text since the call began; None if unknown.
        chars: Length of the only text, as asked for.
    """
    works = server_works(fault, works)
    if works is None:
        return Step.PROBE
    if not works and (downs < DOWNS_TO_SPLIT or not is_blamed_on_text(fault)):
        return Step.WAIT
    if count > 1:
        return Step.SPLIT
    if works and not rounds and tries < _TRIES_OF.get(fault.kind, TRIES):
        return Step.REPEAT
    if works:
        is_certain = fault.kind is FaultKind.TOO_LONG or rounds >= len(LATER_S)
        if not is_certain:
            return Step.PUT_OFF
        return Step.SHORTEN if chars > LEAST_CHARS else Step.SET_ASIDE
    return Step.SET_ASIDE if downs >= DOWNS_TO_SET_ASIDE else Step.WAIT


def parts(items: list[T]) -> tuple[list[T], ...]:
    """The halves of `items`, in their order; each item alone where there are only a few."""
    if len(items) < _LEAST_HALVED:
        return tuple([item] for item in items)
    middle = (len(items) + 1) // 2
    return items[:middle], items[middle:]


def fewer_chars(chars: int, fault: Fault) -> int:
    """Length of a text's beginning to ask for next: half, or as much as the numbers in the refusal allow.

    Args:
        chars: Length that was refused, above `LEAST_CHARS`.
        fault: Of the call with the text alone.
    """
    numbers = read_refusal(fault.words, is_too_long=fault.kind is FaultKind.TOO_LONG)
    share = 0.5
    if fault.kind is FaultKind.TOO_LONG and numbers.limit_tokens and numbers.counted_tokens:
        share = min(_SPARE, _SPARE * numbers.limit_tokens / numbers.counted_tokens)
    return max(LEAST_CHARS, int(chars * share))


class CallSize:
    """Most texts in one call, as far as shown by the server's answers."""

    def __init__(self, limit: int) -> None:
        """Start without knowledge.

        Args:
            limit: Most texts in any case, >= 1.
        """
        if limit < 1:
            raise ValueError(f"limit {limit} must be >= 1")
        self.most = self._limit = limit
        self._has_merged = False
        self._full = 0
        """Successful calls of the greatest size in a row."""

    def note_answer(self, texts: int, answered: int) -> None:
        """Learn from the number of vectors for a number of texts.

        One vector for several texts, twice in a row, means: the server joins the texts. Each text goes alone then.
        """
        if texts < 2:
            return
        is_merged = answered == 1
        if is_merged and self._has_merged:
            self.most = self._limit = 1
        self._has_merged = is_merged

    def note_success(self, texts: int) -> None:
        """Learn from a successful call of so many texts."""
        if texts < self.most or self.most == self._limit:
            return
        self._full += 1
        if self._full >= _GROW_AFTER:
            self._full = 0
            self.most = min(self._limit, 2 * self.most)

    def note_split(self, largest: int) -> None:
        """Learn from a failed call with only successful parts, the largest of so many texts: the call was too large."""
        self._full = 0
        self.most = max(1, min(self.most, largest))


class FailureStreak:
    """Failed calls in a row blamed on their texts: after many failures further calls are spaced out."""

    def __init__(self) -> None:
        """No call has failed."""
        self._length = 0
        self._until = 0.0

    def wait_s(self, now: float) -> float:
        """Seconds until the next call; 0 for now.

        Args:
            now: Of a clock that never goes back, in seconds.
        """
        return max(0.0, self._until - now)

    def fail(self, now: float) -> float:
        """Note a failed call; seconds until the next call."""
        self._length += 1
        if self._length > STREAK:
            self._until = now + min(LONGEST_SPACE_S, 2.0 ** min(self._length - STREAK - 1, 10))
        return self.wait_s(now)

    def end(self) -> None:
        """Note a successful call."""
        self._length, self._until = 0, 0.0
