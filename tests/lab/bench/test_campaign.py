"""The whole benchmark at small sizes: that it counts right and loses nothing, never how fast anything is."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lab.bench.kernel.workload import OURS, WORKLOADS, Workload
from lab.bench.process import Erlang
from tests.actors.cli.command import run

ROWS = {row.name: row for row in WORKLOADS}
POISON = {4000: 4}
"""Messages of a storm -> how many of them are poison, counted by hand from the rule of one in a thousand."""


@cache
def quick() -> dict[str, Any]:
    """What the command prints; run once, for it takes seconds."""
    done = run("agent", "bench", "kernel", "--quick", "--json", cwd=Path("/"))
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def figures(workload: str, system: str = OURS) -> dict[str, float]:
    found: dict[str, float] = quick()["workloads"][workload][system]
    return found


def expected_systems(row: Workload) -> list[str]:
    return [system for system in row.systems if system != "erlang" or Erlang.is_installed()]


@pytest.mark.slow
@pytest.mark.parametrize("name", [row.name for row in WORKLOADS if not row.on_request])
def test_every_row_has_its_figures_of_every_system_that_is_installed(name: str) -> None:
    assert list(quick()["workloads"][name]) == expected_systems(ROWS[name])
    for system in expected_systems(ROWS[name]):
        assert figures(name, system)[ROWS[name].headline] >= 0


@pytest.mark.slow
def test_what_takes_minutes_is_run_on_request_only() -> None:
    assert "churn_10m" not in quick()["workloads"]


@pytest.mark.slow
def test_every_system_handles_as_many_messages_as_were_sent() -> None:
    for system in expected_systems(ROWS["ping_pong"]):
        assert figures("ping_pong", system)["messages"] == 1000
        assert figures("request_reply", system)["messages"] == 2 * 10 * 10
        assert figures("fan_out_1000x100", system)["messages"] == 100 * 10
        assert figures("fan_out_10000x100", system)["messages"] == 200 * 10


@pytest.mark.slow
def test_a_storm_loses_and_doubles_nothing_and_buries_exactly_the_poison() -> None:
    storm = figures("crash_storm")

    assert {name: storm[name] for name in ("lost", "doubled", "out_of_order", "sound_buried")} == {
        "lost": 0,
        "doubled": 0,
        "out_of_order": 0,
        "sound_buried": 0,
    }
    assert storm["poison"] == storm["poison_buried"] == POISON[4000]
    assert storm["drained"]
    assert storm["restarts"] > 3 * storm["poison"]


@pytest.mark.slow
def test_plain_pykka_loses_messages_in_the_same_storm() -> None:
    storm = figures("crash_storm", "pykka")

    assert storm["lost"] > 0
    assert storm["accepted"] + storm["refused"] == storm["messages"]


@pytest.mark.slow
def test_passivated_windows_are_gone_and_restarts_were_measured() -> None:
    assert figures("directory_1000000")["living"] == 0
    assert figures("restart_latency")["restarts"] == 50
    assert figures("fairness")["messages"] == 100


@pytest.mark.slow
def test_the_document_says_where_and_when_and_that_small_sizes_prove_no_speed() -> None:
    document = quick()

    assert {"cpu", "cores", "python", "erlang", "at", "load_before"} <= set(document["machine"])
    assert document["quick"] is True
    assert set(document["rounds"].values()) == {1}
    assert document["targets"] == []
    assert set(document["ratios"]["fan_out_10000x100"]) == set(expected_systems(ROWS["fan_out_10000x100"])) - {OURS}


def test_one_row_can_be_asked_for_and_the_table_fits_a_hundred_columns() -> None:
    done = run("agent", "bench", "kernel", "--quick", "--only", "ping_pong", "--only", "churn_10m", cwd=Path("/"))

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("ping", "churn", "fan"))] == [
        "ping_pong",
        "churn_10m",
    ]
    assert "MiB" in done.stdout
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in done.stdout


def test_a_row_that_does_not_exist_is_refused_with_those_that_do() -> None:
    done = run("agent", "bench", "kernel", "--only", "fanout", cwd=Path("/"))

    assert done.returncode == 2
    assert "no row fanout; there are: ping_pong, " in done.stderr
    assert done.stdout == ""


def test_without_erlang_its_rows_are_left_out_with_a_note() -> None:
    done = run(
        "agent", "bench", "kernel", "--quick", "--json", "--only", "ping_pong", cwd=Path("/"), environment={"PATH": "/"}
    )

    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["workloads"]["ping_pong"]) == [OURS, "pykka", "asyncio"]
    assert "erl and erlc are not both installed" in done.stderr
