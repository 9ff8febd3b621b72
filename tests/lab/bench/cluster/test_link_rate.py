"""The benchmark of a link: it measures one between two processes."""

from __future__ import annotations

import sys

import pytest

from lab.bench.process import measure

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="Ray is in the lock for Linux only")]


def test_a_link_carries_messages_both_ways() -> None:
    figures = measure("lab.bench.cluster.link_rate", {"messages": 2_000})

    assert set(figures) == {"one_way_per_s", "both_ways_per_s", "head_cpu_us", "host_cpu_us", "round_trip_ms"}
    assert all(value > 0 for value in figures.values())
