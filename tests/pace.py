"""CPU time of a piece of work, in seconds of a usual machine: machines that run the tests differ by a factor of five."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

USUAL_S = 0.02
"""CPU time of one unit of known work on the machine that the limits in the tests were set on, in seconds."""

Clock = Callable[[], float]
_WORDS = re.compile(rb"[a-z]+|\d+")


def paced_s(
    work: Callable[[], object], *, tries: int = 1, enough_s: float = 0.0, clock: Clock = time.process_time
) -> float:
    """CPU seconds of `work`, the least of `tries` runs, each divided by how much slower than usual the machine just was.

    The machine is asked before and after each run, by known work of the same kind (loops, dicts, bytes, patterns), since
    a neighbour may slow it at any time. A faster machine than the usual one is no reason for a stricter limit.

    Args:
        enough_s: The limit that the least is asked for: as soon as one run is below it, no other is needed. A first run
            that is below it as it stands is the answer, without a look at the machine, which costs two units of work.
        clock: CPU seconds of this process.
    """
    if enough_s and (first_s := _cpu_s(work, clock)) < enough_s:
        return first_s
    took = []
    for _ in range(tries):
        before_s = _cpu_s(_known_work, clock)
        run_s = _cpu_s(work, clock)
        took.append(run_s / max(1.0, (before_s + _cpu_s(_known_work, clock)) / 2 / USUAL_S))
        if took[-1] < enough_s:
            break
    return min(took)


def _cpu_s(work: Callable[[], object], clock: Clock) -> float:
    began_s = clock()
    work()
    return clock() - began_s


def _known_work() -> None:
    text = b"".join(b"line %d of some words\n" % number for number in range(12_000))
    found: dict[bytes, int] = {}
    for line in text.splitlines():
        for word in _WORDS.findall(line):
            found[word] = found.get(word, 0) + 1
    assert len(found) > 12_000
