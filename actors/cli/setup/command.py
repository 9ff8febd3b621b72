"""`agent setup`: its options; quick to import, for every `--help` does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from actors.cli.common import config_option, fail


def _option(*names: str, **traits: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """An option whose variable stands in the help."""
    return click.option(*names, show_envvar=True, **traits)


@click.command(context_settings={"auto_envvar_prefix": "AGENT_SETUP"})
@config_option
@click.option("--non-interactive", is_flag=True, help="Ask nobody: what options do not say must be known already.")
@_option("--token-file", type=click.Path(path_type=Path), help="Holds the bot's token; else $DISCORD_BOT_TOKEN.")
@_option("--channel", "channels", multiple=True, help="Name or id of a channel that it hears; repeatable.")
@_option("--user", "users", multiple=True, help="Name or id of somebody who may talk to it, or *; repeatable.")
@_option("--model", help="As litellm names it, or offline; its key is taken from the environment.")
@_option("--model-api-base", help="Address of a model's server of your own.")
@_option("--reminders", help="File of reminders, or - for none; a relative path counts from the data root.")
@_option("--service/--no-service", default=None, help="Whether to write a unit of systemd's for this user.")
@_option("--discord-api", help="Address of Discord's REST API, for one that is not Discord's.")
@_option("--discord-gateway", help="Address of its gateway, likewise.")
def setup(config_file: Path | None, non_interactive: bool, **options: object) -> None:
    """Set the bot up, from its token to settings with which `agent run` answers, each step checked as it is taken.

    It writes agent.toml, of which everything else is kept, and the secrets file, which only you can read; both at the
    end, so Ctrl-C changes nothing. It can be run again: Enter keeps what is there. No secret is an argument.

    What an option says may stand in its variable, several with spaces between. A unit is written, never started.
    """
    if not non_interactive and not sys.stdin.isatty():
        fail("there is no terminal to ask on: use --non-interactive, with options for what it would ask")
    from actors.cli.setup.wizard import run

    run(config_file, options, asks=not non_interactive)
