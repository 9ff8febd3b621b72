"""The benchmark of hosts: it measures a link, and a killed host loses and doubles nothing."""

from __future__ import annotations

import sys

import pytest

from lab.bench.cluster.killed_host import measure
from lab.bench.process import measure_cluster

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="Ray is in the lock for Linux only")]


def test_a_link_carries_messages_both_ways() -> None:
    figures = measure_cluster("link_rate", {"messages": 2_000})

    assert set(figures) == {"one_way_per_s", "both_ways_per_s", "head_cpu_us", "host_cpu_us", "round_trip_ms"}
    assert all(value > 0 for value in figures.values())


def test_a_host_that_is_killed_with_turns_in_flight_loses_and_doubles_nothing() -> None:
    run = measure(12, 3.0, lambda _: None, kills=True)

    assert (run.in_flight, run.answered, run.lost, run.doubled) == (12, 12, 0, 0)
    assert run.p95_of_killed_s is not None
    assert run.p95_of_killed_s > run.p95_s > 0
