"""Metrics in Prometheus' text form (version 0.0.4): costs of calls since the observer began, and the system's state.

Costs are summed as calls are reported, a few additions each. All other figures are read at each scrape.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from actors.observer.census import Seen
from messages.model import CallOutcome, CallSpent

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper bounds of the buckets of a call's time."""
MOST_MODELS = 100
"""Models with labels of their own; further models are `other`."""
OTHER = "other"

Labels = tuple[tuple[str, str], ...]
Rows = Mapping[Labels, float]


class _Calls:
    """Sums over all calls of a kind and model."""

    __slots__ = ("buckets", "cached", "completion", "cost_usd", "outcomes", "prompt", "stored", "took_s")

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.prompt = self.completion = self.cached = self.stored = 0
        self.cost_usd = self.took_s = 0.0
        self.buckets = [0] * (len(BOUNDS_S) + 1)


class Spent:
    """Sums of the usage of calls; used on a single thread."""

    def __init__(self) -> None:
        """Begin with empty sums."""
        self._calls: dict[tuple[str, str], _Calls] = {}
        self._models: set[str] = set()

    def take(self, spent: CallSpent) -> None:
        """Count an attempt at a call."""
        model = spent.model
        if model not in self._models:
            if len(self._models) < MOST_MODELS:
                self._models.add(model)
            else:
                model = OTHER
        key = (spent.kind.value, model)
        calls = self._calls.get(key)
        if calls is None:
            calls = self._calls[key] = _Calls()
        calls.outcomes[spent.outcome.value] += 1
        calls.prompt += spent.prompt_tokens
        calls.completion += spent.completion_tokens
        calls.cached += spent.cached_tokens
        calls.stored += spent.stored_tokens
        calls.cost_usd += spent.cost_usd
        calls.took_s += spent.took_s
        calls.buckets[bisect_left(BOUNDS_S, spent.took_s)] += 1

    def lines(self) -> list[str]:
        """The families of calls."""
        by: list[tuple[Labels, _Calls]] = [
            ((("kind", kind), ("model", model)), calls) for (kind, model), calls in sorted(self._calls.items())
        ]
        outcomes = {
            (*labels, ("outcome", outcome.value)): float(calls.outcomes[outcome.value])
            for labels, calls in by
            for outcome in CallOutcome
            if outcome is not CallOutcome.KILLED
        }
        tokens: dict[Labels, float] = {}
        for labels, calls in by:
            shares = (
                ("prompt", calls.prompt),
                ("cached", calls.cached),
                ("stored", calls.stored),
                ("completion", calls.completion),
            )
            tokens |= {(*labels, ("part", part)): float(count) for part, count in shares}
        return [
            *family("calls_total", "counter", "Attempts at calls, by outcome.", outcomes),
            *family(
                "tokens_total", "counter", "Tokens of calls; the cached and the stored are among the prompt's.", tokens
            ),
            *family(
                "cost_usd_total", "counter", "Cost of calls, in US dollars.", {key: each.cost_usd for key, each in by}
            ),
            *_histogram("call_seconds", "Duration of an attempt at a call, in seconds.", by),
        ]


def system_lines(seen: Iterable[Seen], counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The families of actors.

    Args:
        seen: All actors at this moment.
        counts: `crashes` and `restarts` by kind of actor, `dead letters` by reason.
    """
    alive, waiting = Counter[str](), Counter[str]()
    for each in seen:
        alive[each.address.kind] += 1
        waiting[each.address.kind] += each.waiting
    return [
        *family("actors", "gauge", "Actors that are alive.", _by("kind", alive)),
        *family("mailbox_messages", "gauge", "Messages that wait in mailboxes.", _by("kind", waiting)),
        *family("crashes_total", "counter", "Crashes of actors.", _by("kind", counts.get("crashes", {}))),
        *family("restarts_total", "counter", "Restarts of actors.", _by("kind", counts.get("restarts", {}))),
        *family(
            "dead_letters_total",
            "counter",
            "Messages without a receiver.",
            _by("reason", counts.get("dead letters", {})),
        ),
    ]


def figure_lines(described: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Family of numbers from actors' self-descriptions, for example the memory's backlog of embeddings."""
    rows: Rows = {
        (("actor", actor), ("figure", name)): float(value)
        for actor, figures in sorted(described.items())
        for name, value in figures.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return family("figure", "gauge", "A figure reported by an actor.", rows)


def family(name: str, kind: str, about: str, rows: Rows) -> list[str]:
    """Family as lines; only the head without rows."""
    return [*_head(name, kind, about), *(f"remembrancer_{name}{_labels(row)} {_number(rows[row])}" for row in rows)]


def _head(name: str, kind: str, about: str) -> list[str]:
    return [f"# HELP remembrancer_{name} {about}", f"# TYPE remembrancer_{name} {kind}"]


def _histogram(name: str, about: str, by: Sequence[tuple[Labels, _Calls]]) -> list[str]:
    lines = _head(name, "histogram", about)
    for labels, calls in by:
        totals = list(accumulate(calls.buckets))
        for bound, count in zip((*map(_number, BOUNDS_S), "+Inf"), totals, strict=True):
            lines.append(f"remembrancer_{name}_bucket{_labels((*labels, ('le', bound)))} {count}")
        lines.append(f"remembrancer_{name}_sum{_labels(labels)} {_number(calls.took_s)}")
        lines.append(f"remembrancer_{name}_count{_labels(labels)} {totals[-1]}")
    return lines


def _by(label: str, counts: Mapping[str, int]) -> Rows:
    return {((label, key),): float(count) for key, count in sorted(counts.items())}


def _labels(labels: Labels) -> str:
    pairs = ",".join(f'{name}="{_escape_value(value)}"' for name, value in labels)
    return f"{{{pairs}}}" if pairs else ""


def _escape_value(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
