"""Caller's folder: names that commands of the command line may see, and names that commands may never change.

The folder in which a user types `agent-cli` holds the user's secrets, and files that the user's shell, editor, git and
this agent will run next. So commands only read the folder unless the user lets them write. Even then some names stay
read-only and some are not shown at all.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from actors.shell.refused import RefusedError
from actors.shell.sandbox.git_store import is_git_store, is_of_store, named_paths
from actors.shell.sandbox.kept_names import is_code, is_secret
from actors.shell.sandbox.obeyed_names import RESERVED_FOLDERS, is_obeyed
from actors.shell.sandbox.shown_copy import MOST_BYTES_TOGETHER, STORE_FILES, copy_without_secrets, is_copied
from actors.shell.sandbox.view import is_below

RESERVED = ("agent.toml", "secrets.env")
"""Names also forbidden for new files of a command: the agent's next start would obey the file."""
OTHERS = (".git", ".hg", ".svn", ".venv", "venv")
"""Folders owned by other programs: read-only as a whole, so searched for secrets only."""
_SYSTEM = ("/usr", "/etc", "/proc", "/dev", "/run", "/sys", "/boot")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerFolder:
    """Decisions about the folder of the command line's caller."""

    may_write: bool = False
    """True if commands may change the folder, except for protected names."""
    private: tuple[Path, ...] = ()
    """Files and folders that are never shown: the data root, the secrets file in force."""
    unchanging: tuple[Path, ...] = ()
    """Paths shown read-only: the settings in force, the running program with its packages."""
    most_entries: int = 500_000
    """Most entries of a folder in the search for secrets."""
    most_kept: int = 1_000
    """Hidden or protected paths; each costs a command a fifth of a millisecond."""
    exists: Callable[[str], bool] = os.path.lexists
    """True if the file system knows a path, in whatever spelling."""


READING = CallerFolder()


@dataclass(frozen=True, slots=True)
class Findings:
    """Private and protected paths of a caller's folder."""

    hidden: tuple[str, ...]
    protected: tuple[str, ...]
    copies: tuple[tuple[str, bytes], ...] = ()
    """Settings files with secrets, each with the content shown instead."""


def examine(folder: Path, decisions: CallerFolder) -> Findings:
    """Paths in `folder` that commands may not see or may not change; every name is examined once.

    Raises:
        RefusedError: commands cannot be run there at all.
    """
    here = os.path.realpath(folder)
    private = [os.path.realpath(path) for path in decisions.private]
    unchanging = [os.path.realpath(path) for path in decisions.unchanging if path.exists()]
    if here == "/" or is_below(here, (*private, *_SYSTEM)):
        raise RefusedError(f"Commands cannot be run in {here}: it belongs to the agent or to the system.")
    if any(is_secret(each.name, each.parent.name) for each in (Path(here), *Path(here).parents)):
        raise RefusedError(f"Commands cannot be run in {here}: its name says that it holds secrets.")
    if decisions.may_write:
        check_writing(folder, decisions.unchanging)
        _check_links(here, (*decisions.private, *decisions.unchanging))
    hidden = [path for path in private if is_below(path, (here,)) and Path(path).exists()]
    protected = [path for path in unchanging if is_below(path, (here,))]
    twins: dict[tuple[int, int], bool] = _twins(private, is_hidden=True)
    settings = list[str]()
    for path, is_hidden in _find_by_name(here, private, decisions, settings):
        (hidden if is_hidden else protected).append(path)
        twins = _twins([path], is_hidden=is_hidden) | twins
    copies, unreadable = _copies(settings, hidden)
    hidden += unreadable
    twins = _twins([*copies, *unreadable], is_hidden=True) | twins
    if decisions.may_write:
        protected += copies
    _check_spelling((*hidden, *protected, *copies), decisions.exists)
    for path, is_hidden in _other_names(here, twins, (*private, *hidden), decisions.most_entries):
        if path in copies:
            continue
        (hidden if is_hidden else protected).append(path)
    if len(hidden) + len(protected) + len(copies) > decisions.most_kept:
        raise RefusedError(
            f"Commands cannot be run in {here}: more than {decisions.most_kept:,} of its files are like secrets or "
            "what programs obey. Start in a smaller folder."
        )
    return Findings(tuple(dict.fromkeys(hidden)), tuple(dict.fromkeys(protected)), tuple(copies.items()))


def missing(folder: Path, decisions: CallerFolder) -> list[Path]:
    """Missing paths of `folder` that would be private or obeyed: the outermost missing parent of each."""
    here = Path(os.path.realpath(folder))
    paths = [here / name for name in (*RESERVED, *RESERVED_FOLDERS)]
    for path in map(Path, map(os.path.realpath, decisions.private)):
        if path.is_relative_to(here):
            paths += [each for each in (*reversed(path.parents), path) if each.is_relative_to(here)]
    gone = [path for path in paths if not (path.is_symlink() or path.exists())]
    return [path for path in dict.fromkeys(gone) if path.parent not in gone]


def check_writing(folder: Path, unchanging: Iterable[Path]) -> None:
    """Check that commands may write in a folder at all.

    Raises:
        RefusedError: the folder holds a home directory, belongs to the running agent, or is not the caller's to write.
    """
    here, home = os.path.realpath(folder), os.path.realpath(Path.home())
    if is_below(home, (here,)):
        raise RefusedError(
            f"Commands cannot be let write in {here}: it is or holds a home directory. Use a folder in it."
        )
    for path in map(os.path.realpath, unchanging):
        if is_below(here, (path,)):
            raise RefusedError(f"Commands cannot be let write in {here}: the running agent is in {path}.")
    for each in (Path(here), *Path(here).parents):
        if is_obeyed(each.name, each.parent.name) or (is_git_store(_names(each)) and is_of_store(here, each)):
            raise RefusedError(f"Commands may not write in {here}: programs obey the content of {each}.")
    if not os.access(here, os.W_OK | os.X_OK, effective_ids=True):
        raise RefusedError(f"Commands cannot be let write in {here}: you may not write there yourself.")


def _check_links(here: str, paths: Iterable[Path]) -> None:
    """Check that no link in the folder leads to private or active paths: a command could replace the link."""
    left, seen = [path.absolute() for path in paths], set[str]()
    while left:
        path = left.pop()
        for part in (path, *path.parents):
            if part.is_symlink():
                place = Path(os.path.realpath(part.parent), part.name)
                if str(place) not in seen:
                    seen.add(str(place))
                    left.append(place.parent / place.readlink())
                    _refuse_link(here, str(place))


def _refuse_link(here: str, place: str) -> None:
    if is_below(place, (here,)):
        raise RefusedError(
            f"Commands cannot be let write in {here}: {os.path.relpath(place, here)} is a link, which they could put "
            "another in the place of. Put there what it leads to, or use another folder."
        )


def _check_spelling(paths: Iterable[str], exists: Callable[[str], bool]) -> None:
    """Check that a kept name has one spelling: a mount over the name would leave another spelling open."""
    for folder, name in map(os.path.split, paths):
        other = name.swapcase()
        if other != name and exists(f"{folder}/{other}") and other not in _names(Path(folder)):
            raise RefusedError(
                f"Commands cannot be run in {folder}: its file system treats {other} and {name} as one name, so "
                "paths that are hidden from commands stay open under another name. Use a folder on a Linux file system."
            )


def _copies(settings: Iterable[str], hidden: Sequence[str]) -> tuple[dict[str, bytes], list[str]]:
    """Settings files with secrets, each with the content shown instead, and settings files that cannot be searched."""
    copies, unreadable = dict[str, bytes](), list[str]()
    room = MOST_BYTES_TOGETHER
    for path in dict.fromkeys(settings):
        if is_below(path, tuple(hidden)):
            continue
        try:
            room -= os.stat(path).st_size  # noqa: PTH116
            copy = copy_without_secrets(path) if room >= 0 else b""
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            unreadable.append(path)
        else:
            if room < 0:
                unreadable.append(path)
            elif copy is not None:
                copies[path] = copy
    return copies, unreadable


def _find_by_name(
    here: str, private: Sequence[str], decisions: CallerFolder, settings: list[str]
) -> Iterator[tuple[str, bool]]:
    """Paths to hide (true) or protect (false) by name or kind; a link counts as its target.

    Settings files that may hold secrets are added to `settings`.
    """
    may_write = decisions.may_write
    yield from _of_home(here)
    for folder, is_others, entries in walk(here, private, decisions.most_entries):
        if entries is None:
            yield folder, True
            continue
        is_store = is_git_store({entry.name for entry in entries})
        if may_write and not is_others and is_store:
            yield folder, False
        for entry in entries:
            is_hidden = _is_secret(entry, folder, is_others=is_others)
            if is_copied(entry.name, os.path.basename(folder)) or (is_store and entry.name in STORE_FILES):  # noqa: PTH119
                target = os.path.realpath(entry.path)
                if is_below(target, (here,)) and os.path.isfile(target):  # noqa: PTH113
                    settings.append(target)
            if is_hidden or (not is_others and is_obeyed(entry.name, os.path.basename(folder))):  # noqa: PTH119
                target = os.path.realpath(entry.path)
                if may_write and not is_others and entry.is_symlink():
                    _refuse_link(here, entry.path)
                if is_below(target, (here,)) and os.path.exists(target):  # noqa: PTH110
                    yield target, is_hidden
                if may_write and not is_others:
                    yield from ((path, False) for path in named_paths(target, folder) if is_below(path, (here,)))


def _of_home(here: str) -> Iterator[tuple[str, bool]]:
    """Targets in the folder of the home directory's links, as in a folder that keeps a user's settings."""
    home = Path.home()
    for name in _names(home):
        is_hidden = is_secret(name, home.name)
        if (is_hidden or is_obeyed(name, home.name)) and (home / name).is_symlink():
            target = os.path.realpath(home / name)
            if is_below(target, (here,)) and os.path.exists(target):  # noqa: PTH110
                yield target, is_hidden


def walk(
    here: str, closed: Sequence[str], most_entries: int
) -> Iterator[tuple[str, bool, list[os.DirEntry[str]] | None]]:
    """Each unhidden folder: path, whether other programs own the folder, and entries; None if unreadable.

    Args:
        here: Start of the walk.
        closed: Folders to skip.
        most_entries: Entries of all folders together.

    Raises:
        RefusedError: there are more entries, a path is too long, or the first folder cannot be listed.
    """
    seen = 0
    left = [(here, False)]
    while left:
        folder, is_others = left.pop()
        try:
            entries = _entries(folder)
        except OSError as error:  # what cannot be listed may yet be opened by name
            if folder == here:
                raise RefusedError(f"Commands cannot be run in {here}: {error.strerror}.") from None
            if error.errno == errno.ENAMETOOLONG:
                raise RefusedError(
                    f"Commands cannot be run in {here}: folders in it are nested deeper than a path can be long. "
                    "Start in another folder."
                ) from None
            yield folder, is_others, None
            continue
        seen += len(entries)
        if seen > most_entries:
            raise RefusedError(
                f"Commands cannot be run in {here}: it holds more than {most_entries:,} files, too many to find "
                "the secrets among them. Start in a smaller folder."
            )
        yield folder, is_others, entries
        folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False) and entry.path not in closed]
        left += [(entry.path, is_others or entry.name in OTHERS) for entry in folders if not _is_secret(entry, folder)]


def _is_secret(entry: os.DirEntry[str], folder: str, *, is_others: bool = False) -> bool:
    """True if an entry is hidden by name or kind: sockets and pipes, which lead out of a folder even if read-only."""
    is_plain = entry.is_symlink() or entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
    if not is_plain:
        return True
    return not (is_others and is_code(entry.name)) and is_secret(entry.name, os.path.basename(folder))  # noqa: PTH119


def _twins(paths: Iterable[str], *, is_hidden: bool) -> dict[tuple[int, int], bool]:
    """Device and inode of each file with a further name -> True if the file is hidden."""
    statuses = [os.stat(path) for path in paths if os.path.isfile(path)]  # noqa: PTH113, PTH116
    return {(status.st_dev, status.st_ino): is_hidden for status in statuses if status.st_nlink > 1}


def _other_names(
    here: str, twins: dict[tuple[int, int], bool], closed: Sequence[str], most_entries: int
) -> Iterator[tuple[str, bool]]:
    """Further names of kept files."""
    if not twins:
        return
    for _, _, entries in walk(here, closed, most_entries):
        for entry in entries or ():
            if entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                if (is_hidden := twins.get((status.st_dev, status.st_ino))) is not None:
                    yield entry.path, is_hidden


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(entries)


def _names(folder: Path) -> Set[str]:
    try:
        return set(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return frozenset()
