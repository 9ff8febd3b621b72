"""Choice of a model on this machine for `agent try`: what is missing is told, and fetched where a person agrees."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import announce, fail
from actors.cli.local_model.command import fetch
from domain.text.terminal_text import plain

if TYPE_CHECKING:
    from actors.local_model.catalogue import CatalogueModel
    from actors.settings.schema import Settings

LOCAL = "local"
"""Short for the default of the catalogue."""


def model_choice(model: str | None) -> dict[str, object]:
    """Settings decided by the option `--model`, by dotted key; empty without the option."""
    from actors.local_model.catalogue import DEFAULT_MODEL
    from messages.model import LOCAL_PREFIX, is_local

    if model is None:
        return {}
    if model == LOCAL:
        model = LOCAL_PREFIX + DEFAULT_MODEL
    overrides: dict[str, object] = {"model.name": model}
    return overrides | {"model.api_base": "", "model.api": ""} if is_local(model) else overrides


def have_local_model(settings: Settings) -> None:
    """Have the file of the settings' local model on this machine; nothing to do for other models.

    On a terminal a person is asked before anything is fetched. Ends the command without a model.
    """
    from actors.local_model.catalogue import catalogue_model
    from actors.local_model.checks import NOT_INSTALLED, is_installed
    from actors.local_model.store import ModelFileError, Store
    from actors.part import command
    from messages.model import LOCAL_PREFIX, is_local

    name = settings.model.name
    if not is_local(name):
        return
    if not is_installed():
        fail(f"{name} {NOT_INSTALLED}")
    store = Store(Path(settings.local_model.folder).expanduser(), command())
    wanted = catalogue_model(name.removeprefix(LOCAL_PREFIX))
    try:
        store.find(name.removeprefix(LOCAL_PREFIX))
    except ModelFileError as error:
        if wanted is None or store.record(wanted.name) is not None:
            fail(plain(str(error)))
        _agree(wanted, store.folder)
        fetch(wanted, store)


def _agree(wanted: CatalogueModel, folder: Path) -> None:
    """Announce the download; end the command if the person on the terminal declines."""
    announce(plain(notice_of(wanted, folder)))
    if sys.stdin is not None and sys.stdin.isatty() and not click.confirm("Fetch it?", default=True, err=True):
        fail("nothing was fetched")


def notice_of(wanted: CatalogueModel, folder: Path) -> str:
    """Sentence for the asked person on the download and the source."""
    address = wanted.address(os.environ.get("HF_ENDPOINT", ""))
    return f"{wanted.title} ({wanted.licence}), {wanted.bytes / 1e9:.2f} GB, is fetched from {address} into {folder}"
