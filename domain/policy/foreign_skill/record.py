"""Record of added skills: the source of each, and the hash of each file; differences from the record are told."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from domain.policy.foreign_skill.member import LONGEST_PATH_BYTES, MOST_FILES, name_fault
from domain.text.brief import brief

FILE_NAME = ".installed.json"
"""In a folder of skills; no part of a skill."""
MOST_SKILLS = 2_000
LONGEST_RECORD_BYTES = 64 * 1024 * 1024
NO_FILE = ""
"""Hash of a link or another non-file."""
_VERSION = 1
_DIGEST = re.compile("[0-9a-f]{64}")
_LONGEST_TEXT = 4_096
_TEXTS = ("source", "path", "commit", "added")


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One accepted file."""

    sha256: str
    """In hexadecimal; `NO_FILE` for no file."""
    size: int
    is_executable: bool


Files = Mapping[str, FileRecord]
"""Path below the skill's folder -> file."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One skill of the record."""

    files: Files
    source: str = ""
    """Folder, archive or address of git; empty for a skill installed by hand."""
    path: str = ""
    """Path of the skill inside the source; empty for the whole source."""
    commit: str = ""
    """Of git; empty for other sources."""
    added: str = ""
    """Time in UTC, ISO 8601."""


@dataclass(frozen=True, slots=True)
class Record:
    """Added skills of one folder of skills."""

    skills: Mapping[str, Entry] = field(default_factory=lambda: MappingProxyType({}))
    """Name of the skill's folder -> entry."""

    def with_skill(self, name: str, entry: Entry) -> Record:
        """Record with an entry in place of an earlier entry."""
        return Record({**self.skills, name: entry})

    def without_skill(self, name: str) -> Record:
        """The record without an entry."""
        return Record({key: entry for key, entry in self.skills.items() if key != name})

    def render(self) -> str:
        """Text of the record, in ASCII."""
        skills = {name: asdict(entry) for name, entry in sorted(self.skills.items())}
        return json.dumps({"version": _VERSION, "skills": skills}, indent=1, sort_keys=True) + "\n"


def parse_record(text: str) -> Record:
    """Record in a text.

    Raises:
        ValueError: the text holds no record; the message names the rule.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("must be JSON") from None
    if (
        not isinstance(document, dict)
        or document.get("version") != _VERSION
        or document.keys() != {"version", "skills"}
    ):
        raise ValueError(f"must be an object with version {_VERSION} and skills")
    skills = document["skills"]
    if not isinstance(skills, dict) or len(skills) > MOST_SKILLS:
        raise ValueError(f"skills: must be an object of at most {MOST_SKILLS}")
    return Record({name: _entry(name, fields) for name, fields in skills.items()})


def _entry(name: str, fields: Any) -> Entry:
    if "/" in name or name_fault(name):
        raise ValueError(f"skill {brief(name)}: must be the name of a folder")
    if not isinstance(fields, dict) or fields.keys() != {"files", *_TEXTS}:
        raise ValueError(f"skill {brief(name)}: must have files, {', '.join(_TEXTS)}")
    for key in _TEXTS:
        if not isinstance(fields[key], str) or len(fields[key]) > _LONGEST_TEXT:
            raise ValueError(f"skill {brief(name)}: {key} must be text of at most {_LONGEST_TEXT} characters")
    files = fields["files"]
    if not isinstance(files, dict) or len(files) > MOST_FILES:
        raise ValueError(f"skill {brief(name)}: files must be an object of at most {MOST_FILES}")
    read = {path: _file(name, path, each) for path, each in files.items()}
    return Entry(read, **{key: fields[key] for key in _TEXTS})


def _file(name: str, path: str, fields: Any) -> FileRecord:
    value = f"skill {brief(name)}, file {brief(path)}"
    if len(path) > LONGEST_PATH_BYTES or name_fault(path):
        raise ValueError(f"{value}: must be a path below the skill")
    if not isinstance(fields, dict) or fields.keys() != {"sha256", "size", "is_executable"}:
        raise ValueError(f"{value}: must have sha256, size, is_executable")
    digest, size, executable = fields["sha256"], fields["size"], fields["is_executable"]
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise ValueError(f"{value}: sha256 must be 64 hexadecimal digits")
    if not isinstance(size, int) or isinstance(size, bool) or size < 0 or not isinstance(executable, bool):
        raise ValueError(f"{value}: size must be a number of bytes, is_executable true or false")
    return FileRecord(digest, size, executable)


def differences(accepted: Files, now: Files) -> tuple[str, ...]:
    """Differences of a skill's files from the accepted files, a line each, by path; empty for equal files."""
    return tuple(
        f"{path if path.isprintable() else ascii(path)}: {words}"
        for path in sorted(accepted.keys() | now.keys())
        if (words := _difference(accepted.get(path), now.get(path)))
    )


def _difference(accepted: FileRecord | None, now: FileRecord | None) -> str:
    if accepted is None:
        return "is new"
    if now is None:
        return "is missing"
    if now.sha256 == NO_FILE:
        return "is no longer a file"
    if now.sha256 != accepted.sha256 or now.size != accepted.size:
        return f"has changed, from {accepted.size} to {now.size} bytes"
    if now.is_executable != accepted.is_executable:
        return "can be run now" if now.is_executable else "can be run no more"
    return ""
