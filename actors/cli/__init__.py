"""The command line: argv -> Settings -> run. Importing this imports nothing heavy, so that `--help` is quick."""

from __future__ import annotations

import click

from actors.cli.bench import bench
from actors.cli.configuration import config
from actors.cli.examine import doctor
from actors.cli.load import agent_load
from actors.cli.log_commands import logs
from actors.cli.one_turn import agent_cli
from actors.cli.running import run
from actors.cli.trying import try_it

__all__ = ["agent", "agent_cli", "agent_load"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option("0.1.0", prog_name="remembrancer")
def agent() -> None:
    """Remembrancer: an agent that lives in Discord and keeps every word in plain logs.

    Start with `agent try`: it needs no account and no key.
    """


for command in (try_it, run, doctor, config, logs, bench):
    agent.add_command(command)
