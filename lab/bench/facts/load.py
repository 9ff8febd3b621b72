"""Load of a gateway: quiet sequential requests, streams, and a crowd of parallel clients."""

from __future__ import annotations

import threading
from time import perf_counter

from lab.bench.facts.client import NoAnswerError
from lab.bench.facts.stage import QUIET_S, Gateway
from lab.bench.facts.words import message, question
from lab.bench.measure import Figures, percentile
from lab.bench.process import MeasurementError

WARM_UP = 3
CLIENTS = 16


def quiet(gateway: Gateway, count: int, rest_s: float = QUIET_S) -> Figures:
    """Added latency of whole answers, CPU of a turn, with the work behind the answer up to a rest of `rest_s`."""
    with gateway.client() as client, gateway.upstream.client() as straight:
        for number in range(WARM_UP):
            client.ask("quiet", message("warm", number))
            straight.ask("", message("quiet", number))
        gateway.settle()
        before, added = gateway.costs(), list[float]()
        for number in range(count):
            through_s = client.ask("quiet", message("quiet", number)).took_s
            gateway.settle()
            added.append(through_s - straight.ask("", message("quiet", number)).took_s)
    gateway.settle(rest_s)
    after = gateway.costs()
    return {
        "added_p50_ms": 1000 * percentile(added, 0.5),
        "added_p95_ms": 1000 * percentile(added, 0.95),
        "quiet_cpu_ms": 1000 * (after.cpu_s - before.cpu_s) / count,
    }


def first_texts(gateway: Gateway, count: int, series: str) -> list[float]:
    """Seconds added until the first text of streams, each in a separate conversation."""
    added = []
    with gateway.client() as client, gateway.upstream.client() as straight:
        for number in range(WARM_UP + count):
            through = client.ask(f"stream-{number}", question(series, number), stream=True)
            gateway.settle()
            added.append(through.first_text_s - straight.ask("", question(series, number), stream=True).first_text_s)
    return added[WARM_UP:]


def crowd(gateway: Gateway, each: int, rest_s: float = QUIET_S) -> Figures:
    """Sixteen clients with `each` requests, one after another in a conversation of their own, up to a rest of `rest_s`.

    Raises:
        MeasurementError: a request was not answered.
    """
    gateway.settle()
    before, requests_before, gate = gateway.costs(), gateway.upstream.requests(), threading.Barrier(CLIENTS + 1)
    failed = list[str]()

    def talk(number: int) -> None:
        gate.wait()
        try:
            with gateway.client() as client:
                for turn in range(each):
                    client.ask(f"crowd-{number}", message(f"crowd{number}", turn))
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
    extracted = gateway.settle(rest_s).calls.get("extract", 0) - requests_before.calls.get("extract", 0)
    requests, after = CLIENTS * each, gateway.costs()
    return {
        "crowd_per_s": requests / answered_s,
        "crowd_unasked": max(0.0, 1 - extracted / requests),
        "cpu_ms": 1000 * (after.cpu_s - before.cpu_s) / requests,
        "rss_mb": after.rss_mb,
    }
