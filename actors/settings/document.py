"""The operator's settings file as read: values, and the line of each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.linux.regular_file import NotRegularError, open_regular
from actors.settings.problem import Problem, SettingsError
from actors.settings.toml_lines import ArrayOfTablesError, KeyPath, key_lines

_LARGEST_FILE_BYTES = 256 * 1024
_MOST_KEY_PARTS = 64
_LONG_KEY = re.compile(
    r"""(?:(?:(?<![\w-])[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*+\.[ \t]*+){%d}""" % _MOST_KEY_PARTS  # noqa: UP031
)
"""Key with too many parts: tomllib takes the square of the number, a minute for a file filled by a single key."""
_TOMLLIB_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Document:
    """Content of the settings file; empty for a missing file."""

    place: str
    """The file as the operator named it."""
    path: Path | None = None
    """Absolute path; None for a missing file."""
    values: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[KeyPath, int] = field(default_factory=dict)

    def line(self, path: KeyPath) -> int:
        """Line of a key, or of the nearest table above the key; 0 without either."""
        return next((self.lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.lines), 0)

    def problem(self, path: KeyPath, text: str) -> Problem:
        """A problem with the key at `path`."""
        return Problem(self.place, self.line(path), text)


def read(path: Path, place: str, *, required: bool) -> Document:
    """Values of the file and their lines; an empty document for a missing file that isn't required.

    Raises:
        SettingsError: The file can't be read, isn't UTF-8, isn't TOML.
    """
    content = read_content(path, place, required=required)
    return Document(place) if content is None else parse(content, path, place)


def read_content(path: Path, place: str, *, required: bool) -> bytes | None:
    """Bytes of the file, read once; None for a missing file that isn't required.

    Raises:
        SettingsError: The file can't be read, or is too long.
    """
    try:
        with open(open_regular(path), "rb") as stream:  # noqa: PTH123 - has no Path
            content = stream.read(_LARGEST_FILE_BYTES + 1)
    except NotRegularError:
        raise SettingsError(Problem(place, 0, "is not a file" + (" but a folder" if path.is_dir() else ""))) from None
    except FileNotFoundError:
        # A link that leads nowhere was meant to be a file.
        if required or path.is_symlink():
            raise SettingsError(Problem(place, 0, "there is no such file")) from None
        return None
    except OSError as error:
        raise SettingsError(Problem(place, 0, f"can't be read: {error.strerror}")) from None
    if len(content) > _LARGEST_FILE_BYTES:
        raise SettingsError(Problem(place, 0, f"must be at most {_LARGEST_FILE_BYTES} bytes long"))
    return content


def parse(content: bytes, path: Path, place: str) -> Document:
    """Values and lines in a file's bytes.

    Raises:
        SettingsError: The content isn't UTF-8, isn't TOML.
    """
    values, lines = _parse_text(_decode(content, place), place)
    return Document(place=place, path=path.absolute(), values=values, lines=lines)


def _decode(content: bytes, place: str) -> str:
    try:
        return content.decode("utf-8-sig")  # some editors on Windows put a byte order mark first
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SettingsError(
            Problem(place, line, f"must be UTF-8: byte 0x{error.object[error.start]:02X} isn't")
        ) from None


def _parse_text(text: str, place: str) -> tuple[dict[str, object], Mapping[KeyPath, int]]:
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise SettingsError(Problem(place, line, f"a key must have at most {_MOST_KEY_PARTS} parts"))
    try:
        return tomllib.loads(text), key_lines(text)
    except ArrayOfTablesError as error:
        problem = Problem(place, error.line, "[[…]]: arrays of tables are not used here; write [table]")
    except RecursionError:
        problem = Problem(place, 0, "not valid TOML: arrays or tables nested too deeply")
    except ValueError as error:
        problem = _syntax_problem(str(error), text, place)
    raise SettingsError(problem)


def _syntax_problem(complaint: str, text: str, place: str) -> Problem:
    position = _TOMLLIB_PLACE.search(complaint)
    reason = _TOMLLIB_PLACE.sub("", complaint)
    if position is None:
        return Problem(place, 0, f"not valid TOML: {reason}")
    if position[1] is None:
        return Problem(place, len(text.splitlines()) or 1, f"not valid TOML: {reason} at the end of the file")
    return Problem(place, int(position[1]), f"not valid TOML at column {position[2]}: {reason}")
