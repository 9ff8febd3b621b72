"""`agent setup`: its options; quick to import, for every `--help` imports this module."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from actors.cli.common import config_option, fail


def _option(*names: str, **traits: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """An option whose variable is named in the help."""
    return click.option(*names, show_envvar=True, **traits)


@click.command(context_settings={"auto_envvar_prefix": "AGENT_SETUP"})
@config_option
@click.option(
    "--non-interactive", is_flag=True, help="Ask no questions: values without an option must be known already."
)
@_option("--token-file", type=click.Path(path_type=Path), help="File with the bot's token; else $DISCORD_BOT_TOKEN.")
@_option("--channel", "channels", multiple=True, help="Name or id of a channel that the bot hears; repeatable.")
@_option("--user", "users", multiple=True, help="Name or id of a person who may talk to the bot, or *; repeatable.")
@_option("--model", help="Model, as litellm names it, or offline; its key is taken from the environment.")
@_option("--model-api-base", help="Address of your own model server.")
@_option("--reminders", help="File of reminders, or - for none; a relative path counts from the data root.")
@_option("--service/--no-service", default=None, help="Write a systemd unit for this user, or none.")
@_option("--discord-api", help="Address of a REST API other than Discord's.")
@_option("--discord-gateway", help="Address of a gateway other than Discord's.")
def setup(config_file: Path | None, non_interactive: bool, **options: object) -> None:
    """Set up the bot, from its token to settings with which `agent run` answers; each step is checked.

    The command writes agent.toml, whose other content is kept, and the secrets file, which only you can read. Both are
    written at the end, so Ctrl-C changes nothing. You can run it again: Enter keeps the present value. No secret is an
    argument.

    An option's value may stand in its variable, several values with spaces between. A unit is written, never started.
    """
    if not non_interactive and not sys.stdin.isatty():
        fail("there is no terminal for questions: use --non-interactive, with options as the answers")
    from actors.cli.setup.wizard import run

    run(config_file, options, asks=not non_interactive)
