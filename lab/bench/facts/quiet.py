"""Quiet requests, one after another: latency that a gateway adds to a request; CPU and bytes written for a turn."""

from __future__ import annotations

from statistics import fmean

from lab.bench.facts.stage import Gateway
from lab.bench.facts.words import mark, message, question
from lab.bench.measure import Figures, percentile

WARM_UP = 3


def quiet(gateway: Gateway, conversation: str, count: int, series: str = "quiet") -> Figures:
    """Added latency of whole answers, CPU and bytes written a turn, its work behind the answer included.

    Args:
        gateway: Healthy gateway.
        conversation: Conversation of the turns.
        count: Number of measured turns.
        series: Of the words, used once.
    """
    with gateway.client() as client, gateway.upstream.client() as straight:
        for number in range(WARM_UP):
            client.ask(conversation, message(f"{series}warm", number))
            straight.ask("", message(series, number))
        gateway.settle()
        before, asked_before, added, took = gateway.costs(), gateway.upstream.seen(), list[float](), list[float]()
        for number in range(count):
            through_s = client.ask(conversation, message(series, number)).took_s
            gateway.settle()
            took.append(through_s)
            added.append(through_s - straight.ask("", message(series, number)).took_s)
    after, asked = gateway.costs(), gateway.upstream.seen()
    calls = {kind: (n - asked_before.calls.get(kind, 0)) / count for kind, n in asked.calls.items()}
    return {
        "quiet_turns": count,
        "added_p50_ms": 1000 * percentile(added, 0.5),
        "added_p95_ms": 1000 * percentile(added, 0.95),
        "quiet_p50_ms": 1000 * percentile(took, 0.5),
        "quiet_cpu_ms": 1000 * (after.cpu_s - before.cpu_s) / count,
        "written_kb": (after.written_bytes - before.written_bytes) / count / 1000,
        "calls_embed": calls.get("embed", 0),
        "calls_extract": calls.get("extract", 0),
        "calls_reconcile": calls.get("reconcile", 0),
        "calls_summarize": calls.get("summarize", 0),
    }


def first_texts(gateway: Gateway, count: int, series: str) -> list[float]:
    """Seconds that are added until the first text of streams, each in a conversation of its own."""
    with gateway.client() as client, gateway.upstream.client() as straight:
        for number in range(WARM_UP):
            client.ask(f"stream-warm-{number}", question(series, number), stream=True)
            straight.ask("", question(series, number), stream=True)
            gateway.settle()
        added = []
        for number in range(WARM_UP, WARM_UP + count):
            through = client.ask(f"stream-{number}", question(series, number), stream=True)
            gateway.settle()
            added.append(through.first_text_s - straight.ask("", question(series, number), stream=True).first_text_s)
    return added


def shown_share(gateway: Gateway, count: int, series: str, facts: int) -> float:
    """Share of questions, each in a new conversation, at which the model is shown the very fact that is asked for."""
    step, hits = max(1, facts // count), list[bool]()
    with gateway.client() as client:
        for number in range(0, step * count, step):
            client.ask(f"shown-{number}", question(series, number))
            hits.append(mark(series, number) in gateway.upstream.seen().shown[-1]["marks"])
            gateway.settle()
    return fmean(hits)
