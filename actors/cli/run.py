"""`agent run`: the bot in real Discord."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import (
    config_option,
    fail,
    load_settings,
    raise_file_limit,
    sandbox_note,
    set_up_logging,
    verbose_option,
)

if TYPE_CHECKING:
    from actors.bootstrap import Agent, DiscordConnection
    from actors.settings.schema import Settings
    from actors.settings.secret import Secrets


@click.command()
@config_option
@verbose_option
def run(config_file: Path | None, verbose: bool) -> None:
    """Run the bot until SIGTERM or Ctrl-C; docs/operations.md says how to set it up."""
    from actors.bootstrap import Agent
    from actors.context.data_root import DataRootError
    from actors.specs import UnusableError

    set_up_logging(verbose=verbose)
    settings, secrets = load_settings(config_file)
    place = discord_place(settings, secrets)
    raise_file_limit()
    agent = Agent(settings, secrets.environment(), place, lambda name: click.echo(f"online as {name}", err=True))
    end_on_signals(agent)
    if settings.model.name == "offline":
        click.echo("note: model.name is offline: a rule-based responder answers, no language model", err=True)
    click.echo(sandbox_note(settings), err=True)
    try:
        agent.start()
    except (DataRootError, UnusableError) as error:
        fail(str(error))
    agent.wait()
    agent.stop()
    if agent.exit_code:
        fail(agent.reason, agent.exit_code)
    sys.exit(0)


def discord_place(settings: Settings, secrets: Secrets) -> DiscordConnection:
    """Where and as whom the bot goes online; ends the command when something for that is missing."""
    from actors.bootstrap import DiscordConnection

    missing = []
    token = secrets.discord_token
    if not token:
        missing.append("no token: put DISCORD_BOT_TOKEN=… into secrets.env (mode 0600) or the environment")
    if not settings.discord.channels:
        missing.append("discord.channels is empty: name the channel that the bot lives in")
    if not settings.discord.allowed_users and not settings.discord.allowed_roles:
        missing.append("discord.allowed_users and allowed_roles are empty: nobody would be heard")
    if missing or not token:
        fail("\n".join(missing))
    return DiscordConnection(
        token=token,
        api_base=settings.discord.api_base,
        gateway_url=settings.discord.gateway_url,
        channels=frozenset(settings.discord.channels),
        allowed_users=frozenset(settings.discord.allowed_users),
        allowed_roles=frozenset(settings.discord.allowed_roles),
    )


def end_on_signals(agent: Agent) -> None:
    """Let SIGTERM and Ctrl-C end the agent in good order, a second one at once; SIGUSR2 prints what it is doing."""
    from actors.kernel import install_dump

    install_dump(agent.system)

    def on_signal(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        agent.end()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
