"""Wizard: the steps of a setup in their order, and what is written when all of them are done."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from actors.cli.common import fail, load_settings
from actors.cli.setup import steps, writing
from actors.cli.setup.questions import NobodyAskedError, Talk
from actors.cli.setup.rest import DiscordError

UNIT_PLACE = Path(".config/systemd/user/remembrancer.service")
"""In the home folder."""


@dataclass(frozen=True, slots=True)
class Decided:
    """All that is to be written."""

    values: Mapping[str, object]
    secrets: Mapping[str, str]
    writes_unit: bool


def run(config_file: Path | None, options: Mapping[str, object], *, asks: bool) -> None:
    """Go through all steps, and write what was decided; ends the command where it cannot.

    Args:
        config_file: Named on the command line.
        options: The command's others.
        asks: Whether somebody is there to be asked.
    """
    talk = Talk(asks=asks)
    path = (config_file or Path(os.environ.get("AGENT_CONFIG") or "agent.toml")).absolute()
    given = {name: str(value) for name, value in options.items() if isinstance(value, str)}
    try:
        before = writing.read_plain(path)
        decided = _decide(talk, path, bool(before), options, given)
        _write(talk, path, before, decided)
    except (NobodyAskedError, DiscordError, writing.WriteError) as error:
        fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nnothing was changed", err=True)
        sys.exit(130)
    talk.say()
    talk.say(f"Set up in {talk.questions} questions and {talk.keys} keys. Now: bin/agent doctor, then bin/agent run")


def _decide(talk: Talk, path: Path, exists: bool, options: Mapping[str, object], given: Mapping[str, str]) -> Decided:
    settings, secrets = load_settings(path if exists else None)
    token_file = options["token_file"]
    wishes = steps.Wishes(
        api_base=given.get("discord_api", settings.discord.api_base),
        token=_token(token_file) if isinstance(token_file, Path) else secrets.discord_token or "",
        channels=_several(options["channels"]) or settings.discord.channels,
        users=_several(options["users"]) or tuple(settings.discord.allowed_users),
        model=given.get("model", settings.model.name),
        model_api_base=given.get("model_api_base", settings.model.api_base),
        keys=secrets.environment(),
        reminders=given.get("reminders", settings.reminders.file),
    )
    rest, user, token = steps.token_step(talk, wishes)
    application_id = steps.intent_step(talk, rest)
    guild = steps.guild_step(talk, rest, application_id, user)
    channels = steps.channels_step(talk, rest, guild, wishes.channels)
    people = steps.people_step(talk, rest, guild, wishes.users)
    choice = _model(talk, path if exists else None, wishes, secrets.environment())
    reminders = steps.reminders_step(talk, wishes, settings.data_root)
    values: dict[str, object] = {"discord.channels": list(channels), "discord.allowed_users": list(people)}
    if "discord_api" in given:
        values["discord.api_base"] = given["discord_api"]
    if "discord_gateway" in given:
        values["discord.gateway_url"] = given["discord_gateway"]
    values |= {"model.name": choice.name, "model.api_base": choice.api_base, "reminders.file": reminders}
    new = {"DISCORD_BOT_TOKEN": token} | ({choice.key_name: choice.key} if choice.key else {})
    return Decided(values, new, _wants_unit(talk, options["service"]))


def _model(talk: Talk, config: Path | None, wishes: steps.Wishes, known: Mapping[str, str]) -> steps.ModelChoice:
    """A model that has answered; or one that somebody wants all the same."""
    from actors.cli.setup.model_check import failure_of

    while True:
        choice = steps.model_step(talk, wishes)
        if choice.name == "offline":
            return choice
        if choice.key_name and not choice.key:
            raise NobodyAskedError(f"{choice.key_name} must be set in the environment for {choice.name}")
        talk.say(f"   asking {choice.name} for one word …")
        settings, _ = load_settings(config, {"model.name": choice.name, "model.api_base": choice.api_base})
        key = {choice.key_name: choice.key} if choice.key else {}
        failure = failure_of(settings, {**known, **key})
        if not failure:
            talk.say("   it answers")
            return choice
        talk.say(f"   {failure}")
        if not talk.asks:
            raise NobodyAskedError(f"--model {choice.name}: {failure}")
        if talk.agrees("Keep it all the same?", default=False):
            return choice


def _wants_unit(talk: Talk, said: object) -> bool:
    if isinstance(said, bool):
        return said
    talk.head(8, "A service of systemd's for you, which starts it and keeps it running")
    return talk.agrees("Write the unit (it is not started)?", default=False)


def _write(talk: Talk, path: Path, before: str, decided: Decided) -> None:
    """Everything at once; what can be found wrong is found before the first file is touched."""
    from actors.parts import settings_tables
    from actors.settings.secret import secrets_path

    secrets = secrets_path(os.environ, path.parent)
    assert secrets is not None
    text = writing.settings_text(before or _example(), decided.values)
    writing.require_loadable(text, path, settings_tables())
    secret_text = writing.secrets_text(writing.read_plain(secrets), decided.secrets)
    writing.write(secrets, secret_text, private=True)
    writing.write(path, text, private=False)
    talk.say()
    talk.say(f"wrote {path}")
    talk.say(f"wrote {secrets}, for you alone")
    if decided.writes_unit:
        unit = Path.home() / UNIT_PLACE
        agent = Path(__file__).parents[3] / "bin" / "agent"
        writing.write(unit, writing.unit_text(agent, path), private=False)
        talk.say(f"wrote {unit}: systemctl --user daemon-reload; systemctl --user enable --now remembrancer")


def _example() -> str:
    """What a new file begins with."""
    return "# Written by `agent setup`; every setting stands in docs/agent.example.toml.\n"


def _token(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip().removeprefix("DISCORD_BOT_TOKEN=").strip()
    except (OSError, UnicodeDecodeError) as error:
        fail(f"--token-file {path}: {getattr(error, 'strerror', None) or 'is no text'}")


def _several(said: object) -> tuple[str, ...]:
    return tuple(map(str, said)) if isinstance(said, tuple) else ()
