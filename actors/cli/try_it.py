"""`agent try`: the real bot in a small Discord on this machine, with a page to write in."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actors.cli.common import (
    announce,
    config_option,
    fail,
    left_out_sentence,
    load_settings,
    on_first_signal,
    raise_file_limit,
    sandbox_note,
    set_up_logging,
    shape_log,
    verbose_option,
)

if TYPE_CHECKING:
    from actors.cli.trying.bot import BotProcess
    from actors.part import DiscordConnection
    from actors.settings.schema import Settings
    from lab.playground.server import PlaygroundServer
    from lab.playground.world.local_offer import LocalOffer

Texts = tuple[tuple[str, ...], tuple[str, ...]]
"""Texts to type, then texts to say by voice."""
DOOR = "playground.html"
"""In the data root: leads the browser to the page."""
ONLINE_S = 60.0
LOOK_S = 0.1
ANSWER_S = 180.0
LOCAL_ANSWER_S = 900.0
"""Seconds to wait for an answer of a model on this machine, with the time for loading the model."""
QUIET_S = 0.3
"""Seconds without a message or typing by the bot before the answer is taken as complete."""


@click.command("try")
@config_option
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the page; 0 for any free port.  [default: 8787]")
@click.option("--data", type=click.Path(path_type=Path), help="Data root.  [default: playground/ in the usual one]")
@click.option(
    "--model", metavar="MODEL", help="Model that answers, as model.name; local or local/NAME runs on this machine."
)
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
@click.option("--past-year", is_flag=True, help="Begin with a made-up year of #general, which the bot imports.")
@click.option(
    "--say", "texts", multiple=True, metavar="TEXT", help="Say this text, print the answer, exit; repeatable."
)
@click.option("--speak", "spoken", multiple=True, metavar="TEXT", help="The same by voice, after all texts.")
@verbose_option
def try_it(
    config_file: Path | None,
    port: int | None,
    data: Path | None,
    model: str | None,
    no_browser: bool,
    past_year: bool,
    texts: tuple[str, ...],
    spoken: tuple[str, ...],
    verbose: bool,
) -> None:
    """Try the bot without an account: a page with channels and threads, answered by the real bot.

    The bot is a process of its own. Kill it, on the page or by hand: it is started again and resumes its work.
    """
    from actors.cli.local_model.choice import have_local_model
    from actors.cli.trust.own_data import check_data, make_data
    from actors.cli.trying.bot import BotProcess, environment_of_bot

    online = threading.Event()
    bot = BotProcess(environment_of_bot(), lambda _name: online.set())
    try:
        set_up_logging(verbose=verbose)
        overrides = _chosen_settings(data, model)
        settings, secrets = load_settings(config_file, overrides)
        check_data(settings, "one by --data, or ")
        make_data(settings)
        shape_log(settings.log.format)
        have_local_model(settings)
        offer = _offer_model(settings, overrides)
        if data is None:
            settings = settings.with_root(settings.data_root / "playground", settings.origin)
        raise_file_limit()
        server = _start_server(port if port is not None else (0 if texts or spoken else 8787), past_year=past_year)
        end_samples = _add_samples(settings, overrides)
        try:
            order = _order(config_file, overrides, settings.data_root, verbose=verbose)
            order["left_out"] = left_out_sentence(settings, secrets)
            bot.go(order | {"connection": _connection_fields(playground_connection(server))})
            server.accompany(settings.data_root, bot.kill, offer)
            on_first_signal(bot.end_soon)
            _await_online(bot, online)
            if online.is_set():
                announce(sandbox_note(settings))
                if past_year:
                    _import_past(settings.data_root, bot)
                if texts or spoken:
                    _start_talk(server, bot, (texts, spoken), settings.model.name)
                else:
                    _show_page(server, settings.model.name, settings.data_root, browse=not no_browser)
            code = bot.wait()
            (settings.data_root / DOOR).unlink(missing_ok=True)
        finally:
            server.stop()
            end_samples()
    finally:
        bot.stop()
    if bot.complaint:
        fail(bot.complaint)
    sys.exit(code)


def _chosen_settings(data: Path | None, model: str | None) -> dict[str, object]:
    """Settings decided by the options, by dotted key."""
    from actors.cli.local_model.choice import model_choice

    overrides: dict[str, object] = {"data_root": str(data.absolute())} if data else {}
    return overrides | {"observer.enabled": True} | model_choice(model)


def _add_sample_server(settings: Settings, overrides: dict[str, object]) -> None:
    """Configure the sample server `almanac` of the skill `mcp` where the settings have no servers."""
    from actors.part import SHIPPED_SKILLS

    samples = SHIPPED_SKILLS / "mcp" / "samples"
    if not settings.mcp.servers:
        server = {"command": ["python3", "-I", str(samples / "almanac.py")], "read": [str(samples)]}
        overrides["mcp.servers"] = {"almanac": server}


def _offer_model(settings: Settings, overrides: dict[str, object]) -> LocalOffer | None:
    """Offer of a model on this machine to the page; a place for the model among the bot's choices in `overrides`."""
    from actors.cli.local_model.offer import offer_of
    from lab.playground.world.local_offer import LocalOffer

    offer = offer_of(settings)
    if offer is None:
        return None
    if offer.name not in settings.model.choices:
        overrides["model.choices"] = [*settings.model.choices, offer.name]
    return LocalOffer(*offer)


def _order(
    config_file: Path | None, overrides: Mapping[str, object], data_root: Path, *, verbose: bool
) -> dict[str, Any]:
    """Order to the bot's process, the connection apart."""
    return {
        "config_file": None if config_file is None else str(config_file),
        "given": dict(overrides),
        "data_root": str(data_root),
        "verbose": verbose,
    }


def _connection_fields(connection: DiscordConnection) -> dict[str, Any]:
    """Fields of a connection for JSON; sent through a pipe, never as arguments."""
    return {name: list(value) if isinstance(value, frozenset) else value for name, value in asdict(connection).items()}


def playground_connection(server: PlaygroundServer) -> DiscordConnection:
    """The playground's only channel, where everybody is heard."""
    from actors.part import DiscordConnection
    from lab.playground.world import defaults

    return DiscordConnection(
        token=server.bot_token,
        api_base=server.api_base,
        gateway_url=server.gateway_url,
        channels=(str(defaults.GENERAL_ID),),
        allowed_users=frozenset({"*"}),
        allowed_roles=frozenset(),
        guilds_settle_s=0.2,
        first_id=server.first_id,
    )


def _start_server(port: int, *, past_year: bool) -> PlaygroundServer:
    from lab.playground.server import PlaygroundServer

    server = PlaygroundServer(port=port)
    try:
        server.start()
    except OSError as error:
        fail(f"port {port} of 127.0.0.1 cannot be used: {error.strerror}; choose another with --port")
    if past_year:
        server.plant_year()
    return server


def _import_past(data_root: Path, bot: BotProcess) -> None:
    """Have the bot import earlier messages, and wait until a search can find the messages."""
    from actors.cli.asking import OPERATOR
    from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator

    pause = threading.Event()
    try:
        progress = ask_operator(data_root, "import.discord", ONLINE_S, window=OPERATOR)
        for _ in range(int(ONLINE_S / LOOK_S)):
            if progress["state"] == "done" or bot.is_over:
                break
            pause.wait(LOOK_S)
            progress = ask_operator(data_root, "import.status", ONLINE_S, window=OPERATOR)
    except (AgentNotRunningError, RefusalError) as error:
        bot.give_up(f"the past cannot be imported: {error}")
        return
    announce(f"imported: {progress['kept']:,} messages of the past year")


def _add_samples(settings: Settings, overrides: dict[str, object]) -> Callable[[], None]:
    """Configure the sample servers of MCP and of speech among the bot's choices in `overrides`; gives their end."""
    _add_sample_server(settings, overrides)
    return _start_speech(settings, overrides)


def _start_speech(settings: Settings, overrides: dict[str, object]) -> Callable[[], None]:
    """Start a server for the page's voice messages, unless the settings name another; return a function to stop it."""
    from lab.loopback_speech.server import LoopbackSpeech

    if settings.transcribe.api != "off":
        return lambda: None
    speech = LoopbackSpeech().start()
    overrides |= {"transcribe.api": "openai", "transcribe.url": speech.url}
    return speech.stop


def _await_online(bot: BotProcess, online: threading.Event) -> None:
    for _ in range(int(ONLINE_S / LOOK_S)):
        if online.wait(LOOK_S) or bot.is_over:
            return
    bot.give_up(f"the bot did not come online within {ONLINE_S:g} s")


def _start_talk(server: PlaygroundServer, bot: BotProcess, texts: Texts, model: str) -> None:
    """Say the texts in a background thread, so the command ends at once if the bot gives up."""
    from messages.model import is_local

    answer_s = LOCAL_ANSWER_S if is_local(model) else ANSWER_S
    threading.Thread(target=_converse, args=(server, bot, texts, answer_s), name="say", daemon=True).start()


def _converse(server: PlaygroundServer, bot: BotProcess, texts: Texts, answer_s: float) -> None:
    """Say each text in #general and print the answer before saying the next; then end the bot.

    Args:
        server: Small Discord.
        bot: Process of the bot.
        texts: What to say.
        answer_s: Longest wait for an answer.
    """
    from lab.loopback_speech.server import recording_of
    from lab.playground.world.defaults import GENERAL_ID

    typed, spoken = texts
    acts = [partial(server.say, GENERAL_ID, text) for text in typed]
    acts += [partial(server.speak, GENERAL_ID, recording_of(text)) for text in spoken]
    for act in acts:
        message = act()
        try:
            replies = server.settled_replies(GENERAL_ID, after=message, quiet_s=QUIET_S, timeout_s=answer_s)
        except CancelledError:  # the bot has ended, and the playground with it
            return
        except TimeoutError:
            bot.give_up(f"no answer within {answer_s:g} s")
            return
        try:
            for reply in replies:
                click.echo(str(reply["content"]))
        except OSError as error:
            bot.give_up(f"the answer cannot be printed: {error.strerror}")
            return
    bot.end()


def _show_page(server: PlaygroundServer, model: str, data_root: Path, *, browse: bool) -> None:
    click.echo(f"Open {server.page_url} and write something. Ctrl-C ends it.")
    announce(f"model: {model}; conversations are kept in {data_root / 'logs'}")
    if browse and sys.stdout.isatty():
        _browse(server.page_url, data_root)


def _browse(address: str, data_root: Path, browse: Callable[[str], object] = webbrowser.open) -> None:
    """Open `address` by way of a private file: all users of the machine can read a browser's arguments."""
    path = data_root / DOOR
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f'<!doctype html><title>Playground</title><meta http-equiv="refresh" content="0; url={address}">\n')
    browse(path.absolute().as_uri())
