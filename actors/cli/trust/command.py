"""`agent trust`: makes the settings file, the secrets and the data root of a folder count in commands called there."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail

if TYPE_CHECKING:
    from domain.policy.folder_trust import TrustList


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--yes", is_flag=True, help="Do not ask on a terminal.")
@click.option("--list", "lists", is_flag=True, help="Print every trusted file and its state.")
@click.option(
    "--remove", "removes", is_flag=True, help="Trust the files of FOLDER no longer; the folder may be missing."
)
def trust(folder: Path, yes: bool, lists: bool, removes: bool) -> None:
    """Show the effect of the files of FOLDER (else the current one), and trust the files from now on.

    An untrusted agent.toml decides nothing that could send a key, words or commands elsewhere, and an untrusted
    secrets.env does not count. Trust holds for this folder and this content: trust again after each change. The record
    is in $XDG_STATE_HOME, else ~/.local/state, in remembrancer/trusted.json.
    """
    from actors.settings.problem import SettingsError
    from actors.settings.trust import TrustError

    if lists and removes:
        raise click.UsageError("--list and --remove cannot be combined: choose one")
    try:
        if lists:
            _list()
        elif removes:
            _remove(folder)
        else:
            _record(folder, asks=not yes and sys.stdin is not None and sys.stdin.isatty())
    except (SettingsError, TrustError) as error:
        fail(str(error))


def _record(folder: Path, *, asks: bool) -> None:
    from actors.cli.trust.folder import read_folder
    from actors.cli.trust.recording import change_trust_list

    if not folder.is_dir():
        fail(f"{_line(str(folder))}: is no folder")
    files = read_folder(folder, os.environ)
    if files.is_empty:
        fail(f"{_line(str(folder.absolute()))}: holds no settings, secrets or data that need trust")
    for line in files.decisions or ("nothing that needs trust",):
        click.echo(f"  {_line(line)}")
    if asks:
        click.confirm("Trust these files?", abort=True)
    change_trust_list(os.environ, lambda known: known.with_files(files.digests))
    click.echo(f"trusted: {_line(os.path.realpath(folder))}")


def _list() -> None:
    from actors.settings.document import read_content
    from actors.settings.problem import SettingsError
    from actors.settings.trust import digest_of, read_trust_list, trust_path
    from domain.policy.folder_trust import ABSENT, Standing

    known = read_trust_list(trust_path(os.environ))
    for path, digest in sorted(known.digests.items()):
        try:
            now = digest_of(read_content(Path(path), path, required=False))
            state = "trusted" if known.standing(path, now) is Standing.TRUSTED else "changed"
        except SettingsError:
            state = "changed"
        click.echo(f"{state}  {_line(path)}{' (no file)' if digest == ABSENT else ''}")


def _remove(folder: Path) -> None:
    from actors.cli.trust.recording import change_trust_list

    place = os.path.realpath(folder)
    removed: set[str] = set()

    def without(known: TrustList) -> TrustList:
        left = known.without_folder(place)
        removed.update(known.digests.keys() - left.digests.keys())
        return left

    change_trust_list(os.environ, without)
    if not removed:
        fail(f"{_line(place)}: no file in this folder is trusted")
    click.echo(f"no longer trusted: {_line(place)}")


def _line(text: str) -> str:
    """`text` on a single line, without characters that steer a terminal."""
    return text if text.isprintable() else json.dumps(text)
