"""`agent usage`: usage of model calls, summed from the ledger."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from actors.cli.common import config_option, data_option, fail, json_option, load_settings
from domain.text.terminal_text import plain


@click.command()
@config_option
@data_option
@click.option(
    "--by", type=click.Choice(["day", "window", "model"]), default="day", show_default=True, help="Group of each sum."
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="First day (UTC) to count; else all days.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="First day (UTC) to leave out; else all days.")
@json_option
def usage(
    config_file: Path | None,
    data: Path | None,
    by: str,
    since: datetime | None,
    until: datetime | None,
    as_json: bool,
) -> None:
    """Print the usage of model calls, from the ledger; the agent need not run.

    Each attempt counts, failed and cancelled attempts included; `estimated` are tokens not counted by a provider.
    """
    from actors.ledger.file import FOLDER, Damage, entries
    from domain.policy.spending import By, sums

    settings, _ = load_settings(config_file, {"data_root": str(data.absolute())} if data else {})
    if since is not None and until is not None and since >= until:
        fail(f"--since {since:%Y-%m-%d} must be before --until {until:%Y-%m-%d}")
    damage = Damage()
    begin, end = (None if day is None else day.replace(tzinfo=UTC) for day in (since, until))
    try:
        (totals,) = sums(entries(settings.data_root / FOLDER, begin, end, damage), By(by))
    except OSError as error:
        fail(f"{settings.data_root / FOLDER}: {error.strerror}")
    if damage.lines:
        click.echo(f"{damage.lines} invalid lines are left out of the sums: {', '.join(damage.files)}", err=True)
    if as_json:
        click.echo(json.dumps({"by": by, "sums": {key: asdict(total) for key, total in totals.items()}}, indent=2))
        return
    rows = [(plain(key), total) for key, total in totals.items()]
    width = max([len(by), *(len(key) for key, _ in rows)])
    heads = ("calls", "failed", "cancelled", "read", "of them kept", "written", "estimated")
    click.echo("  ".join([f"{by:{width}}", *(f"{head:>12}" for head in heads), f"{'US dollars':>12}"]))
    for key, total in rows:
        counts = (
            total.calls,
            total.failed,
            total.cancelled,
            total.prompt_tokens,
            total.cached_tokens,
            total.completion_tokens,
            total.estimated_tokens,
        )
        click.echo("  ".join([f"{key:{width}}", *(f"{count:12,}" for count in counts), f"{total.cost_usd:12.6f}"]))
