from __future__ import annotations

import dataclasses

import msgspec
import pytest

from lab.load.report import Overhead, Report, Verdict, overhead

GOOD = Report(
    threads=2,
    turns=3,
    sent=6,
    replied=6,
    lost=0,
    doubled=0,
    cross_talk=0,
    turns_per_s=2.5,
    overhead_ms=Overhead(p50=1.0, p95=2.0, p99=3.0),
    peak_rss_mb=200.0,
    restarts=0,
    model_latency_ms=500.0,
    seconds=2.4,
    cpu_ms_per_turn=14.0,
    tool_cpu_ms_per_turn=2.0,
    agent_errors=0,
    agent_warnings=0,
    agent_exit_code=0,
    unexpected=0,
    disordered=0,
    logs=3,
    broken_logs=0,
    timed_out=False,
    details=(),
    seed="s",
    machine="m",
)
CONTRACT = [
    "threads",
    "turns",
    "sent",
    "replied",
    "lost",
    "doubled",
    "cross_talk",
    "turns_per_s",
    "overhead_ms",
    "peak_rss_mb",
    "restarts",
]


def test_the_report_begins_with_what_scripts_rely_on() -> None:
    assert list(GOOD.as_dict())[: len(CONTRACT)] == CONTRACT
    assert GOOD.as_dict()["overhead_ms"] == {"p50": 1.0, "p95": 2.0, "p99": 3.0}


def test_a_run_in_which_all_went_well_is_no_failure() -> None:
    assert GOOD.failures() == ()
    verdict = Verdict(name="slope", value=1.0, wanted="<= 2", holds=True)
    assert dataclasses.replace(GOOD, verdicts=(verdict,)).failures() == ()


def test_anything_that_went_wrong_is_a_failure_with_one_reason(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, object]] = [
        {"lost": 1},
        {"doubled": 1},
        {"cross_talk": 1},
        {"unexpected": 1},
        {"disordered": 1},
        {"agent_errors": 1},
        {"restarts": 1},
        {"broken_logs": 1},
        {"timed_out": True},
        {"agent_exit_code": 1},
        {"agent_exit_code": None},
        {"verdicts": ({"name": "slope", "value": 3.0, "wanted": "<= 2", "holds": False},)},
    ]
    for wrong in cases:
        with subtests.test(wrong=wrong):
            report = msgspec.convert(GOOD.as_dict() | wrong, Report)

            assert len(report.failures()) == 1


def test_overhead_is_what_replies_took_beyond_the_models_own_time() -> None:
    times_s = [0.5 + number / 1000 for number in range(1, 101)]

    assert overhead(times_s, 0.5) == Overhead(p50=50.0, p95=95.0, p99=99.0)


def test_overhead_of_a_single_reply_is_that_one_and_of_none_is_unknown() -> None:
    assert overhead([0.75], 0.5) == Overhead(p50=250.0, p95=250.0, p99=250.0)
    assert overhead([], 0.5) == Overhead(p50=None, p95=None, p99=None)
