"""Crowd of clients at once: how many requests a second are answered, how long the slowest waits, what it costs."""

from __future__ import annotations

import threading
from time import perf_counter

from lab.bench.facts.client import NoAnswerError
from lab.bench.facts.stage import QUIET_S, Gateway
from lab.bench.facts.words import message
from lab.bench.measure import Figures, percentile
from lab.bench.process import MeasurementError

CLIENTS = 16


def crowd(gateway: Gateway, each: int) -> Figures:
    """Sixteen people who each say so much, one thing after another in a conversation of their own.

    Args:
        gateway: Is healthy.
        each: How many requests each of them makes.

    Raises:
        MeasurementError: one was not answered.
    """
    gateway.settle()
    before, asked, gate = gateway.costs(), gateway.upstream.seen(), threading.Barrier(CLIENTS + 1)
    took, failed = list[float](), list[str]()

    def talk(number: int) -> None:
        gate.wait()
        try:
            with gateway.client() as client:
                for turn in range(each):
                    took.append(client.ask(f"crowd-{number}", message(f"crowd{number}", turn)).took_s)
        except NoAnswerError as error:
            failed.append(str(error))

    people = [threading.Thread(target=talk, args=(number,)) for number in range(CLIENTS)]
    for person in people:
        person.start()
    gate.wait()
    begun = perf_counter()
    for person in people:
        person.join()
    answered_s = perf_counter() - begun
    if failed:
        raise MeasurementError(f"16 at once: {len(failed)} clients were not answered, the first: {failed[0]}")
    extracted = gateway.settle(QUIET_S).calls.get("extract", 0) - asked.calls.get("extract", 0)
    settled_s, after = perf_counter() - begun - QUIET_S, gateway.costs()
    return {
        "crowd_requests": len(took),
        "crowd_per_s": len(took) / answered_s,
        "crowd_done_per_s": len(took) / settled_s,
        "crowd_extracted": extracted / len(took),
        "crowd_unasked": max(0.0, 1 - extracted / len(took)),
        "crowd_p50_ms": 1000 * percentile(took, 0.5),
        "crowd_longest_ms": 1000 * max(took),
        "cpu_ms": 1000 * (after.cpu_s - before.cpu_s) / len(took),
        "rss_mb": after.rss_mb,
        "threads": after.threads,
    }
