"""Order of the mounts of shared folders: each after all enclosing mounts, and before all enclosed mounts; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from actors.shell.sandbox.view import View, is_below

Mount = tuple[str, ...]
"""bubblewrap's words for a mount, with the place as the last word."""
COVER_BYTES = 4096
"""Size of an empty folder in memory; only folders shown inside are made there."""
TEMPORARY = ("/tmp", "/dev/shm")
"""The command's own file systems in memory: the command may move their content."""
_TO_READ, _TO_CHANGE = "--ro-bind-try", "--bind-try"


def cover(path: str) -> Mount:
    """Empty folder over another folder."""
    return "--size", str(COVER_BYTES), "--tmpfs", path


def innermost(path: str, folders: Iterable[str]) -> str:
    """Innermost of `folders` that contains or equals `path`; empty without a match."""
    return max((folder for folder in folders if is_below(path, (folder,))), key=len, default="")


def with_shared(mounts: list[Mount], view: View) -> tuple[str, ...]:
    """Put the shared folders of `view` among `mounts`.

    A mount over a folder hides all earlier mounts inside the folder. So a shared folder goes right behind the last
    mount of a folder around it: no earlier mount is visible in the shared folder, and all mounts to lie over the folder
    come later.

    Returns:
        Folders to be made read-only after all mounts.
    """
    others = frozenset(mount[-1] for mount in mounts)
    options = _options(view, others)
    for path, option in sorted(options.items()):
        behind = max((at for at, mount in enumerate(mounts, 1) if is_below(path, (mount[-1],))), default=0)
        mounts.insert(behind, (option, path, path))
    tops = {top for folder in view.shared for top in _top(folder.path)}
    closed = tuple(sorted(top for top in tops if not innermost(top, (*others, *options))))
    mounts[:0] = map(cover, closed)
    return closed


def _options(view: View, others: frozenset[str]) -> dict[str, str]:
    """Mount options by path: the folders, their kept names, and the parents that must not be moved."""
    options = {folder.path: _TO_CHANGE if folder.may_write else _TO_READ for folder in view.shared}
    options |= {f"{folder.path}/{name}": _TO_READ for folder in view.shared for name in folder.kept}
    fixed = (*options, *others, *view.hidden)
    return {path: _TO_CHANGE for place in fixed for path in _folders_between(place, options, others)} | options


def _folders_between(place: str, options: dict[str, str], others: frozenset[str]) -> Sequence[str]:
    """Folders between a mount and a changeable shared folder around it: as mounts the folders stay."""
    between = list[str]()
    for parent in map(str, PurePath(place).parents):
        if parent in options:
            return between if options[parent] == _TO_CHANGE else ()
        if parent in others:
            break
        between.append(parent)
    return ()


def _top(path: str) -> Iterator[str]:
    """Paths in temporary folders that the command would have to move to move the folders above `path`."""
    for folder in TEMPORARY:
        if path.startswith(f"{folder}/"):
            yield f"{folder}/{path.removeprefix(folder).split('/')[1]}"
