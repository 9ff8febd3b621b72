"""Files of a folder that need trust: read once, so the displayed bytes are the recorded bytes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from actors.cli.agent_cli import MODEL_FOLDERS
from actors.parts import settings_tables
from actors.settings.harmless import HARMLESS
from actors.settings.load import CONFIG_VARIABLE, load
from actors.settings.render import render
from actors.settings.schema import Source
from actors.settings.secret import FILE_VARIABLE, Secrets, is_secret_name
from actors.settings.trust import place_of
from domain.policy.folder_trust import ABSENT, Standing

_SHOWN_LINKS = 5
_LOOKED_AT = 20_000
"""Entries of a data root to search for links."""
_NAMING = (CONFIG_VARIABLE, FILE_VARIABLE)


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Files of a folder that need trust, with their decisions."""

    digests: Mapping[str, str]
    """Place of each file -> digest of the bytes read; the settings file has an entry even if missing."""
    decisions: tuple[str, ...]
    """Decisions that trust puts into force, a line each."""

    @property
    def is_empty(self) -> bool:
        """True if no file of the folder needs trust."""
        return not self.decisions and all(digest == ABSENT for digest in self.digests.values())


class Witness:
    """Trust in every file, with the digest of the bytes first read."""

    trouble = ""

    def __init__(self) -> None:
        """Create a witness without any digests."""
        self.digests: dict[str, str] = {}

    def standing(self, path: Path, digest: str) -> Standing:
        """Trusted, whatever the file."""
        self.digests.setdefault(place_of(path), digest)
        return Standing.TRUSTED


def read_folder(folder: Path, environ: Mapping[str, str]) -> FolderFiles:
    """Files of `folder` that need trust.

    Args:
        folder: Of a settings file, as if a command were called there.
        environ: The environment; a file named in a variable by a full path needs no trust, so it is not read.

    Raises:
        SettingsError: a file is no settings file or no secrets file; names each mistake.
    """
    names = [name for name in environ if not is_secret_name(name)]
    environment = {name: environ[name] for name in names if not (name in _NAMING and Path(environ[name]).is_absolute())}
    witness = Witness()
    settings = load(environ=environment, folder=folder, tables=settings_tables(), trust=witness)
    secrets = Secrets.take(environment, settings.origin.folder, witness)
    view = render(settings, secrets)
    values, origins = view["settings"], view["secrets"]
    assert isinstance(values, dict)
    assert isinstance(origins, dict)
    decided = [key for key, source in settings.origin.sources.items() if source is Source.FILE and key not in HARMLESS]
    lines = [
        *(f"{key} = {json.dumps(values[key]['value'])}" for key in decided),
        *(f"{name} from {Path(row['source']).name}" for name, row in origins.items() if row["source"] is not None),
        *_of_data(folder, settings.data_root),
    ]
    return FolderFiles(witness.digests, tuple(lines))


def _of_data(folder: Path, data_root: Path) -> Iterator[str]:
    if not data_root.is_relative_to(folder.absolute()) or not os.path.lexists(data_root):
        return
    base = folder.absolute()
    yield f"{data_root.relative_to(base)}: the agent goes on with the conversations and reminders in it"
    for name in MODEL_FOLDERS:
        if (data_root / name).exists():
            yield f"{(data_root / name).relative_to(base)}: a model reads it"
    for path in islice(_links(data_root), _SHOWN_LINKS):
        yield f"{path.relative_to(base)}: a link to {path.readlink()}, where the agent would read and write"


def _links(data_root: Path) -> Iterator[Path]:
    """Links in the data root, including the root itself, up to the limit of entries."""
    if data_root.is_symlink():
        yield data_root
    entries = (Path(at) / name for at, folders, files in os.walk(data_root) for name in (*folders, *files))
    yield from (path for path in islice(entries, _LOOKED_AT) if path.is_symlink())
