"""Command of every benchmark: output, exit code, small sizes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.objects.run import OBJECTS
from lab.bench.process import MeasurementError
from lab.bench.workspace.run import WORKSPACE
from lab.commands import agent
from lab.commands.bench import BENCHES, conduct
from lab.commands.benchmarks import benchmark_of
from tests.actors.cli.command import digest, run


def _measure(_say: object, *, lost: float, size: float) -> Rows:
    return {"ours": {"lost": lost, "size": size}}


def _fail(_say: object, *, kind: type[Exception]) -> Rows:
    raise kind("no such model")


COUNTING = Benchmark(
    name="any",
    measure=_measure,
    targets=(Target("lost", "lost", 0),),
    columns=(Column("size", "size"),),
    missing=lambda: ["no Erlang here"],
)
FAILING = Benchmark(name="any", measure=_fail, targets=(), columns=())


def run_command(benchmark: Benchmark, **options: Any) -> Result:
    return CliRunner().invoke(click.Command("any", callback=partial(conduct, lambda: benchmark, **options)))


@pytest.mark.parametrize(("lost", "code"), [(0, 0), (1, 1)])
def test_a_missed_target_is_the_commands_exit_code_and_what_is_missing_is_told(lost: float, code: int) -> None:
    printed, document = (run_command(COUNTING, as_json=as_json, lost=lost, size=7) for as_json in (False, True))

    assert (printed.exit_code, document.exit_code) == (code, code)
    assert ("NO" in printed.stdout) == (code == 1)
    assert ("error: a promise is not kept, or a target is missed" in printed.stderr) == (code == 1)
    assert "note: no Erlang here" in printed.stderr
    assert json.loads(document.stdout)["figures"] == {"ours": {"lost": lost, "size": 7}}


def test_a_measurement_that_failed_is_an_error_in_one_line() -> None:
    for kind in (MeasurementError, OSError, ValueError):
        done = run_command(FAILING, as_json=False, kind=kind)

        assert (done.exit_code, done.stderr) == (1, "error: no such model\n"), kind


def test_every_row_has_its_benchmark() -> None:
    assert [benchmark_of(name).name for name in BENCHES] == [*BENCHES]


@pytest.mark.parametrize("benchmark", [OBJECTS, WORKSPACE], ids=lambda each: each.name)
def test_small_sizes_show_that_it_works_and_leave_nothing_behind(tmp_path: Path, benchmark: Benchmark) -> None:
    done = run("agent", "bench", benchmark.name, "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["quick"]
    assert document["machine"]["cores"] >= 1
    assert document["figures"].keys() >= {target.row for target in benchmark.targets}
    assert all(target["met"] for target in document["targets"])
    assert digest(tmp_path) == {}


@pytest.mark.slow
def test_small_sizes_of_the_gateway_show_that_it_works(tmp_path: Path) -> None:
    done = run("agent", "bench", "facts", "--quick", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)["figures"]["remembrancer"]
    assert (figures["start_texts"], figures["crowd_unasked"]) == (0, 0)
    assert all(figures[name] > 0 for name in ("crowd_per_s", "quiet_cpu_ms", "rss_mb", "start_answered_s"))
    assert digest(tmp_path) == {}


def test_a_peer_that_is_not_there_is_refused() -> None:
    assert CliRunner().invoke(agent, ["bench", "facts", "--peer", "/no/such/agent-cli"]).exit_code == 2
