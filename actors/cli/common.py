"""Options, settings, errors and logging shared by several commands."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from actors.log_lines.json_lines import JsonLines
    from actors.settings.schema import Settings
    from actors.settings.secret import Secrets

config_option = click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    help="Settings file; else $AGENT_CONFIG, else ./agent.toml if present.",
)
data_option = click.option("--data", type=click.Path(path_type=Path), help="Data root, if not the configured one.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Log what the actors do, on stderr.")


def fail(reason: str, code: int = 1) -> NoReturn:
    """End the command with `reason` on stderr."""
    if _logs_json():
        announce(reason, logging.ERROR)
    else:
        for line in reason.splitlines() or [""]:
            click.echo(f"error: {line}", err=True)
    sys.exit(code)


def announce(text: str, level: int = logging.INFO) -> None:
    """Print a message from outside the actors on stderr: as text, or as a log line if logs are JSON."""
    if form := _logs_json():
        text = form.format(logging.LogRecord("agent", level, "", 0, text, None, None))
    click.echo(text, err=True)


def _logs_json() -> JsonLines | None:
    """Form of the log if it is JSON; None otherwise."""
    from actors.log_lines.json_lines import JsonLines

    forms = (handler.formatter for handler in logging.getLogger().handlers)
    return next((form for form in forms if isinstance(form, JsonLines)), None)


def on_first_signal(end: Callable[[], None]) -> None:
    """Let SIGTERM, Ctrl-C and a closed terminal call `end`; a second signal ends the process at once.

    Where SIGHUP is ignored (nohup), it stays so.
    """

    def on_signal(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        end()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, on_signal)


def load_settings(
    config_file: Path | None,
    overrides: Mapping[str, object] = MappingProxyType({}),
    report: Callable[[str], object] | None = None,
) -> tuple[Settings, Secrets]:
    """The settings in force, and the secrets, which leave the environment; ends the command if they are bad.

    Args:
        config_file: Named on the command line.
        overrides: By dotted key, what the command line decides.
        report: Called with one line on the parts of the folder that do not count, if any; None for a note on stderr.
    """
    from actors.parts import settings_tables
    from actors.settings.load import load
    from actors.settings.problem import SettingsError
    from actors.settings.secret import Secrets
    from actors.settings.trust import UserTrust

    try:
        Path.cwd()
    except OSError as error:
        fail(f"the current folder cannot be used, change to another: {error.strerror}")
    trust = UserTrust(os.environ)
    try:
        settings = load(config_file, environ=os.environ, overrides=overrides, tables=settings_tables(), trust=trust)
        secrets = Secrets.take(os.environ, settings.origin.folder, None if settings.origin.is_named else trust)
    except SettingsError as error:
        fail(str(error))
    if sentence := left_out_sentence(settings, secrets):
        (report or note)(sentence)
    return settings, secrets


def left_out_sentence(settings: Settings, secrets: Secrets, data: str = "") -> str:
    """Line on the ignored parts of a folder, with the remedy; empty if all parts count.

    Args:
        settings: In force.
        secrets: In force.
        data: Name of the data root, if the content there does not count.
    """
    from actors.part import command

    left_out = settings.origin.left_out.join_secrets(secrets.left_out, data)
    return left_out.sentence(command()) if left_out else ""


def ignore(text: str) -> None:
    """Ignore `text`, for a command with its own report."""


def note(text: str) -> None:
    """Print a note on stderr for information only."""
    announce(f"note: {text}", logging.WARNING)


def set_up_logging(*, verbose: bool) -> None:
    """Log warnings, or all our messages if `verbose`, on stderr; an event a line, never a message's text."""
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr, force=True
    )
    logging.getLogger("actors").setLevel(logging.INFO if verbose else logging.WARNING)
    logging.getLogger("discord.gateway").addFilter(_is_credible)


def shape_log(form: str) -> None:
    """Set the form of all further log lines, including Python's warnings.

    Args:
        form: `log.format`.
    """
    from actors.log_lines.json_lines import JsonLines

    if form == "json":
        logging.captureWarnings(capture=True)
        for handler in logging.getLogger().handlers:
            handler.setFormatter(JsonLines())


def _is_credible(record: logging.LogRecord) -> bool:
    """False for discord.py 2.7's alarm about a lag, whose figure is wrong when a heartbeat's answer is quick."""
    return not str(record.msg).startswith("Can't keep up")


def raise_file_limit() -> int:
    """Raise the limit of open files as far as allowed, for each live window keeps a file open; return the limit."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def playground_hint(data_root: Path, has: Callable[[Path], bool]) -> str:
    """Hint at the data root of `agent try`, if `has` is true for that root; empty otherwise."""
    tried = data_root / "playground"
    return f"; for the one of `agent try` add --data {tried}" if has(tried) else ""


def sandbox_note(settings: Settings) -> str:
    """One line on the sandbox of commands, for people who start an agent."""
    from actors.shell.launch import probe_bash
    from actors.shell.sandbox.choice import sandbox_level

    if not settings.shell.enabled:
        return "note: commands are turned off (shell.enabled)"
    bash = probe_bash()
    if bash is None:
        return "note: there is no bash, so commands are refused"
    level = sandbox_level(settings.shell.sandbox, bash)
    network = "; commands have network access" if settings.shell.network == "on" else ""
    if level.refusal:
        return f"note: commands are refused: {level.text}"
    if level.enclosure is None:
        return "note: commands run unsandboxed, with the rights of this user (shell.sandbox)"
    return f"note: commands run in a sandbox, {level.text}{network}"
