"""Definitions of sub-agents in folders; a changed file is read again."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from actors.skill_files.front_matter import front_matter_fields
from domain.turn.skill import split_front_matter
from domain.workspace.subagents.definition import DefinitionReading, SubagentDefinition, read_definition

LONGEST_FILE_BYTES = 128 * 1024
MOST_FILES = 200
"""Most files of a folder."""
SUFFIX = ".md"
NO_FILE = "must be a plain file and no link"
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_Version = tuple[int, int, int]
"""Modification time, size and inode of a file."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Usable sub-agents, and the faults of unusable ones."""

    definitions: dict[str, SubagentDefinition] = field(default_factory=dict)
    """By name."""
    faults: tuple[str, ...] = ()
    """Each names the file and the rule."""


class Definitions:
    """Sub-agents in `folders`, looked at afresh by each scan; with equal names the earlier folder counts.

    Windows share an instance, from several threads: a scan changes no shared object, but replaces the last result.
    """

    def __init__(self, folders: tuple[Path, ...]) -> None:
        """Begin without reading; the folders need not exist."""
        self._folders = folders
        self._readings: dict[Path, tuple[_Version, DefinitionReading]] = {}

    def scan(self) -> Offer:
        """Present definitions; looks at the disk."""
        definitions: dict[str, SubagentDefinition] = {}
        faults: list[str] = []
        readings: dict[Path, tuple[_Version, DefinitionReading]] = {}
        for folder in self._folders:
            here: dict[str, Path] = {}
            for path in _files(folder, faults):
                version, reading = _read(path, self._readings.get(path))
                if version is not None:
                    readings[path] = version, reading
                faults += [f"{path}: {fault}" for fault in reading.faults]
                if (definition := reading.definition) is None:
                    continue
                if definition.name in here:
                    faults.append(
                        f"{path}: name {definition.name!r}: is taken by {here[definition.name].name}, so it is not used"
                    )
                    continue
                here[definition.name] = path
                definitions.setdefault(definition.name, definition)
        self._readings = readings
        return Offer(definitions, tuple(faults))


def _read(path: Path, known: tuple[_Version, DefinitionReading] | None) -> tuple[_Version | None, DefinitionReading]:
    """Version and definition of a file; without a version, the result is not cached.

    Args:
        path: Path of the file.
        known: Last result for the file, if any.
    """
    try:
        opened = os.open(path, _OPEN)
    except OSError as error:
        return None, _refuse(NO_FILE if path.is_symlink() else f"cannot be read: {error.strerror}")
    status = os.fstat(opened)
    if not stat.S_ISREG(status.st_mode):
        os.close(opened)
        return None, _refuse(NO_FILE)
    version = (status.st_mtime_ns, status.st_size, status.st_ino)
    with os.fdopen(opened, "rb") as file:
        if known is not None and known[0] == version:
            return known
        try:
            return version, _reading(file.read(LONGEST_FILE_BYTES + 1))
        except OSError as error:
            return None, _refuse(f"cannot be read: {error.strerror}")


def _files(folder: Path, faults: list[str]) -> Iterator[Path]:
    """Files that may be definitions, by name; notes surplus files."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX) and not name.startswith("."))  # noqa: PTH208
    except FileNotFoundError:
        return
    except OSError as error:
        faults.append(f"{folder}: cannot be read: {error.strerror}")
        return
    if len(names) > MOST_FILES:
        faults.append(f"{folder}: {len(names)} files: only the first {MOST_FILES} are looked at")
    yield from (folder / name for name in names[:MOST_FILES])


def _reading(data: bytes) -> DefinitionReading:
    if len(data) > LONGEST_FILE_BYTES:
        return _refuse(f"has more than {LONGEST_FILE_BYTES} bytes, which is the most allowed")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _refuse(f"byte {error.start}: must be UTF-8")
    if "\0" in text:
        return _refuse(f"character {text.index(chr(0))}: must be text, without NUL")
    parts = split_front_matter(text)
    if parts is None:
        return _refuse("must begin with front matter between two lines of ---")
    front, body = parts
    try:
        fields = front_matter_fields(front)
    except ValueError as error:
        return _refuse(str(error))
    return read_definition(fields, body)


def _refuse(fault: str) -> DefinitionReading:
    return DefinitionReading(None, (fault,))
