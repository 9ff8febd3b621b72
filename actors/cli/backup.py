"""`agent backup` and `agent restore`: a verified copy of the data root, made while the agent runs, and the way back."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import config_option, fail, json_option, load_settings
from actors.cli.terminal.progress import Say, progress_line
from domain.text.terminal_text import plain

if TYPE_CHECKING:
    from actors.settings.schema import Settings

_NAMED = 5
"""Number of omitted entries to name; the rest are counted."""


@click.command()
@click.argument("dest", type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), help="Data root, if not the configured one.")
@config_option
@json_option
def backup(dest: Path, data: Path | None, config_file: Path | None, as_json: bool) -> None:
    """Copy the data root into DEST, also while the agent runs, and verify the copy by hash.

    DEST must be missing or empty. Secrets are left out, and files that can be made anew, such as the memory's index.
    Exit code 1 if the backup failed; no part of it stays in DEST.
    """
    from actors.backup.copying import Source, make_backup
    from actors.backup.sums import BackupError
    from actors.settings.secret import secrets_path

    settings = _settings(config_file, data)
    secrets = secrets_path(os.environ, settings.origin.folder)
    source = Source(
        root=settings.data_root.absolute(),
        reminders=_reminders(settings),
        settings=settings.origin.file,
        private=() if secrets is None else (secrets,),
    )
    try:
        with progress_line() as say:
            copy = make_backup(source, dest.absolute(), threading.Event().wait, _counting(say))
    except BackupError as error:
        fail(plain(str(error)))
    for left_out in copy.left_out[:_NAMED]:
        click.echo(f"note: not copied: {plain(left_out)}", err=True)
    if len(copy.left_out) > _NAMED:
        click.echo(f"note: {len(copy.left_out) - _NAMED} more files that commands made are not copied", err=True)
    if as_json:
        figures = {"files": copy.files, "bytes": copy.bytes, "left_out": copy.left_out}
        click.echo(json.dumps({"folder": str(copy.folder), **figures}))
        return
    click.echo(f"{copy.files} files, {copy.bytes} bytes, verified: {plain(str(copy.folder))}")


@click.command()
@click.argument("src", type=click.Path(path_type=Path))
@click.option("--to", "root", type=click.Path(path_type=Path), help="Data root, if not the configured one.")
@click.option("--replace", is_flag=True, help="Move aside the content of the data root, instead of refusing.")
@config_option
@json_option
def restore(src: Path, root: Path | None, replace: bool, config_file: Path | None, as_json: bool) -> None:
    """Restore the data root from the backup SRC, after a check of every hash.

    The data root must be empty, and no agent may use it. Exit code 1 if nothing was restored.
    """
    from actors.backup.restoring import restore_backup
    from actors.backup.sums import BackupError
    from actors.kernel import SystemClock

    settings = _settings(config_file, root)
    try:
        with progress_line() as say:
            restored = restore_backup(
                src.absolute(),
                settings.data_root.absolute(),
                _reminders(settings),
                SystemClock().now(),
                replace=replace,
                progress=_counting(say),
            )
    except BackupError as error:
        fail(plain(str(error)))
    if as_json:
        figures = {"files": restored.files, "bytes": restored.bytes}
        places = {"reminders": restored.reminders, "replaced": restored.replaced}
        paths = {name: None if place is None else str(place) for name, place in places.items()}
        click.echo(json.dumps({"root": str(restored.root), **figures, **paths}))
        return
    click.echo(f"{restored.files} files, {restored.bytes} bytes, verified: {plain(str(restored.root))}")
    if restored.reminders is not None:
        click.echo(f"the reminders are in {plain(str(restored.reminders))}")
    if restored.replaced is not None:
        click.echo(f"the former content is in {plain(str(restored.replaced))}")


def _counting(say: Say) -> Callable[[str, int], None]:
    return lambda doing, done: say(f"{doing}: {done:,} files")


def _settings(config_file: Path | None, data: Path | None) -> Settings:
    settings, _ = load_settings(config_file, {"data_root": str(data.absolute())} if data else {})
    return settings


def _reminders(settings: Settings) -> Path | None:
    from actors.scheduler.config import reminders_path

    return reminders_path(settings.data_root, settings.reminders.file)
