from __future__ import annotations

import dataclasses
from pathlib import Path

from lab.load.comparison import Comparison, compare, comparison_lines, report_lines, sizes_lines
from lab.load.plan import Plan, Progress
from lab.load.report import AGENT, FLOOR, HarnessProcess, Overhead, Report, Verdict
from tests.lab.load.test_report import GOOD

FLOORS = dataclasses.replace(
    GOOD,
    subject=FLOOR,
    cpu_ms_per_turn=7.0,
    turns_per_s=5.0,
    overhead_ms=Overhead(p50=2.0, p95=1.0, p99=None),
    peak_rss_mb=100.0,
    lost=3,
)
PLAN = Plan(threads=2, turns=3, model_latency_s=0.5, seed="s", timeout_s=1.0)


def test_each_subject_has_the_medians_of_its_runs_and_the_ratio_is_the_agents_to_the_floors() -> None:
    slow, slowest = (
        dataclasses.replace(GOOD, cpu_ms_per_turn=ms, vectors_cpu_ms_per_turn=ms / 2) for ms in (20.0, 90.0)
    )
    comparison = Comparison(runs=(slowest, FLOORS, GOOD, slow))

    agent, ratio = comparison.row(AGENT), comparison.ratio

    assert agent is not None
    assert (agent["cpu_ms_per_turn"], agent["turns_per_s"], agent["peak_rss_mb"]) == (20.0, 2.5, 200.0)
    assert agent["cpu_ms_without_vectors"] == 14.0
    assert ratio == {
        "cpu_ms_per_turn": 2.86,
        "cpu_ms_without_vectors": 2.0,
        "turns_per_s": 0.5,
        "overhead_ms.p50": 0.5,
        "overhead_ms.p95": 2.0,
        "overhead_ms.p99": None,
        "peak_rss_mb": 2.0,
    }


def test_without_the_floor_there_is_no_ratio() -> None:
    comparison = Comparison(runs=(GOOD,))

    assert comparison.row(FLOOR) is None
    assert comparison.ratio is None


def test_what_the_floor_loses_fails_nobody() -> None:
    assert Comparison(runs=(GOOD, FLOORS)).failures() == ()
    assert Comparison(runs=(dataclasses.replace(GOOD, lost=1), FLOORS)).failures() == ("1 of 6 messages were lost",)


def test_its_json_names_sizes_both_subjects_and_every_run() -> None:
    document = Comparison(runs=(GOOD, FLOORS)).as_dict()

    assert list(document) == [
        *("profile", "threads", "turns", "model_latency_ms", "agent", "floor", "ratio", "bounded_by", "runs")
    ]
    assert document["floor"] == {
        "cpu_ms_per_turn": 7.0,
        "cpu_ms_without_vectors": 7.0,
        "turns_per_s": 5.0,
        "overhead_ms": {"p50": 2.0, "p95": 1.0, "p99": None},
        "peak_rss_mb": 100.0,
    }
    assert document["bounded_by"] == {"agent": "unknown", "floor": "unknown"}
    assert isinstance(document["runs"], list)
    assert len(document["runs"]) == 2


def test_subjects_take_turns_and_the_order_is_turned_round() -> None:
    driven: list[Plan] = []

    def run(plan: Plan, on_progress: object) -> Report:
        driven.append(plan)
        assert callable(on_progress)
        on_progress(Progress(stage="starting"))
        return dataclasses.replace(GOOD, subject=plan.subject)

    stages: list[str] = []

    plan = dataclasses.replace(PLAN, keep_in=Path("kept"))
    comparison = compare(plan, (AGENT, FLOOR), 2, lambda progress: stages.append(progress.stage), run)

    assert [plan.subject for plan in driven] == [AGENT, FLOOR, FLOOR, AGENT]
    assert [plan.seed for plan in driven] == ["s/0", "s/0", "s/1", "s/1"]
    assert [str(plan.keep_in) for plan in driven] == ["kept/1-agent", "kept/1-floor", "kept/2-floor", "kept/2-agent"]
    assert len(comparison.runs) == 4
    assert stages[:2] == ["agent, round 1 of 2: starting", "floor, round 1 of 2: starting"]


def test_a_single_run_has_the_seed_and_the_folder_that_were_given() -> None:
    driven: list[Plan] = []

    def run(plan: Plan, _: object) -> Report:
        driven.append(plan)
        return GOOD

    compare(PLAN, (AGENT,), 1, lambda _: None, run)

    assert driven == [PLAN]


def test_a_run_is_printed_with_its_verdict_and_what_the_harness_took() -> None:
    harness = HarnessProcess(name="discord", cpu_ms_per_turn=1.5, mean_share=0.1, busiest_share=0.25)
    verdicts = (Verdict(name="slope", value=2.5, wanted="<= 2", holds=False),)
    report = dataclasses.replace(GOOD, harness=(harness,), verdicts=verdicts, bounded_by="machine", hosts=2)

    text = "\n".join(report_lines(report))

    assert "agent on 2 hosts, burst: 2 threads x 3 turns" in text
    assert "sent 6, replied 6, lost 0, doubled 0, cross-talk 0, restarts 0" in text
    assert "bounded by: machine" in text
    assert "discord 1.5 ms a turn, 10% of a core, at most 25%" in text
    assert "FAIL slope: 2.5 (wanted <= 2)" in text


def test_a_comparison_is_a_table_of_both_and_their_ratio() -> None:
    lines = list(comparison_lines(Comparison(runs=(GOOD, FLOORS))))

    assert lines[1].split() == [
        "CPU",
        "ms/turn",
        "less",
        "vectors",
        "turns/s",
        "p50",
        "ms",
        "p95",
        "ms",
        "p99",
        "ms",
        "peak",
        "MiB",
    ]
    assert lines[2].split() == ["agent", "14", "14", "2.5", "1", "2", "3", "200"]
    assert lines[3].split() == ["floor", "7", "7", "5", "2", "1", "-", "100"]
    assert lines[4].split() == ["ratio", "2", "2", "0.5", "0.5", "2", "-", "2"]
    assert any(line.startswith("floor: replied 6 of 6, lost 3") for line in lines)


def test_several_sizes_are_printed_one_below_the_other() -> None:
    lines = list(sizes_lines([Comparison(runs=(GOOD,)), Comparison(runs=(FLOORS,))]))

    assert lines.count("") == 1
    assert sum(line.startswith("burst: 2 threads") for line in lines) == 2
