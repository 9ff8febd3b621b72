"""Made names: names that a turn's commands made in the caller's folder and that programs would obey.

A name present before the turn is read-only during the turn. A mount cannot cover a missing name, so a new name is
changed once no command lives any more, and the user decides about the content. A link that leads
out of the folder counts, too: a program that writes through the link would write elsewhere.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.shell.sandbox.caller_folder import OTHERS, READING
from actors.shell.sandbox.git_store import STORE
from actors.shell.sandbox.obeyed_names import is_obeyed
from actors.shell.sandbox.view import LINKED_TO_SYSTEM, SYSTEM, is_below

ALLOWED = frozenset((".venv", "venv"))
"""Folders made by commands for a user, with programs that the user runs by name."""
SYSTEM_FOLDERS = (*SYSTEM, *LINKED_TO_SYSTEM)
"""Folders allowed as targets of a link: programs and libraries of the system."""
SUFFIX = ".set-aside"
_OPEN = os.R_OK | os.W_OK | os.X_OK


@dataclass(frozen=True, slots=True)
class Move:
    """Name set aside, as paths relative to the folder."""

    name: str
    now: str
    """Empty if the name could not be changed."""


class _TooManyError(Exception):
    """A folder has more entries than are looked at."""


def obeyed_paths(folder: Path, private: Iterable[Path]) -> frozenset[str] | None:
    """Paths in `folder` that programs obey, that lead out of the folder, or that cannot be listed.

    Args:
        folder: The caller's.
        private: Paths hidden from commands and therefore unchanged.

    Returns:
        None if the folder has too many entries for a search; commands are refused there.
    """
    here = os.path.realpath(folder)
    try:
        return frozenset(_find(here, {os.path.realpath(path) for path in private}, READING.most_entries))
    except _TooManyError:
        return None


def set_aside(folder: Path, private: Iterable[Path], before: Set[str]) -> list[Move]:
    """Rename whatever programs obey in `folder` and was not there before, however many entries commands have made.

    Args:
        folder: The caller's.
        private: As for `obeyed_paths`.
        before: Paths of `obeyed_paths`, from before the first command.
    """
    here = os.path.realpath(folder)
    _open_up(here)
    names = frozenset(_find(here, {os.path.realpath(path) for path in private}, sys.maxsize)) - before
    inside = {path for path in names if not names.isdisjoint(map(str, Path(path).parents))}
    for path in inside:
        if path.endswith("/HEAD"):
            _rename(path)
    moves = []
    for path in sorted(names - inside):
        now = "" if path == here else _rename(path)
        moves.append(Move(os.path.relpath(path, here), os.path.relpath(now, here) if now else ""))
    return moves


def _find(here: str, private: Collection[str], most_entries: int) -> Iterator[str]:
    """Paths as of `obeyed_paths`, entry by entry, so no folder is too large for the memory."""
    seen = 0
    left = [(here, False)]
    while left:
        folder, is_others = left.pop()
        of_store = set[str]()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    seen += 1
                    if seen > most_entries:
                        raise _TooManyError
                    if entry.name in STORE:
                        of_store.add(entry.name)
                    if not is_others and _is_obeyed(entry, folder, here):
                        yield entry.path
                    if entry.is_dir(follow_symlinks=False) and entry.path not in private:
                        left.append((entry.path, is_others or entry.name in OTHERS))
        except OSError:
            yield folder
        if of_store == STORE:
            yield f"{folder}/HEAD"  # without which git takes the folder for no store


def _is_obeyed(entry: os.DirEntry[str], folder: str, here: str) -> bool:
    if entry.name not in ALLOWED and is_obeyed(entry.name, os.path.basename(folder)):  # noqa: PTH119
        return True
    return entry.is_symlink() and not is_below(os.path.realpath(entry.path), (here, *SYSTEM_FOLDERS))


def _open_up(folder: str) -> None:
    """Reopen for the caller a folder of the caller's own, shut by commands."""
    if not os.access(folder, _OPEN, effective_ids=True):
        with suppress(OSError):
            os.chmod(folder, os.stat(folder).st_mode & 0o777 | 0o700)  # noqa: PTH101, PTH116


def _rename(path: str) -> str:
    """Rename a path to a name that no program obeys; return the new path, or empty text after a failure."""
    folder, name = os.path.split(path)
    _open_up(folder)
    number = 1
    while os.path.lexists(now := f"{folder}/{name.lstrip('.') or 'dots'}{SUFFIX}-{number}"):
        number += 1
    try:
        os.rename(path, now)  # noqa: PTH104
    except OSError:
        return ""
    return now
