"""Path patterns: files of a declaration, and files mentioned in a text.

`*` is anything within a name, `?` one character, `**` any folders. A pattern without a slash is a name anywhere
in a path; a pattern with a slash may begin at any folder, unless the pattern begins with a slash. A match includes
all files below the match.
"""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST_PATTERN = 200
MOST_STARS = 3
"""Most `**` in a pattern: each multiplies the time for a path."""
LOOKED_AT = 20_000
"""Characters of a text."""
MOST_PATHS = 100
LONGEST_PATH = 300
DEEPEST_PATH = 20
"""Names in a path."""

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_QUOTED = re.compile(r"`([^`\s]{1,300})`")
_PATHLIKE = re.compile(r"[\w./~@+\[\]{}()*-]+")
_LINE = re.compile(r"(?<=[\w\])]):\d+(?:[:-]\d+)?$")
_NAME_WITH_KIND = re.compile(r"[\w.+@\[\]-]*\w\.(?=[A-Za-z0-9]{0,9}[A-Za-z])[A-Za-z0-9]{1,10}")


def fault_of_pattern(pattern: str) -> str:
    """The rule broken by a pattern; empty for a valid pattern."""
    parts = [part for part in pattern.strip().split("/") if part]
    if not parts or len(pattern) > LONGEST_PATTERN or not pattern.isprintable():
        return f"must be a path or pattern of 1 to {LONGEST_PATTERN} characters"
    if ".." in parts:
        return "must not hold `..`"
    if parts.count("**") > MOST_STARS:
        return f"must not hold `**` more than {MOST_STARS} times"
    if all(not part.strip("*?.") for part in parts):
        return "must not fit every file"
    return ""


@lru_cache(maxsize=256)
def matcher(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Expression that finds a line fitting any of `patterns`, in a text of one path a line."""
    return re.compile("|".join(_expression(pattern) for pattern in patterns) or r"(?!)", re.MULTILINE)


def mentioned_paths(text: str) -> tuple[str, ...]:
    """Paths and names of files in `text`, each once, with single slashes and no `./` in front.

    A word with a slash or an ending, or in backquotes, counts; addresses of web pages do not.
    """
    plain = _ADDRESS.sub(" ", text[:LOOKED_AT]).replace("\\", "/")
    paths: dict[str, None] = {}
    for quoted in _QUOTED.findall(plain):
        _add(quoted, paths, is_quoted=True)
    for word in _PATHLIKE.findall(plain):
        _add(word, paths)
    return tuple(paths)[:MOST_PATHS]


def _add(word: str, paths: dict[str, None], *, is_quoted: bool = False) -> None:
    bare = _LINE.sub("", word.lstrip("\"'(*").rstrip(".,;!?\"')*"))
    names = [name for name in bare.split("/") if name not in ("", ".", "..")]
    path = ("/" if bare.startswith("/") else "") + "/".join(names)
    if not names or len(path) > LONGEST_PATH or len(names) > DEEPEST_PATH:
        return
    if is_quoted or "/" in path or _NAME_WITH_KIND.fullmatch(path):
        paths[path] = None


def _expression(pattern: str) -> str:
    """Regular expression for a fitting line, in time proportional to the line, except for `**`."""
    stripped = pattern.strip()
    parts = [part for part in stripped.split("/") if part not in ("", ".")]
    anchored = stripped.startswith(("/", "~"))
    folders = "".join(r"(?:[^/\n]+/)*" if part == "**" else f"{_part(part)}/" for part in parts[:-1])
    last = r"[^\n]*" if parts[-1] == "**" else f"{_part(parts[-1])}(?:/[^\n]*)?"
    begin = "^/" if stripped.startswith("/") else "^" if anchored else r"^/?(?:[^/\n]+/)*?"
    return f"{begin}{folders}{last}$"


def _part(part: str) -> str:
    """One name of a pattern; a star takes the least text without backtracking, so many stars cost no more."""
    first, *rest = (re.escape(piece).replace(r"\?", r"[^/\n]") for piece in re.split(r"\*+", part))
    if not rest:
        return first
    *middle, last = rest
    return first + "".join(rf"(?>[^/\n]*?{piece})" for piece in middle) + rf"[^/\n]*{last}"
