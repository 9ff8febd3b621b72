"""Lines of references: what stands at a place of the conversation once and for all, whether or not a text follows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from domain.objects.entries import OutputSeen
from messages.objects import FileVersion

PATH_CHARS = 200
"""Most characters of a path as shown."""
COMMAND_CHARS = 80
"""Most characters of a command in a list."""
FOUND_CHARS = 1_000
"""Most characters of the names made known by one command."""
_PLAIN = re.compile(r"[A-Za-z0-9_./@+~=%-]+")
"""Unambiguous names."""


@dataclass(frozen=True, slots=True)
class Aliased:
    """File version of an output, and True if the text stands further up already."""

    version: FileVersion
    is_shown: bool


def output(entry: OutputSeen, alias: Aliased | None) -> str:
    """The reference of an output: name, ending, length."""
    if alias is None:
        return f"[output t{entry.no}: {entry.ending}, {entry.chars} characters]"
    version = alias.version
    again = ", unchanged, its text stands above" if alias.is_shown else ""
    name = f"file {version.object}: {shown_path(version.path)}, version {version.no}"
    return f"[output t{entry.no} is {name}, {entry.chars} characters{again}]"


def list_found(files: Iterable[tuple[FileVersion, int]]) -> list[str]:
    """Files made known by a command, in one line of bounded length; empty for no files."""
    each = [f"{version.object} {shown_path(version.path)}" for version, _ in files]
    count, chars = 0, 0
    while count < len(each) and (chars := chars + len(each[count])) <= FOUND_CHARS:
        count += 1
    rest = [f"and {len(each) - count} more, which list shows"] if count < len(each) else []
    return [f"[files: {', '.join((*each[:count], *rest))}]"] if each else []


def unlisted_changes(number: int) -> str:
    """Number of changes beyond the changes listed one by one."""
    return f"[{number} more files are new, have changed, were moved or are gone; list shows them]"


def count_unindexed(number: int) -> list[str]:
    """Number of further named files that are not indexed; empty for 0."""
    return [f"[{number} more files are not indexed]"] if number else []


def describe_change(version: FileVersion, was: FileVersion, chars: int) -> str:
    """Change of a file."""
    name = f"file {version.object}: {shown_path(version.path)}"
    if version.status == "missing":
        return f"[{name} is gone, version {version.no}]"
    if version.path != was.path:
        return f"[{name} is where {shown_path(was.path)} was moved, version {version.no}]"
    size = f"{chars} characters" if version.status == "text" else f"{version.size} bytes, {version.status}"
    return f"[{name} has changed, version {version.no}, {size}]"


def text_of(name: str, no: int) -> str:
    """Heading of a text that stands apart from the command's result."""
    return f"[text of {name}, version {no}]" if name.startswith("f") else f"[text of {name}]"


def shown_command(command: str) -> str:
    """Beginning of a command in one unambiguous line; a long command ends in `...`."""
    line = " ".join("".join(char if char.isprintable() else " " for char in command[: 4 * COMMAND_CHARS]).split())
    is_cut = len(line) > COMMAND_CHARS or len(command) > 4 * COMMAND_CHARS
    return f"{line[: COMMAND_CHARS - 3]}..." if is_cut else line


def shown_path(path: str) -> str:
    r"""Path in one unambiguous line; quoted unless made of plain characters, such as `"a\nb"`."""
    if len(path) > PATH_CHARS:
        path = f"{path[: PATH_CHARS - 23]}...{path[-20:]}"
    return path if _PLAIN.fullmatch(path) else json.dumps(path)
