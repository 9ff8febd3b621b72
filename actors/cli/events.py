"""`agent events`: live activity of the running agent's windows, as lines of JSON."""

from __future__ import annotations

from pathlib import Path

import click

from actors.cli.common import config_option, fail, load_settings, playground_hint

WAIT_S = 20
"""Seconds of a single question; a killed agent may go unnoticed for this time."""


@click.command()
@config_option
@click.option("--data", type=click.Path(path_type=Path), help="Data root, if not the configured one.")
def events(config_file: Path | None, data: Path | None) -> None:
    """Print the running agent's events, each a line of JSON, until Ctrl-C.

    Turns that began earlier are left out. Events hold all people's words, as the logs do.
    """
    from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
    from domain.turn.run_line import WholeRuns

    settings, _ = load_settings(config_file, {"data_root": str(data.absolute())} if data else {})
    last: int | None = None
    runs = WholeRuns()
    try:
        while True:
            wait_s = 0 if last is None else WAIT_S
            answer = ask_operator(settings.data_root, "events.read", after=last, wait_s=wait_s)
            last = answer["last"]
            if answer["missed"]:
                click.echo(f"note: at least {answer['missed']} events came faster than they were read", err=True)
            for line in answer["events"]:
                if runs.shows(line):
                    click.echo(line)
    except AgentNotRunningError as error:
        fail(f"{error}{playground_hint(settings.data_root, lambda root: (root / 'agent.sock').exists())}")
    except RefusalError as error:
        fail(str(error))
    except KeyboardInterrupt:
        return
