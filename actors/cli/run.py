"""`agent run`: the bot in real Discord; and `agent gateway`: a memory for OpenAI's clients, without Discord."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from actors.cli.common import (
    announce,
    config_option,
    data_option,
    fail,
    load_settings,
    on_first_signal,
    raise_file_limit,
    sandbox_note,
    set_up_logging,
    shape_log,
    verbose_option,
)

if TYPE_CHECKING:
    from actors.bootstrap import Agent, Hosting
    from actors.linux.service_manager import ServiceManager
    from actors.settings.schema import Settings
    from actors.settings.secret import Secrets

MOST_HOSTS = 1000
_GATEWAY_KEYS = {
    "upstream": "facts.openai_base_url",
    "host": "facts.gateway_address",
    "port": "facts.gateway_port",
    "model": "facts.model",
    "embedding_model": "facts.embedding_model",
}
"""Settings decided by options of `agent gateway`."""


@click.command()
@click.option(
    "--hosts", type=click.IntRange(1, MOST_HOSTS), help="Number of further processes that run windows, by Ray."
)
@click.option("--cluster", help="Ray cluster of these processes: auto, or ray://host:port; else one on this machine.")
@config_option
@verbose_option
def run(hosts: int | None, cluster: str | None, config_file: Path | None, verbose: bool) -> None:
    """Run the bot until SIGTERM or Ctrl-C; docs/operations.md describes the set-up."""
    from actors.bootstrap import Agent, discord_connection
    from actors.cli.trust.own_data import check_data

    set_up_logging(verbose=verbose)
    settings, secrets = load_settings(config_file, report=fail)
    check_data(settings)
    shape_log(settings.log.format)
    connection = discord_connection(settings, secrets.discord_token or "")
    raise_file_limit()

    def tell_online(name: str) -> None:
        announce(f"online as {name}")
        manager.ready(f"online as {name}")

    def tell_started() -> None:
        if settings.model.name == "offline":
            announce("note: model.name is offline: a rule-based responder answers, no language model")
        announce(sandbox_note(settings))

    if cluster is not None and hosts is None:
        fail("--cluster needs --hosts, the number of hosts to start there")
    wish = None if hosts is None else _hosting(settings, secrets, hosts, cluster or "")
    agent = Agent(settings, secrets.environment(), connection, tell_online, hosts=wish)
    manager = _manager_of(agent)
    _live(agent, manager, settings, tell_started)


@click.command()
@click.option("--upstream", help="The model's server, e.g. http://127.0.0.1:11434/v1; else facts.openai_base_url.")
@click.option("--host", help="Address to listen on; else facts.gateway_address.")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to listen on; else facts.gateway_port.")
@click.option("--memory-path", type=click.Path(path_type=Path), help="Folder of the files; else facts.memory_path.")
@click.option("--model", help="Model for facts and summaries; else facts.model.")
@click.option("--embeddings", "embedding_model", help="Embedding model, or local; else facts.embedding_model.")
@data_option
@config_option
@verbose_option
def gateway(
    memory_path: Path | None, data: Path | None, config_file: Path | None, verbose: bool, **options: Any
) -> None:
    """Serve an address with memory for any OpenAI client, until SIGTERM or Ctrl-C.

    Requests go on to the model's server unchanged except for added memories; docs/layers/facts.md has the rest.
    """
    from actors.bootstrap import Agent
    from actors.cli.trust.own_data import check_data
    from actors.facts.table import FactsTable

    set_up_logging(verbose=verbose)
    named = {
        **{_GATEWAY_KEYS[name]: value for name, value in options.items()},
        "facts.memory_path": str(memory_path.absolute()) if memory_path is not None else None,
        "data_root": str(data.absolute()) if data is not None else None,
        "layers.facts": True,
        "model.name": "offline",  # that of Discord, which nobody here asks
    }
    overrides = {key: value for key, value in named.items() if value is not None}
    settings, secrets = load_settings(config_file, overrides, report=fail)
    check_data(settings)
    shape_log(settings.log.format)
    base_url = settings.table(FactsTable).openai_base_url
    raise_file_limit()

    def tell_up(place: str) -> None:
        announce(f"gateway on {place}, in front of {base_url}")
        manager.ready(f"gateway on {place}")

    agent = Agent(settings, secrets.environment(), None, tell_up)
    manager = _manager_of(agent)
    _live(agent, manager, settings)


def _require_free_folder(settings: Settings) -> None:
    """End the command if another process uses the folder of the facts."""
    from actors.facts.row import memory_path
    from actors.facts.store.memory_folder import find_holder
    from actors.facts.table import FactsTable

    root = memory_path(settings.data_root, settings.table(FactsTable))
    if holder := find_holder(root):
        fail(f"facts.memory_path {str(root)!r}: process {holder} uses it: end the process, or name another folder")


def _tell_own_key(settings: Settings) -> None:
    """Show the gateway's own key if the kernel does not identify callers; once, at its first start."""
    from actors.facts.table import FactsTable
    from actors.gateway.own_key import OwnKeyError, own_key

    table = settings.table(FactsTable)
    try:
        key = own_key(settings.data_root, table.gateway_address, has_keys=bool(table.keys))
    except OwnKeyError as error:
        fail(str(error))
    if key is not None and key.is_new:
        announce(key.sentence(shows_key=sys.stderr.isatty()))


def _hosting(settings: Settings, secrets: Secrets, count: int, cluster: str) -> Hosting:
    """Hosts on Ray; the optional package must be installed."""
    from actors.bootstrap import Hosting
    from actors.cluster.ray_folder import RayFolder
    from actors.cluster.ray_pool import RayPool, missing
    from actors.hosting import HostConfig, HostProcess

    if reason := missing():
        fail(reason)
    level = logging.getLogger("actors").getEffectiveLevel()
    config = HostConfig.of(settings, secrets.environment(), count, level)
    return Hosting(RayPool(HostProcess, config.to_bytes(), RayFolder(settings.data_root), cluster, config.word), count)


def _manager_of(agent: Agent) -> ServiceManager:
    """Service manager that receives the watchdog's sign of life."""
    from actors.linux.service_manager import ServiceManager

    manager = ServiceManager.of(os.environ, agent.system.clock.monotonic)
    agent.system.watchdog.on_look = manager.look
    return manager


def _live(
    agent: Agent, manager: ServiceManager, settings: Settings, tell_started: Callable[[], None] = lambda: None
) -> NoReturn:
    """Start an agent, wait for its end, and end the process with the agent's outcome."""
    from actors.cli.trust.own_data import make_data
    from actors.cluster.pool import PoolError
    from actors.context.log.data_root import DataRootError
    from actors.part import UnusableError

    def prepare() -> None:
        make_data(settings)
        if settings.has_layer("facts"):
            _require_free_folder(settings)
            _tell_own_key(settings)

    end_on_signals(agent)
    gc.disable()  # among 100,000 windows, collections that find nothing take a tenth of the start
    try:
        agent.start(prepare=prepare)
    except (DataRootError, PoolError, UnusableError) as error:
        fail(str(error))
    finally:
        gc.enable()
    tell_started()
    agent.wait()
    manager.stopping(agent.reason or "ending: turns in progress may finish")
    agent.stop()
    if agent.exit_code:
        fail(agent.reason, agent.exit_code)
    sys.exit(0)


def end_on_signals(agent: Agent) -> None:
    """Let SIGTERM, Ctrl-C and a closed terminal end the agent in good order; a second signal ends it at once.

    SIGUSR2 prints the agent's current work. Where SIGHUP is ignored (nohup), it stays so.
    """
    from actors.kernel import install_dump

    install_dump(agent.system)

    on_first_signal(agent.end)
