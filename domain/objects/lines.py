"""Lines of references: what stands at a place of the conversation once and for all, whether or not a text follows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from domain.objects.entries import OutputSeen
from messages.object_store import FileVersion

PATH_CHARS = 200
"""Of a path, as it is shown."""
_PLAIN = re.compile(r"[A-Za-z0-9_./@+~=%-]+")
"""Names that can be taken for nothing else."""


@dataclass(frozen=True, slots=True)
class Aliased:
    """The version of a file that an output is, and whether its text stands further up already."""

    version: FileVersion
    is_shown: bool


def output(entry: OutputSeen, alias: Aliased | None) -> str:
    """The reference of an output: its name, how it ended, how long it is."""
    if alias is None:
        return f"[output t{entry.no}: {entry.ending}, {entry.chars} characters]"
    version = alias.version
    again = ", unchanged, its text stands above" if alias.is_shown else ""
    name = f"file {version.object}: {shown_path(version.path)}, version {version.no}"
    return f"[output t{entry.no} is {name}, {entry.chars} characters{again}]"


def found(files: Iterable[tuple[FileVersion, int]]) -> list[str]:
    """Files that a command made known, in one line; none for none."""
    each = [f"{version.object} {shown_path(version.path)}" for version, _ in files]
    return [f"[files: {', '.join(each)}]"] if each else []


def uncounted(number: int) -> list[str]:
    """How many files more a command named than are indexed; none for none."""
    return [f"[{number} more files are not indexed]"] if number else []


def changed(version: FileVersion, was: FileVersion, chars: int) -> str:
    """What has become of a file."""
    name = f"file {version.object}: {shown_path(version.path)}"
    if version.status == "missing":
        return f"[{name} is gone, version {version.no}]"
    if version.path != was.path:
        return f"[{name} is where {shown_path(was.path)} was moved, version {version.no}]"
    size = f"{chars} characters" if version.status == "text" else f"{version.size} bytes, {version.status}"
    return f"[{name} has changed, version {version.no}, {size}]"


def text_of(name: str, no: int) -> str:
    """Heading of a text that stands at another place than its command's result."""
    return f"[text of {name}, version {no}]" if name.startswith("f") else f"[text of {name}]"


def shown_path(path: str) -> str:
    r"""A path in one line that can pass for nothing else; quoted unless it is of plain characters, such as `"a\nb"`."""
    name = path if _PLAIN.fullmatch(path) else json.dumps(path)
    return name if len(name) <= PATH_CHARS else f"{name[: PATH_CHARS - 20]}...{name[-17:]}"
