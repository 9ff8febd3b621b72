"""Made names: names that a turn's commands made in the caller's folder and that programs would obey.

A name that was there before the turn is read-only during the turn. A name that was not there cannot be covered by a
mount, so the name is changed once no command lives any more, and the user decides about the content. A link that leads
out of the folder is such a name, too: a program that writes through the link would write elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from actors.shell.refused import RefusedError
from actors.shell.sandbox.caller_folder import READING, walk
from actors.shell.sandbox.git_store import is_git_store
from actors.shell.sandbox.obeyed_names import is_obeyed
from actors.shell.sandbox.view import LINKED_TO_SYSTEM, SYSTEM, is_below

ALLOWED = frozenset((".venv", "venv"))
"""Folders that a user has commands make, and whose programs a user runs by name."""
SYSTEM_FOLDERS = (*SYSTEM, *LINKED_TO_SYSTEM)
"""Folders to which a link may lead: programs and libraries of the system."""
SUFFIX = ".set-aside"


@dataclass(frozen=True, slots=True)
class Move:
    """One name that was set aside, as paths relative to the folder."""

    name: str
    now: str
    """Empty if the name could not be changed."""


def obeyed_paths(folder: Path, private: Iterable[Path]) -> frozenset[str] | None:
    """Paths in `folder` that programs obey, that lead out of the folder, or that cannot be listed.

    Args:
        folder: The caller's.
        private: Paths that commands do not see and therefore did not change.

    Returns:
        None if the folder has too many entries for a search; commands are refused there.
    """
    here = os.path.realpath(folder)
    try:
        return frozenset(_find(here, [os.path.realpath(path) for path in private]))
    except RefusedError:
        return None


def set_aside(folder: Path, private: Iterable[Path], before: Set[str]) -> list[Move]:
    """Rename whatever programs obey in `folder` and was not there before.

    Args:
        folder: The caller's.
        private: As for `obeyed_paths`.
        before: Paths of `obeyed_paths`, from before the first command.
    """
    here = os.path.realpath(folder)
    made = (obeyed_paths(folder, private) or frozenset()) - before
    inside = {path for path in made if not made.isdisjoint(map(str, Path(path).parents))}
    for path in inside:
        if path.endswith("/HEAD"):
            _rename(path)
    moves = []
    for path in sorted(made - inside):
        now = _rename(path)
        moves.append(Move(os.path.relpath(path, here), os.path.relpath(now, here) if now else ""))
    return moves


def _find(here: str, private: Sequence[str]) -> Iterator[str]:
    for folder, is_others, entries in walk(here, private, READING.most_entries, enters_hidden=True):
        if entries is None:
            yield folder
            continue
        if is_git_store({entry.name for entry in entries}):
            yield f"{folder}/HEAD"  # without which git takes the folder for no store
        for entry in entries if not is_others else ():
            is_one = entry.name not in ALLOWED and is_obeyed(entry.name, os.path.basename(folder))  # noqa: PTH119
            if is_one or (entry.is_symlink() and not is_below(os.path.realpath(entry.path), (here, *SYSTEM_FOLDERS))):
                yield entry.path


def _rename(path: str) -> str:
    """Give a path a name that no program obeys; the new path, or empty if that cannot be done."""
    folder, name = os.path.split(path)
    number = 1
    while os.path.lexists(now := f"{folder}/{name.lstrip('.') or 'dots'}{SUFFIX}-{number}"):
        number += 1
    try:
        os.rename(path, now)  # noqa: PTH104
    except OSError:
        return ""
    return now
