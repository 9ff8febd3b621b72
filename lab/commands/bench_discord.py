"""`agent bench discord`: how soon typing shows, and how late the loop is under load."""

from __future__ import annotations

import dataclasses
import json
import logging

import click

from actors.cli.common import json_option


@click.command()
@json_option
@click.option("--quick", is_flag=True, help="Few messages and windows: shows that it works, not how fast.")
def discord(as_json: bool, quick: bool) -> None:
    """From a message to the first typing call, and the lag of discord.py's loop while 200 windows write; a minute.

    The first goes through the whole agent in a process of its own, less what a bare client needs on the same loopback.
    The second has the Discord actor in a process of its own, and windows that answer at once.
    """
    logging.basicConfig(handlers=[logging.NullHandler()])
    from lab.bench.discord.figures import LAG_TARGET_MS, TYPING_TARGET_MS, measure

    figures = measure(5, 20, 1) if quick else measure()
    if as_json:
        click.echo(json.dumps({**dataclasses.asdict(figures), "is_reached": figures.is_reached}, indent=2))
        return
    typing, bare, lag, most = (
        figures.typing_ms,
        figures.loopback_ms,
        figures.loop_lag_ms,
        figures.loop_lag_at_most_ms,
    )
    click.echo(
        f"message to first typing call: p50 {typing.p50} ms, p95 {typing.p95} ms; bare client p95 {bare.p95} ms; "
        f"beyond it {figures.typing_beyond_ms} ms (target {TYPING_TARGET_MS:g})\n"
        f"loop lag while {figures.windows} windows write: p50 {lag.p50} ms, p99 {lag.p99} ms, most {lag.most} ms "
        f"(target p99 {LAG_TARGET_MS:g}); as fast as they can: p99 {most.p99} ms"
    )
