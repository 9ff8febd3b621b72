"""`agent bench memory`: the nearest rows, how fast, how large and how right, beside what others do."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line
from lab.commands.tables import print_tables

if TYPE_CHECKING:
    from rich.table import Table

    from lab.bench.memory.run import Results


@click.command()
@json_option
@click.option("--rows", type=click.IntRange(min=100, max=10_000_000), default=100_000, show_default=True)
@click.option("--queries", type=click.IntRange(min=1, max=100_000), default=1_000, show_default=True)
@click.option("--with-chromadb", is_flag=True, help="chromadb too; it is installed into a folder below --data.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the set is kept between runs (10 KB a row); by default below $XDG_CACHE_HOME or ~/.cache.",
)
def memory(as_json: bool, rows: int, queries: int, with_chromadb: bool, data: Path | None) -> None:
    """The memory's nearest 50 of ROWS vectors of 768 dimensions, beside sqlite-vec's.

    Synthetic turns with the structure of real ones (what was measured and is imitated stands in
    lab/bench/memory/data.py). All systems one after another, each in a process of its own with one thread; peers are
    asked 50 questions at most. The first run makes the set: about a minute per 100,000 rows. Files are in the system's
    cache when they are read. Exit code 1 when a list of ours is not exactly the one that brute force gives.
    """
    from lab.bench.memory.run import as_document, run
    from lab.bench.process import MeasurementError

    try:
        with progress_line() as say:
            results = run((data or _default_data()).absolute(), rows, queries, say, with_chromadb=with_chromadb)
    except (MeasurementError, OSError) as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps(as_document(results), indent=2))
    else:
        _print(results)
    if not results.is_exact:
        fail("a list is not the one that brute force gives")


def _default_data() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "remembrancer" / "bench"


def _print(results: Results) -> None:
    figures = (f"{name.replace('_', ' ')}: {value:,.1f}" for name, value in results.figures.items())
    print_tables(_table(results), *figures)


def _table(results: Results) -> Table:
    from rich.table import Table

    table = Table(title=f"the 50 nearest of {results.rows:,}", title_justify="left")
    for heading in ("", "ms p50", "ms p95", "resident MB", "of the exact list", "identical lists"):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, row in results.systems.items():
        figures = (
            f"{row['p50_ms']:.1f}",
            f"{row['p95_ms']:.1f}",
            f"{row['resident_mb']:.0f}",
            f"{row['agreement']:.3f}",
        )
        table.add_row(name, *figures, f"{row['identical']:,.0f} of {row['queries']:,.0f}")
    return table
