"""The whole benchmark at small sizes: that it counts right and loses nothing, never how fast anything is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.bench.kernel.run import KERNEL, OURS, WORKLOADS, compare_systems, median
from lab.bench.measure import Figures
from lab.bench.process import Erlang
from tests.actors.cli.command import run

POISON = 4
"""Poison among the 4,000 messages of a small storm, counted by hand from the rule of one in a thousand."""
MESSAGES = {"request_reply": 2 * 10 * 10, "fan_out_1000x100": 100 * 10, "fan_out_10000x100": 200 * 10}


@pytest.mark.slow
def test_every_system_is_measured_and_a_storm_loses_nothing_of_ours_and_something_of_plain_pykkas() -> None:
    done = run("agent", "bench", "kernel", "--quick", "--json", cwd=Path("/"))

    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["figures"]
    systems = {
        name: [OURS, *(peer for peer in row.peers if peer != "erlang" or Erlang.is_installed())]
        for name, row in WORKLOADS.items()
        if not row.on_request
    }
    assert [*figures] == [f"{name} {system}" for name, each in systems.items() for system in each]
    wrong = {
        f"{name} {system}"
        for name, messages in MESSAGES.items()
        for system in systems[name]
        if figures[f"{name} {system}"]["messages"] != messages
    }
    assert wrong == set()
    storm, pykkas = figures[f"crash_storm {OURS}"], figures["crash_storm pykka"]
    assert [storm[name] for name in ("lost", "doubled", "out_of_order", "unburied")] == [0, 0, 0, 0]
    assert (storm["poison"], bool(storm["drained"])) == (POISON, True)
    assert storm["restarts"] > 3 * POISON
    assert pykkas["lost"] > 0
    assert pykkas["accepted"] + pykkas["refused"] == pykkas["messages"]
    assert figures[f"restart_latency {OURS}"]["restarts"] == 50


def test_rows_can_be_asked_for_and_without_erlang_its_rows_are_left_out_with_a_note() -> None:
    names = ("--only", "idle_bytes_100000", "--only", "churn_10m")
    done = run("agent", "bench", "kernel", "--quick", *names, cwd=Path("/"), environment={"PATH": "/"})

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    rows = [" ".join(line.split()[:2]) for line in lines if line.startswith(tuple(WORKLOADS))]
    assert rows == [f"idle_bytes_100000 {each}" for each in (OURS, "pykka", "asyncio")] + [f"churn_10m {OURS}"]
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in done.stdout
    assert "note: erl and erlc are not both installed" in done.stderr


def test_a_row_that_does_not_exist_is_refused_with_those_that_do() -> None:
    done = run("agent", "bench", "kernel", "--only", "fanout", cwd=Path("/"))

    assert (done.returncode, done.stdout) == (1, "")
    assert "no row fanout; the rows are request_reply, " in done.stderr


def test_the_median_counts_except_of_what_must_not_happen_at_all() -> None:
    runs: list[Figures] = [{"msg_per_s": 1, "lost": 0}, {"msg_per_s": 5, "lost": 2}, {"msg_per_s": 3, "lost": 0}]

    assert median(runs) == {"msg_per_s": 3, "lost": 2}


def test_a_ratio_says_how_many_times_better_ours_is_also_where_less_is_better() -> None:
    fan_out = compare_systems({OURS: {"msg_per_s": 800.0}, "pykka": {"msg_per_s": 5.0}}, WORKLOADS["fan_out_10000x100"])
    idle = compare_systems({OURS: {"bytes": 1000.0}, "erlang": {"bytes": 3000.0}}, WORKLOADS["idle_bytes_100000"])

    assert (fan_out["pykka"]["times"], idle["erlang"]["times"]) == (160.0, 3.0)
    assert "times" not in fan_out[OURS]


def test_each_target_is_missed_beyond_its_bound_and_only_a_message_that_went_wrong_is_unsound() -> None:
    good = {
        "fan_out_10000x100 erlang": {"times": 0.7},
        "fan_out_10000x100 pykka": {"times": 100.0},
        f"idle_bytes_100000 {OURS}": {"bytes": 1500.0},
        f"crash_storm {OURS}": {"lost": 0.0, "doubled": 0.0, "out_of_order": 0.0, "unburied": 0.0},
        "crash_storm pykka": {"lost": 8000.0},
        f"restart_latency {OURS}": {"p50_us": 50.0},
        f"churn_10m {OURS}": {"growth": 0.05},
    }
    assert all(verdict.met for verdict in KERNEL.verdicts(good, quick=False))
    failures = []
    for target in KERNEL.targets:
        row = target.row or ""
        bad = {**good, row: {**good[row], target.figure: target.bound + (-0.01 if target.at_least else 1)}}
        missed = [verdict.name for verdict in KERNEL.verdicts(bad, quick=False) if not verdict.met]
        is_speed_alone = KERNEL.is_sound(bad, quick=False) == target.is_speed
        if missed != [target.name] or not is_speed_alone:
            failures.append((target.name, missed))
    assert failures == []
