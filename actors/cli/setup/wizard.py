"""Wizard: the steps of a setup in their order, and the writes after the last step."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from actors.cli.common import fail, set_up_logging
from actors.cli.setup import other_steps, steps, writing
from actors.cli.setup.known import Known
from actors.cli.setup.models import OFFLINE
from actors.cli.setup.other_steps import ModelChoice
from actors.cli.setup.questions import NobodyAskedError, Talk
from actors.cli.setup.rest import DiscordError
from actors.cli.trust.recording import change_trust_list
from actors.part.place import command, program
from actors.settings.load import HOME_VARIABLE
from actors.settings.problem import SettingsError
from actors.settings.secret import DISCORD_BOT_TOKEN, FILE_VARIABLE
from actors.settings.trust import TrustError, digest_of, place_of
from actors.settings.unnamed import settings_file

UNIT_PLACE = Path(".config/systemd/user/remembrancer.service")
"""In the home folder."""
INTERRUPTED = 130
PLACES = {"discord_api": "discord.api_base", "discord_gateway": "discord.gateway_url"}
"""Option -> the setting of where Discord is."""


@dataclass(frozen=True, slots=True)
class Decided:
    """All values to write."""

    values: Mapping[str, object]
    names: Mapping[str, str]
    """Names that people use for a setting's ids."""
    secrets: Mapping[str, str]
    writes_unit: bool


def run(config_file: Path | None, options: Mapping[str, object], *, asks: bool) -> None:
    """Go through all steps, and write the decisions; end the command on an obstacle.

    Args:
        config_file: Named on the command line.
        options: The command's other options.
        asks: True if a person can be asked.
    """
    set_up_logging(verbose=False)
    talk = Talk(asks=asks)
    name, is_named = settings_file(config_file, os.environ)
    path = name.absolute()
    try:
        known = Known(path, is_named=is_named)
        decided = _decide(talk, known, options)
        with _block_interrupts():
            _write(talk, known, decided)
    except (NobodyAskedError, DiscordError, SettingsError, writing.WriteError) as error:
        fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nnothing was changed", err=True)
        sys.exit(INTERRUPTED)
    talk.say()
    at = "" if path == Path("agent.toml").absolute() else f" --config {path}"
    agent = command()
    talk.say(f"Set up. Now: {agent} doctor{at}, then {agent} run{at}")


def _decide(talk: Talk, known: Known, options: Mapping[str, object]) -> Decided:
    settings = known.settings
    texts = {name: value for name, value in options.items() if isinstance(value, str)}
    values: dict[str, object] = {key: texts[option] for option, key in PLACES.items() if option in texts}
    for option, key in PLACES.items():
        if option in texts:
            _require(known, f"--{option.replace('_', '-')}", key, texts[option])
    token_file = options["token_file"]
    token = _token(token_file) if isinstance(token_file, Path) else known.secrets.discord_token or ""
    rest, user, token = steps.token_step(talk, texts.get("discord_api", settings.discord.api_base), token)
    application_id = steps.intent_step(talk, rest)
    guilds = steps.guilds_step(talk, rest, application_id, user)
    wish = steps.Wish(_several(options["channels"]), tuple(settings.discord.channels))
    rooms = steps.channels_step(talk, rest, guilds, wish)
    near = list({room.guild.id: room.guild for room in rooms if room.guild is not None}.values())
    people = steps.people_step(
        talk,
        rest,
        near or guilds,
        steps.Wish(_several(options["users"]), tuple(settings.discord.allowed_users)),
        has_roles=bool(settings.discord.allowed_roles),
    )
    choice = _model(talk, known, texts)
    reminders = texts.get("reminders", settings.reminders.file)
    values |= {
        "discord.channels": [room.item.id for room in rooms],
        "discord.allowed_users": [person.id for person in people],
        "model.name": choice.name,
        "model.api_base": choice.api_base,
        "reminders.file": other_steps.reminders_step(talk, known.check, reminders, settings.data_root),
    }
    if not choice.api_base and not settings.model.api_base:
        del values["model.api_base"]
    names = {
        "discord.channels": ", ".join(f"#{room.item.name}" for room in rooms),
        "discord.allowed_users": ", ".join(person.name for person in people),
    }
    new = {DISCORD_BOT_TOKEN: token} | ({choice.key_name: choice.key} if choice.key else {})
    return Decided(values, names, new, _wants_unit(talk, options["service"]))


def _model(talk: Talk, known: Known, texts: Mapping[str, str]) -> ModelChoice:
    """A model with a successful answer, or a model chosen by the person in spite of a failure."""
    from actors.cli.setup.model_check import failure_of

    model = known.settings.model
    name = texts.get("model", model.name)
    usual = model.api_base if name == model.name else ""
    before = ModelChoice(name, texts.get("model_api_base", usual))
    keys = dict(known.secrets.environment())
    while True:
        choice = other_steps.model_step(talk, known.check, before, keys)
        if choice.name == OFFLINE:
            return choice
        if choice.key:
            keys[choice.key_name] = choice.key
        talk.say(f"   asking {choice.name} for one word …")
        called = {"model.name": choice.name, "model.api_base": choice.api_base, "model.retries": 0}
        failure = failure_of(known.with_values(called), keys)
        if not failure:
            talk.say("   the model answers")
            return choice
        talk.say(f"   {failure}")
        if not talk.asks:
            raise NobodyAskedError(f"--model {choice.name}: {failure}")
        if talk.agrees("Keep this model all the same?", default=False):
            return choice
        before = choice


def _require(known: Known, option: str, key: str, value: str) -> None:
    try:
        known.check(key, value)
    except ValueError as error:
        raise NobodyAskedError(f"{option}: {error}") from error


def _wants_unit(talk: Talk, option: object) -> bool:
    if isinstance(option, bool):
        return option
    talk.head(8, "A systemd service for you, which starts the bot and keeps it running")
    return talk.agrees("Write the unit, without a start?", default=False)


def _write(talk: Talk, known: Known, decided: Decided) -> None:
    """Write everything at once; detectable faults are found before the first file is touched."""
    text = writing.settings_text(known.text or writing.HEAD, decided.values, decided.names)
    known.require_loadable(text)
    files = [
        (known.secrets_file, writing.secrets_text(known.secrets_text, decided.secrets), True),
        (known.config, text, False),
    ]
    if decided.writes_unit:
        names = (HOME_VARIABLE, FILE_VARIABLE)
        environment = {name: str(Path(os.environ[name]).absolute()) for name in names if os.environ.get(name)}
        files.append((Path.home() / UNIT_PLACE, writing.unit_text(program(), known.config, environment), False))
    for path, _, _ in files:
        writing.require_writable(path)
    talk.say()
    for path, content, is_private in files:
        writing.write(path, content, private=is_private)
        talk.say(f"wrote {path}{', readable by you alone' if is_private else ''}")
    _trust(talk, {place_of(path): digest_of(content.encode()) for path, content, _ in files[:2]})
    if decided.writes_unit:
        talk.say("   start the service: systemctl --user daemon-reload; systemctl --user enable --now remembrancer")
        talk.say("   keep it running while you are logged out: loginctl enable-linger")


def _trust(talk: Talk, digests: Mapping[str, str]) -> None:
    """Make the settings and the secrets count in their folder, as just written by their user."""
    try:
        change_trust_list(os.environ, lambda known: known.with_files(digests))
    except TrustError as error:
        talk.say(f"   note: the files are not trusted yet: {error}; until then name the settings file by --config")


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block Ctrl-C while the files are written: the writes either all happen or the report about them is wrong."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _token(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip().removeprefix(f"{DISCORD_BOT_TOKEN}=").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise NobodyAskedError(f"--token-file {path}: {getattr(error, 'strerror', None) or 'is no text'}") from error


def _several(option: object) -> tuple[str, ...]:
    return tuple(map(str, option)) if isinstance(option, tuple) else ()
