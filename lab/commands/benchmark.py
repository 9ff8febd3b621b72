"""Course of a benchmark's command: progress, figures as tables or JSON, and the exit code."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from actors.cli.common import fail
from actors.cli.terminal.progress import progress_line
from lab.commands.tables import print_tables

if TYPE_CHECKING:
    from lab.bench.benchmark import Benchmark

quick_option = click.option("--quick", is_flag=True, help="Small sizes: shows that it works, not how much or how fast.")


def conduct(benchmark: Benchmark, *, as_json: bool, quick: bool = False, **options: Any) -> None:
    """Measure, print, and end the command with exit code 1 if a target is missed or there are no figures."""
    from lab.bench.machine import machine, machine_line
    from lab.bench.process import MeasurementError

    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that what was started is ended
    facts = machine()
    try:
        with progress_line() as say:
            rows = benchmark.measure(say, quick=quick, **options)
    except (MeasurementError, OSError, ValueError) as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps(benchmark.document(rows, facts, quick=quick), indent=2))
    else:
        print_tables(machine_line(facts), *benchmark.tables(rows, quick=quick))
    if not benchmark.is_sound(rows, quick=quick):
        fail("a promise is not kept, or a target is missed")
