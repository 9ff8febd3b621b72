"""Problems of the operator's files, in a line each."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from actors.settings.toml_lines import KeyPath

_SHOWN_CHARACTERS = 60
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Fault to mend; sorts by place in the file."""

    place: str
    """File as the operator named it, a variable's name, or `command line`."""
    line: int
    """Line, counted from 1; 0 without a line."""
    text: str

    def __str__(self) -> str:
        """Problem as the operator reads it, e.g. `agent.toml:7: shell.timeout_s = 0: must be > 0 and <= 600`."""
        return f"{self.place}:{self.line}: {self.text}" if self.line else f"{self.place}: {self.text}"


class SettingsError(ValueError):
    """Fault of files that keeps the agent from starting; the text has a line per problem, sorted by place."""

    def __init__(self, *problems: Problem) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))


def dotted_key(path: KeyPath) -> str:
    """Key in TOML's notation, e.g. `discord.channels[2]`; odd parts in quotes, printable and on a single line."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _BARE_KEY.fullmatch(part) else quote_text(part))
    return text


def quote_text(text: str) -> str:
    """`text` in double quotes, cut to 60 characters, escaped where a terminal could be misled."""
    cut = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return json.dumps(cut, ensure_ascii=not cut.isprintable())


def render_value(value: object) -> str:
    """Value in TOML's notation, short enough for a line; tables and arrays are only hinted at."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quote_text(value)
        case float():
            return repr(value)
        case int():
            return number(value)
        case list() | tuple():
            return "[…]" if value else "[]"
        case dict():
            return "{…}"
        case _:
            return quote_text(str(value))


def number(value: int | float) -> str:
    """Number without a needless `.0`, and without its digits if they would fill the screen."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value) if abs(value) < 10**30 else "a number of more than 30 digits"
