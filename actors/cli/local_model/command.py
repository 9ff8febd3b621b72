"""`agent model`: language and speech models on this machine: listed, fetched, added and removed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import config_option, fail, json_option, load_settings
from actors.cli.terminal.progress import progress_line
from domain.text.terminal_text import plain

if TYPE_CHECKING:
    from actors.local_model.catalogue import CatalogueModel
    from actors.local_model.store import Record, Store

INTERRUPTED = 130


@click.group()
def model() -> None:
    """Models on this machine: model.name = "local/NAME", or for voice messages transcribe.api = "local"."""


@model.command("list")
@config_option
@json_option
def list_models(config_file: Path | None, as_json: bool) -> None:
    """List models that can be fetched, and models on this machine."""
    from actors.local_model.catalogue import CATALOGUE, SPEECH_CATALOGUE

    store = store_of(config_file)
    here = {record.name: record for record in store.records()}
    rows = [_row(each, here.pop(each.name, None)) for each in CATALOGUE]
    rows += [_own_row(record) for record in here.values()]
    speech_rows = [_row(each, speech_store_of(config_file).record(each.name)) for each in SPEECH_CATALOGUE]
    if as_json:
        click.echo(json.dumps({"folder": str(store.folder), "models": rows, "speech_models": speech_rows}))
        return
    _show("local/", rows)
    click.echo('for voice messages, with transcribe.api = "local":')
    _show("", speech_rows)
    click.echo(plain(f"folder: {store.folder}"))


@model.command("get")
@click.argument("name")
@config_option
def get_model(name: str, config_file: Path | None) -> None:
    """Fetch the model NAME of the list and check its hash; an interrupted download is resumed.

    HF_ENDPOINT names another hub, such as a mirror.
    """
    from actors.local_model.catalogue import CATALOGUE, catalogue_model, speech_model

    if (speech := speech_model(name)) is not None:
        fetch(speech, speech_store_of(config_file), prefix="")
        return
    wanted = catalogue_model(name.removeprefix("local/"))
    if wanted is None:
        fail(plain(f"{name!r} is not in the list: {', '.join(each.name for each in CATALOGUE)}"), 2)
    fetch(wanted, store_of(config_file))


@model.command("add")
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
@config_option
def add_model(name: str, file: Path, config_file: Path | None) -> None:
    """Register FILE, a model in GGUF, as local/NAME; the file stays in its place."""
    from actors.local_model.store import ModelFileError

    name, store = name.removeprefix("local/"), store_of(config_file)
    try:
        with progress_line() as say:
            record = store.add(name, file, say)
    except (ModelFileError, OSError) as error:
        fail(plain(str(error)))
    click.echo(plain(f"local/{name}: {record.bytes} bytes, sha256 {record.sha256}: {record.file}"))


@model.command("remove")
@click.argument("name")
@config_option
def remove_model(name: str, config_file: Path | None) -> None:
    """Remove the model NAME; an added file stays in its place."""
    from actors.local_model.catalogue import speech_model
    from actors.local_model.store import ModelFileError

    prefix = "local/" if speech_model(name) is None else ""
    name = name.removeprefix("local/")
    store = store_of(config_file) if prefix else speech_store_of(config_file)
    try:
        record, freed = store.remove(name)
    except (ModelFileError, OSError) as error:
        fail(plain(str(error)))
    file_note = f"; {record.file} stays" if record is not None and not record.source else ""
    click.echo(plain(f"removed {prefix}{name}, {freed} bytes are free again{file_note}"))


def store_of(config_file: Path | None) -> Store:
    """Store of the settings in force."""
    from actors.local_model.store import Store
    from actors.part import command

    settings, _ = load_settings(config_file)
    return Store(Path(settings.local_model.folder).expanduser(), command())


def speech_store_of(config_file: Path | None) -> Store:
    """Store of speech models, of the settings in force."""
    from actors.local_model.store import speech_store

    store = store_of(config_file)
    return speech_store(store.folder, store.program)


def fetch(wanted: CatalogueModel, store: Store, prefix: str = "local/") -> None:
    """Fetch a model with a progress bar, and print the path; ends the command on a failure.

    Args:
        wanted: Model of a catalogue.
        store: Store for this kind of model.
        prefix: Beginning of the model's name in settings.
    """
    import asyncio

    from actors.local_model.download import Download, endpoint_of
    from actors.local_model.store import ModelFileError

    try:
        with progress_line() as say:
            record = asyncio.run(Download(wanted, store, endpoint_of(os.environ), say).run())
    except ModelFileError as error:
        fail(plain(str(error)))
    except KeyboardInterrupt:
        fail("interrupted; the same command resumes the download", INTERRUPTED)
    click.echo(plain(f"{prefix}{wanted.name}: {record.bytes} bytes, checked by hash: {store.file_of(record)}"))


def _show(prefix: str, rows: list[dict[str, object]]) -> None:
    for row in rows:
        state = "here" if row["here"] else f"{row['bytes'] / 1e9:.2f} GB to fetch"  # type: ignore[operator]
        click.echo(plain(f"{prefix}{row['name']}: {row['title']}; {row['licence'] or 'licence not known'}; {state}"))
        click.echo(plain(f"    {row['bytes']} bytes, sha256 {row['sha256']}"))
        click.echo(plain(f"    {row['address']}"))


def _row(each: CatalogueModel, record: Record | None) -> dict[str, object]:
    return {
        "name": each.name,
        "title": each.title,
        "licence": each.licence,
        "bytes": each.bytes,
        "sha256": each.sha256,
        "address": each.address(os.environ.get("HF_ENDPOINT", "")),
        "memory_gib": each.memory_gib,
        "calls_tools": each.calls_tools,
        "here": record is not None,
    }


def _own_row(record: Record) -> dict[str, object]:
    return {
        "name": record.name,
        "title": "added",
        "licence": record.licence,
        "bytes": record.bytes,
        "sha256": record.sha256,
        "address": record.source or record.file,
        "here": True,
    }
