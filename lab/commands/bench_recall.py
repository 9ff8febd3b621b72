"""`agent bench recall`: how much of what answers a question gets in front of the model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line
from lab.commands.tables import print_tables

if TYPE_CHECKING:
    from rich.table import Table

    from lab.bench.recall.run import Results

HEADINGS = {
    "block": "in the block",
    "block_text": "its text",
    "recall_5": "recall@5",
    "recall_10": "recall@10",
    "mrr": "MRR",
}


@click.command()
@json_option
@click.option(
    "--data",
    type=click.Path(exists=True, path_type=Path),
    required=True,
    help="A folder of conversation files, or one: JSON with name, now, turns and questions.",
)
@click.option("--only", "names", multiple=True, metavar="NAME", help="Only NAME.json; repeatable.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first so many questions of each conversation.")
@click.option(
    "--facts",
    "observations",
    type=click.Path(exists=True, path_type=Path),
    help="LoCoMo's own files of the same conversations: evidence in the blocks of facts and workspaces, too.",
)
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where vectors are kept between runs; by default below $XDG_CACHE_HOME or ~/.cache.",
)
def recall(
    as_json: bool,
    data: Path,
    names: tuple[str, ...],
    limit: int | None,
    observations: Path | None,
    cache: Path | None,
) -> None:
    """Measure how much of the evidence for a question stands in the block that is injected for it.

    Every search that the agent offers, each followed by the ranking formula, beside BM25 and cosine in their own order.
    The local model embeds; the first run takes minutes, later ones find the vectors kept. Unanswerable questions, and
    those whose evidence is doubted, are left out. With --facts: the same in the blocks of the layers facts and
    workspace, whose files are as a good model could have written them.
    """
    from actors.embedder.local import LocalModel
    from lab.bench.recall import facts, workspace
    from lab.bench.recall.data import files, read
    from lab.bench.recall.observations import read as read_observations
    from lab.bench.recall.run import as_document, run
    from lab.bench.recall.vectors import KeptVectors

    try:
        conversations = [read(file, limit) for file in files(data, names)]
        vectors = KeptVectors(LocalModel.load(), cache or default_cache())
        with progress_line() as say:
            results = run(conversations, vectors, say)
            layers: dict[str, dict[str, float]] = {}
            if observations is not None:
                told = read_observations(observations)
                layers["facts"] = facts.evidence(conversations, told, vectors, say)
                layers["workspace"] = workspace.evidence(conversations, told, vectors, say)
    except (ValueError, OSError) as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps({**as_document(results), "layers": layers}, indent=2))
    else:
        _print(results)
        for layer, figures in layers.items():
            print_tables(f"layer {layer}", *(f"  {name}: {value:,.3f}" for name, value in figures.items()))


def default_cache() -> Path:
    """Folder of vectors kept between runs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "remembrancer" / "bench"


def _print(results: Results) -> None:
    from lab.bench.recall.run import BUDGET, TARGET

    figures = {name: asdict(recall) for name, recall in results.rankers.items()}
    print_tables(
        f"{results.questions} questions of {len(results.by_conversation)} conversations ({results.left_out} left out), "
        f"{results.model}, block of {BUDGET.total_tokens:,} tokens; means over questions",
        _table("", figures),
        _table("in the block, by category", _turned(results.by_category)),
        _table("in the block, by conversation", _turned(results.by_conversation)),
        f"hybrid, evidence in the block: {results.rankers['hybrid'].block:.3f}; wanted: {TARGET}",
    )


def _turned(rows: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The same with rows as columns."""
    return {name: {heading: row[name] for heading, row in rows.items()} for name in next(iter(rows.values()))}


def _table(title: str, rows: Mapping[str, Mapping[str, float]]) -> Table:
    """A row for each search."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("search")
    for heading in next(iter(rows.values())):
        table.add_column(HEADINGS.get(heading, heading), justify="right")
    for name, row in rows.items():
        table.add_row(name, *(f"{value:.3f}" for value in row.values()))
    return table
