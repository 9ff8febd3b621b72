"""`agent bench crashes`: what the whole agent feels of one actor's crash."""

from __future__ import annotations

import json
import logging
import tempfile
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line

if TYPE_CHECKING:
    from actors.bootstrap import Agent
    from lab.bench.crashes.run import Outcome
    from lab.playground.server import PlaygroundServer


@click.command()
@json_option
@click.option("--only", "kinds", multiple=True, metavar="KIND", help="Crash only this kind of actor; repeatable.")
def crashes(as_json: bool, kinds: tuple[str, ...]) -> None:
    """Crash each kind of actor at each type of message it understands; a few minutes.

    The whole agent answers in a loopback Discord meanwhile. For each crash: the time until the next life has the
    message in hand, and whether the person who asked got an answer or a notice; for each kind, the p99 of all other
    actors' answers beside what it is during the same work without crashes. Exit code 1 when a restart took more than
    1 s, a question got no answer, others' p99 is more than twice as long beside any kind, or the agent gave up.
    """
    from lab.bench.crashes.run import run
    from lab.playground.server import PlaygroundServer

    logging.getLogger("actors").addHandler(logging.NullHandler())
    logging.getLogger("actors").propagate = False
    with tempfile.TemporaryDirectory(prefix="agent-crashes-") as folder, PlaygroundServer() as server:
        online = threading.Event()
        agent = _agent(server, Path(folder), online)
        try:
            with progress_line() as say:
                outcome = run(agent, server, online, say, kinds)
        except RuntimeError as error:
            fail(str(error))
    if as_json:
        click.echo(json.dumps(_document(outcome), indent=2))
    else:
        _print(outcome)
    if not outcome.is_sound:
        fail("not every crash was as it must be")


def _agent(server: PlaygroundServer, folder: Path, online: threading.Event) -> Agent:
    """An agent with the offline model and settings of its own, at rest."""
    from actors.bootstrap import Agent
    from actors.cli.try_it import playground_connection
    from actors.settings.load import load

    given = {"data_root": str(folder / "data"), "discord": {"turns_per_user": 10_000}}
    settings = load(environ={}, folder=folder, given=given)
    return Agent(settings, {}, playground_connection(server), lambda _name: online.set())


def _document(outcome: Outcome) -> dict[str, object]:
    """As JSON says it."""
    return {
        **asdict(outcome),
        "ratio": outcome.ratio,
        "longest_restart_s": outcome.longest_restart_s,
        "is_sound": outcome.is_sound,
    }


def _print(outcome: Outcome) -> None:
    by_kind: dict[str, list[float]] = {}
    for case in outcome.cases:
        by_kind.setdefault(case.kind, []).append(case.restart_s if case.restart_s is not None else float("inf"))
    for kind, times in by_kind.items():
        click.echo(f"{kind:10} {len(times):3} crashes, longest restart {max(times):5.2f} s{_felt(outcome, kind)}")
    for case in outcome.failed:
        click.echo(f"failed: {case}")
    for reason in outcome.left_out:
        click.echo(f"left out: {reason}")
    if outcome.escalation:
        click.echo(f"the agent gave up: {outcome.escalation}")
    answered = sum(case.is_answered for case in outcome.cases)
    click.echo(
        f"{len(outcome.cases)} crashes: {answered} questions answered, longest restart "
        f"{outcome.longest_restart_s:.2f} s; others' p99 at most {outcome.ratio:.2f} times what it is without"
    )


def _felt(outcome: Outcome, kind: str) -> str:
    if not (felt := outcome.felt.get(kind)):
        return ""
    return (
        f"; others' p99 {felt.beside_p99_ms:6.2f} ms beside {felt.quiet_p99_ms:6.2f} ms without: "
        f"{felt.ratio:.2f} times, {felt.probes} probes"
    )
