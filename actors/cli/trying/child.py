"""Program of the bot of `agent try`: the agent, told by one line on stdin where to go, ending when stdin ends."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actors.cli.common import fail, load_settings, note, raise_file_limit, set_up_logging, shape_log
from actors.cli.run import end_on_signals
from actors.cli.terminal import ShownCommand

if TYPE_CHECKING:
    from actors.bootstrap import Agent
    from actors.part import DiscordConnection
    from actors.settings.schema import Settings


@click.command(cls=ShownCommand)
def child() -> None:
    """Be the bot until stdin ends; report on stdout, a line of JSON each."""
    from actors.bootstrap import Agent
    from actors.context.log.data_root import DataRootError
    from actors.part import UnusableError

    line = sys.stdin.readline()
    if not line.endswith("\n"):  # whoever started this has failed before it knew where to go, and has said why
        return
    order: dict[str, Any] = json.loads(line)
    set_up_logging(verbose=order["verbose"])
    config_file = order["config_file"] and Path(order["config_file"])

    def tell(text: str) -> None:
        if text != order.get("left_out"):  # which the page's side has said
            note(text)

    settings, secrets = load_settings(config_file, order["given"], report=tell)
    shape_log(settings.log.format)
    settings = _settings_with_root(settings, order["data_root"])
    raise_file_limit()
    agent = Agent(settings, secrets.environment(), _connection(order["connection"]), _tell_online)
    end_on_signals(agent)
    threading.Thread(target=_end_with_stdin, args=(agent,), name="stdin", daemon=True).start()
    try:
        agent.start()
        agent.wait()
    except (DataRootError, UnusableError) as error:
        fail(str(error))
    finally:
        agent.stop()
    if agent.exit_code:
        fail(agent.reason, agent.exit_code)


def _settings_with_root(settings: Settings, data_root: str) -> Settings:
    return settings.with_root(Path(data_root), settings.origin)


def _connection(fields: dict[str, Any]) -> DiscordConnection:
    from actors.part import DiscordConnection

    sets = {name: frozenset(fields[name]) for name in ("allowed_users", "allowed_roles")}
    return DiscordConnection(**{**fields, "channels": tuple(fields["channels"]), **sets})


def _tell_online(name: str) -> None:
    click.echo(json.dumps({"online": name}))
    sys.stdout.flush()


def _end_with_stdin(agent: Agent) -> None:
    """End when the parent process has closed the pipe, or is gone."""
    while sys.stdin.readline():
        continue
    agent.end()
