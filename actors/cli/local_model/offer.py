"""Offer of a model on this machine to the page of `agent try`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from actors.cli.local_model.choice import notice_of

if TYPE_CHECKING:
    from actors.local_model.catalogue import CatalogueModel
    from actors.local_model.store import Store
    from actors.settings.schema import Settings


class Offer(NamedTuple):
    """Model on this machine that may answer instead of the settings' model."""

    name: str
    """As in `model.choices`."""
    notice: str
    """File, licence, size, address and folder of the download; empty if there is no download."""
    is_here: Callable[[], bool]
    fetch: Callable[[], None]


def offer_of(settings: Settings, environ: Mapping[str, str] = os.environ) -> Offer | None:
    """Model to offer: a choice of the settings, else a model already here, else the catalogue's default.

    None without the engine, and if a model on this machine answers already.
    """
    from actors.local_model.catalogue import DEFAULT_MODEL, catalogue_model
    from actors.local_model.checks import is_installed
    from actors.local_model.store import Store
    from actors.part import command
    from messages.model import LOCAL_PREFIX, is_local

    if is_local(settings.model.name) or not is_installed():
        return None
    store = Store(Path(settings.local_model.folder).expanduser(), command())
    chosen = [choice.removeprefix(LOCAL_PREFIX) for choice in settings.model.choices if is_local(choice)]
    here = sorted((record.name for record in store.records()), key=lambda name: name != DEFAULT_MODEL)
    name = [*chosen, *here, DEFAULT_MODEL][0]
    wanted = catalogue_model(name)
    return Offer(
        LOCAL_PREFIX + name,
        "" if wanted is None else notice_of(wanted, store.folder),
        lambda: _is_here(store, name),
        lambda: _fetch(wanted, store, environ),
    )


def _is_here(store: Store, name: str) -> bool:
    from actors.local_model.store import ModelFileError

    try:
        store.find(name)
    except ModelFileError:
        return False
    return True


def _fetch(wanted: CatalogueModel | None, store: Store, environ: Mapping[str, str]) -> None:
    """Fetch a model without a word on the terminal.

    Raises:
        ValueError: it cannot be had; the text says why, in words for a person.
    """
    import asyncio

    from actors.local_model.download import Download, endpoint_of
    from actors.local_model.store import ModelFileError

    if wanted is None:
        raise ValueError("this model is not in the list of bin/agent model list, so it cannot be fetched")
    try:
        asyncio.run(Download(wanted, store, endpoint_of(environ), lambda *_: None).run())
    except ModelFileError as error:
        raise ValueError(str(error)) from error
