"""Store of local models: a folder of files in GGUF, each with a record that pins its size and hash.

A record is written last, by renaming, so a model is either there as a whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from actors.linux.private_folder import make_private
from actors.linux.regular_file import open_regular, read_regular
from actors.local_model.catalogue import CATALOGUE, SPEECH_FOLDER, SPEECH_SUFFIX, catalogue_model
from messages.base import make_ready

ReportProgress = Callable[[str, int, int], None]
"""Shows progress: a text, bytes done, bytes in all."""
SUFFIX = ".gguf"
_RECORD, _NEW = ".json", ".new"
_MAGIC, _SPEECH_MAGIC = b"GGUF", b"lmgg"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}[a-z0-9]|[a-z0-9]")
_BLOCK_BYTES = 1 << 20


class ModelFileError(Exception):
    """A model cannot be used, fetched or added; the text says why, and what to do, in words for a person."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Record of a model in the folder."""

    name: str
    file: str
    """Absolute path of a file left at its owner's place; for a fetched file a name in the folder."""
    bytes: int
    sha256: str
    licence: str = ""
    """Empty for an unknown licence."""
    source: str = ""
    """Address of the download; empty for an added file."""


@dataclass(frozen=True, slots=True)
class Store:
    """Folder of local models."""

    folder: Path
    program: str
    """Command of the agent, for messages."""
    suffix: str = SUFFIX
    """Ending of fetched files."""

    def records(self) -> tuple[Record, ...]:
        """The models in the folder, by name; an unreadable record is left out."""
        if not self.folder.is_dir():
            return ()
        names = sorted(path.name.removesuffix(_RECORD) for path in self.folder.glob(f"*{_RECORD}"))
        return tuple(record for name in names if (record := self.record(name)) is not None)

    def record(self, name: str) -> Record | None:
        """Record of a model; None for an unknown model."""
        try:
            return msgspec.json.decode(read_regular(self._place(name, _RECORD)), type=Record)
        except (OSError, ValueError, msgspec.MsgspecError):
            return None

    def file_of(self, record: Record) -> Path:
        """File of a model."""
        return self.folder / record.file

    def find(self, name: str) -> Path:
        """The file of a model, by its name or by a path that ends in `.gguf`.

        Raises:
            ModelFileError: the file is missing, or no longer matches the record.
        """
        if name.endswith(SUFFIX):
            return _file_at(name)
        record = self.record(check_name(name))
        if record is None:
            raise ModelFileError(self._absence(name))
        path = self.file_of(record)
        try:
            actual = os.stat(path).st_size  # noqa: PTH116
        except OSError as error:
            raise ModelFileError(f"local/{name}: its file {path} cannot be read: {error.strerror}") from error
        if actual != record.bytes:
            again = "remove it and fetch it" if record.source else "add it"
            raise ModelFileError(
                f"local/{name}: {path} has {actual} bytes and had {record.bytes} when it was checked; {again} again: "
                f"{self.program} model --help"
            )
        return path

    def add(self, name: str, file: Path, progress: ReportProgress) -> Record:
        """Take in a file; the file stays in place.

        Raises:
            ModelFileError: the name is taken or invalid, or the file is no model file.
        """
        check_name(name)
        if catalogue_model(name) is not None:
            raise ModelFileError(f"{name!r} is a name of the catalogue; choose another for {file}")
        if self.record(name) is not None:
            raise ModelFileError(f"{name!r} is there already; {self.program} model remove {name} takes it away")
        path = _file_at(str(file.absolute()))
        record = Record(name=name, file=str(path), bytes=path.stat().st_size, sha256=hash_of(path, progress))
        self.keep(record)
        return record

    def keep(self, record: Record) -> None:
        """Write a record."""
        make_private(self.folder)
        place = self._place(record.name, _RECORD)
        beside = place.with_suffix(_NEW)
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(record)) + b"\n")
        beside.replace(place)

    def remove(self, name: str) -> tuple[Record | None, int]:
        """Remove a model: the record, and the fetched file or part of a file.

        Returns:
            The record, None without a record, and the number of freed bytes.

        Raises:
            ModelFileError: no model of this name is there.
        """
        record = self.record(check_name(name))
        freed = 0
        self._place(name, _RECORD).unlink(missing_ok=True)
        for path in (self.fetched_file(name), *self.parts(name)):
            if path.is_file():
                freed += path.stat().st_size
                path.unlink()
        if record is None and not freed:
            raise ModelFileError(f"{name!r} is not on this machine")
        return record, freed

    def fetched_file(self, name: str) -> Path:
        """Place of a fetched file."""
        return self._place(name, self.suffix)

    def parts(self, name: str) -> tuple[Path, Path]:
        """Paths of an unfinished download, and of the server's name for its version."""
        return self._place(name, ".part"), self._place(name, ".part.etag")

    def _place(self, name: str, suffix: str) -> Path:
        return self.folder / f"{name}{suffix}"

    def _absence(self, name: str) -> str:
        if (model := catalogue_model(name)) is not None:
            size = f"{model.bytes / 1e9:.1f} GB"
            return f"local/{name} is not on this machine; fetch it ({size}): {self.program} model get {name}"
        names = ", ".join([each.name for each in CATALOGUE] + [each.name for each in self.records()])
        return (
            f"local/{name} is not known; there are {names}; a file of yours is added by "
            f"{self.program} model add {name} FILE.gguf"
        )


def speech_store(folder: Path, program: str) -> Store:
    """Store of speech models, in a folder of their own.

    Args:
        folder: Folder of local models.
        program: Command of the agent, for messages.
    """
    return Store(folder / SPEECH_FOLDER, program, SPEECH_SUFFIX)


def check_name(name: str) -> str:
    """The checked name of a model.

    Raises:
        ModelFileError: the name is invalid.
    """
    if not _NAME.fullmatch(name) or name.endswith(SUFFIX):
        raise ModelFileError(f"model name {name!r}: must be 1 to 64 of a-z, 0-9, '.', '_', '-', not ending in {SUFFIX}")
    return name


def hash_of(path: Path, progress: ReportProgress) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
            done += len(block)
            progress(f"checking {path.name}", done, total)
    return digest.hexdigest()


def _file_at(name: str) -> Path:
    """The file of a model at an absolute path, or at a path from a home on.

    Raises:
        ModelFileError: the file is missing, or is no model file.
    """
    try:
        path = Path(name).expanduser()
    except RuntimeError:
        raise ModelFileError(f"{name}: must not begin with the ~ of a user without a home") from None
    if not path.is_absolute():
        raise ModelFileError(f"local/{name}: a path must begin with / or ~")
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            magic = file.read(len(_MAGIC))
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path} cannot be read: {getattr(error, 'strerror', error)}") from error
    if magic == _SPEECH_MAGIC:
        raise ModelFileError(f"{path} is a speech model, which is not added: write its path as transcribe.model")
    if magic != _MAGIC:
        raise ModelFileError(f"{path} is not a model: a GGUF file begins with GGUF, this file with {magic!r}")
    return path


make_ready(__name__)
