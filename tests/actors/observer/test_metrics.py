"""Metrics, in the form that Prometheus reads."""

from __future__ import annotations

import pytest

from actors.observer.census import BUSY, IDLE, Seen
from actors.observer.metrics import BOUNDS_S, MOST_MODELS, OTHER, Spent, figure_lines, system_lines
from messages.base import Address
from messages.model import CallKind, CallOutcome
from tests.actors.observer.prometheus import read_metrics, usage_of


def read(lines: list[str]) -> dict[str, float]:
    return read_metrics("".join(f"{line}\n" for line in lines))


def test_calls_are_summed_by_kind_model_and_what_became_of_them() -> None:
    sums = Spent()
    for outcome in (CallOutcome.ANSWERED, CallOutcome.ANSWERED, CallOutcome.FAILED):
        sums.take(usage_of("a/m", outcome=outcome))
    sums.take(usage_of("a/m", kind=CallKind.EMBEDDING))
    found = read(sums.lines())

    model, embedding = 'kind="model",model="a/m"', 'kind="embedding",model="a/m"'
    assert found[f'remembrancer_calls_total{{{model},outcome="answered"}}'] == 2
    assert found[f'remembrancer_calls_total{{{model},outcome="failed"}}'] == 1
    assert found[f'remembrancer_calls_total{{{model},outcome="cancelled"}}'] == 0
    assert found[f'remembrancer_calls_total{{{embedding},outcome="answered"}}'] == 1
    assert found[f'remembrancer_tokens_total{{{model},part="prompt"}}'] == 30
    assert found[f'remembrancer_tokens_total{{{model},part="cached"}}'] == 12
    assert found[f'remembrancer_tokens_total{{{model},part="completion"}}'] == 6
    assert found[f"remembrancer_cost_usd_total{{{model}}}"] == 0.75


def test_times_are_a_histogram_whose_bounds_hold_their_own() -> None:
    sums = Spent()
    for took_s in (0.05, 0.06, 0.5, 1000.0):
        sums.take(usage_of("m", took_s=took_s))
    found = read(sums.lines())
    buckets = [value for key, value in found.items() if key.startswith("remembrancer_call_seconds_bucket")]

    assert len(buckets) == len(BOUNDS_S) + 1
    assert buckets == sorted(buckets)
    at = 'remembrancer_call_seconds_bucket{{kind="model",model="m",le="{}"}}'.format
    assert [found[at(bound)] for bound in ("0.05", "0.1", "0.5", "1", "120", "+Inf")] == [1, 2, 3, 3, 3, 4]
    assert found['remembrancer_call_seconds_count{kind="model",model="m"}'] == 4
    assert found['remembrancer_call_seconds_sum{kind="model",model="m"}'] == pytest.approx(1000.61)


def test_names_of_models_have_a_bound() -> None:
    sums = Spent()
    for i in range(MOST_MODELS + 5):
        sums.take(usage_of(f"m{i}"))
    sums.take(usage_of("m0"))
    found = read(sums.lines())

    assert found['remembrancer_calls_total{kind="model",model="m0",outcome="answered"}'] == 2
    assert found[f'remembrancer_calls_total{{kind="model",model="{OTHER}",outcome="answered"}}'] == 5
    assert sum("_call_seconds_count" in key for key in found) == MOST_MODELS + 1


def test_a_name_cannot_break_out_of_its_label() -> None:
    sums = Spent()
    sums.take(usage_of('a"b\\c\nd'))

    assert 'remembrancer_cost_usd_total{kind="model",model="a\\"b\\\\c\\nd"}' in read(sums.lines())


def test_actors_are_told_by_kind() -> None:
    seen = [
        Seen(Address("context", "a"), 2, BUSY, 0),
        Seen(Address("context", "b"), 3, IDLE, 0),
        Seen(Address("memory"), 0, IDLE, 0),
    ]
    counts = {"crashes": {"memory": 2}, "restarts": {"memory": 1}, "dead letters": {"stopped": 4}}
    found = read(system_lines(seen, counts))

    assert found == {
        'remembrancer_actors{kind="context"}': 2,
        'remembrancer_actors{kind="memory"}': 1,
        'remembrancer_mailbox_messages{kind="context"}': 5,
        'remembrancer_mailbox_messages{kind="memory"}': 0,
        'remembrancer_crashes_total{kind="memory"}': 2,
        'remembrancer_restarts_total{kind="memory"}': 1,
        'remembrancer_dead_letters_total{reason="stopped"}': 4,
    }


def test_only_numbers_are_told_of_what_actors_say_of_themselves() -> None:
    found = read(figure_lines({"memory": {"state": "ready", "pending": 3, "is_well": True, "pause_s": 0.5}}))

    assert found == {
        'remembrancer_figure{actor="memory",figure="pending"}': 3,
        'remembrancer_figure{actor="memory",figure="pause_s"}': 0.5,
    }
