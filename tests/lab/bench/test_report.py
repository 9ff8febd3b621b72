from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from rich.console import Console

from lab.bench.campaign import Machine, Results, chosen, is_sound, median
from lab.bench.kernel.workload import OURS, WORKLOADS
from lab.bench.measure import Figures, Finish, percentile
from lab.bench.report import TARGETS, as_document, ratios, verdicts
from lab.bench.table import renderables

MACHINE = Machine(
    cpu="A processor",
    cores=2,
    system="Linux",
    python="3.11.7",
    erlang="25",
    at=datetime(2026, 1, 30, 14, 23, tzinfo=UTC),
    load_before=0.1,
    load_after=2.3,
)
FAN_OUT: dict[str, Figures] = {
    OURS: {"msg_per_s": 800_000.0, "cpu_us": 1.25},
    "pykka": {"msg_per_s": 5_000.0, "cpu_us": 800.0},
    "erlang": {"msg_per_s": 1_000_000.0, "cpu_us": 2.0},
}
STORM: Figures = {"msg_per_s": 1e5, "lost": 0, "doubled": 0, "out_of_order": 0, "poison": 199, "poison_buried": 199}


def results(**workloads: dict[str, Figures]) -> Results:
    return Results(workloads, dict.fromkeys(workloads, 3), MACHINE, quick=False)


def test_the_median_counts_except_of_what_must_not_happen_at_all() -> None:
    runs: list[Figures] = [{"msg_per_s": 1, "lost": 0}, {"msg_per_s": 5, "lost": 2}, {"msg_per_s": 3, "lost": 0}]

    assert median(runs) == {"msg_per_s": 3, "lost": 2}


def test_every_row_is_chosen_but_those_on_request_and_those_only_by_name() -> None:
    assert [row.name for row in WORKLOADS if row not in chosen(())] == ["churn_10m"]
    assert [row.name for row in chosen(("churn_10m", "fairness"))] == ["fairness", "churn_10m"]


def test_a_ratio_says_how_many_times_better_ours_is_also_where_less_is_better() -> None:
    idle: dict[str, Figures] = {OURS: {"bytes": 1000.0}, "erlang": {"bytes": 3000.0}}

    assert ratios(results(fan_out_10000x100=FAN_OUT, idle_bytes_100000=idle)) == {
        "fan_out_10000x100": {"pykka": 160.0, "erlang": 0.8},
        "idle_bytes_100000": {"erlang": 3.0},
    }


def test_every_target_names_a_row_that_exists() -> None:
    assert {target.workload for target in TARGETS} <= {row.name for row in WORKLOADS}


@pytest.mark.parametrize(("ours", "met"), [(700_000.0, True), (699_999.0, False)])
def test_a_target_is_met_at_its_bound_and_not_beyond(ours: float, met: bool) -> None:
    rows = {**FAN_OUT, OURS: {"msg_per_s": ours, "cpu_us": 1.0}}
    by_erlang, by_pykka = verdicts(results(fan_out_10000x100=rows))

    assert by_erlang.met is met
    assert by_erlang.target == ">= 0.7"
    assert by_pykka.met is True


def test_a_target_whose_peer_is_not_installed_was_not_measured() -> None:
    rows = {name: figures for name, figures in FAN_OUT.items() if name != "erlang"}
    verdict = verdicts(results(fan_out_10000x100=rows))[0]

    assert (verdict.value, verdict.met) == (None, None)


def test_a_storm_with_one_poison_message_unaccounted_for_misses_its_target() -> None:
    met = {v.name: v.met for v in verdicts(results(crash_storm={OURS: {**STORM, "poison_buried": 198}}))}

    assert met["crash storm: poison not in dead letters"] is False
    assert met["crash storm: lost"] is True


@pytest.mark.parametrize("figure", ["lost", "doubled", "out_of_order"])
def test_a_run_in_which_a_message_went_wrong_is_not_sound(figure: str) -> None:
    assert is_sound(results(crash_storm={OURS: STORM}))
    assert not is_sound(results(crash_storm={OURS: {**STORM, figure: 1}}))


def test_what_a_peer_loses_does_not_count_against_us() -> None:
    assert is_sound(results(crash_storm={OURS: STORM, "pykka": {**STORM, "lost": 8000}}))


def test_the_document_is_json_with_workloads_ratios_targets_and_machine() -> None:
    document = json.loads(json.dumps(as_document(results(fan_out_10000x100=FAN_OUT))))

    assert document["workloads"]["fan_out_10000x100"][OURS]["msg_per_s"] == 800_000
    assert document["targets"][0] == {
        "name": "fan-out rate, share of gen_server's",
        "workload": "fan_out_10000x100",
        "value": 0.8,
        "target": ">= 0.7",
        "met": True,
    }
    assert document["machine"]["at"] == "2026-01-30T14:23:00+00:00"


def test_the_table_has_every_system_every_target_and_at_most_a_hundred_columns() -> None:
    console = Console(width=100, record=True, file=io.StringIO(), highlight=False)
    for part in renderables(results(fan_out_10000x100=FAN_OUT, crash_storm={OURS: STORM})):
        console.print(part)
    text = console.export_text()

    assert "A processor, 2 cores, Python 3.11.7, Erlang/OTP 25, 2026-01-30 14:23 UTC" in text
    assert "160 x" in text
    assert "800,000 msg/s" in text
    assert text.count(" yes") == 5
    assert max(map(len, text.splitlines())) <= 100


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile([5, 1, 4, 2, 3], 0.5) == 3
    assert percentile([5, 1, 4, 2, 3], 0.99) == 5
    assert percentile([7], 0.0) == 7


def test_a_finish_comes_with_the_last_party_and_not_before() -> None:
    over: list[str] = []
    finish = Finish(3, lambda: over.append("over"))
    finish.come()
    finish.come()
    assert over == []
    finish.come()
    finish.come()

    assert over == ["over"]
