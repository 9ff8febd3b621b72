"""Course of every benchmark's command: what is printed, and how it ends."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner, Result

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.process import MeasurementError
from lab.commands.benchmark import conduct


def benchmark(lost: float) -> Benchmark:
    def measure(say: object, *, quick: bool, size: float) -> Rows:
        assert callable(say)
        assert not quick
        return {"ours": {"lost": lost, "size": size}}

    columns = (Column("size", "size"),)
    return Benchmark(name="any", measure=measure, targets=(Target("lost", "lost", 0),), columns=columns)


def conducted(made: Benchmark, *, as_json: bool) -> Result:
    @click.command()
    def command() -> None:
        conduct(made, as_json=as_json, size=7)

    return CliRunner().invoke(command)


@pytest.mark.parametrize(("lost", "code"), [(0, 0), (1, 1)])
def test_a_missed_target_is_the_commands_exit_code(lost: float, code: int) -> None:
    told, document = (conducted(benchmark(lost), as_json=as_json) for as_json in (False, True))

    assert (told.exit_code, document.exit_code) == (code, code)
    assert ("NO" in told.stdout) == (code == 1)
    assert ("error: a promise is not kept, or a target is missed" in told.stderr) == (code == 1)
    assert json.loads(document.stdout)["figures"] == {"ours": {"lost": lost, "size": 7}}


@pytest.mark.parametrize("kind", [MeasurementError, OSError, ValueError])
def test_a_measurement_that_failed_is_an_error_in_one_line(kind: type[Exception]) -> None:
    def measure(*_: object, **_options: object) -> Rows:
        raise kind("no such model")

    done = conducted(Benchmark(name="any", measure=measure, targets=(), columns=()), as_json=False)

    assert (done.exit_code, done.stderr) == (1, "error: no such model\n")
