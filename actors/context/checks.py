"""Checks of the data root: usable folders, enough room, and intact logs."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from actors.context.log import reserve
from actors.context.log.data_root import LOCK_NAME, UNFINISHED_RESTORE, DataRoot, DataRootError
from actors.context.log.examination import close_to_others, examine, open_folders, seal
from actors.context.log.root_folders import folder_faults
from actors.linux.private_folder import PRIVATE, make_private
from actors.part import Finding, Level, Repair, command

LEAST_FREE_BYTES = 512 * 1024 * 1024
_NAMED = 3


def findings(path: Path, roomy: int = reserve.ROOMY) -> Iterator[Finding]:
    """Findings on a data root.

    Args:
        path: The data root, which need not exist yet.
        roomy: Free space needed for a new reserve, in multiples of its size.
    """
    if not path.exists():
        parent = next(folder for folder in path.parents if folder.exists())
        is_writable = os.access(parent, os.W_OK)
        detail = f"{path} (not there yet; {'can' if is_writable else 'cannot'} be made)"
        repair = None if is_writable else Repair("make the agent's user the owner of the folder above")
        yield Finding("data root", Level.OK if is_writable else Level.FAIL, detail, repair)
        return
    root = DataRoot(path)
    use = _use(root)
    yield use
    free = shutil.disk_usage(path).free
    level = Level.OK if free >= LEAST_FREE_BYTES else Level.FAIL
    room = None if level is Level.OK else Repair("free disk space: the agent then continues by itself")
    yield Finding("disk", level, f"{free / 1e9:.1f} GB free", room)
    if use.level is Level.FAIL:
        return
    yield from _remains(root, roomy)
    if faults := tuple(folder_faults(path)):
        repair = Repair("put a folder in its place; the agent does not start without it")
        yield from (Finding("folders", Level.FAIL, fault, repair) for fault in faults)
        return
    yield from _folders(root)
    yield from _logs(root)


def _use(root: DataRoot) -> Finding:
    if (root.path / UNFINISHED_RESTORE).exists():
        detail = f"{root.path}: a restore is under way or was cut short"
        return Finding("data root", Level.FAIL, detail, Repair(f"run `{command()} restore` again, with --replace"))
    lock = root.path / LOCK_NAME
    if os.path.lexists(lock) and not stat.S_ISREG(lock.stat(follow_symlinks=False).st_mode):
        return Finding(
            "data root",
            Level.FAIL,
            f"{lock}: is not a regular file",
            Repair("remove it; the next start creates the lock file"),
        )
    try:
        if root.is_held():
            return Finding("data root", Level.OK, f"{root.path}, an agent uses it")
    except DataRootError as error:
        return Finding("data root", Level.FAIL, str(error), Repair("make the agent's user its owner"))
    if not root.path.is_dir() or not os.access(root.path, os.R_OK | os.W_OK | os.X_OK):
        detail = f"data root {root.path}: cannot be written"
        return Finding("data root", Level.FAIL, detail, Repair("make the agent's user the folder's owner"))
    return Finding("data root", Level.OK, str(root.path))


def _remains(root: DataRoot, roomy: int) -> Iterator[Finding]:
    """Findings on the reserve: left by a killed agent, or missing under a running agent."""
    place = root.path / reserve.NAME
    if not root.is_held():
        if place.exists():
            detail = f"{place} was left by an agent that was killed"
            repair = Repair(
                f"remove it; the next start creates a new one ({reserve.RESERVE_BYTES >> 20} MiB)", place.unlink
            )
            yield Finding("reserve", Level.WARN, detail, repair)
    elif reserve.is_whole(root.path):
        yield Finding("reserve", Level.OK, f"{reserve.RESERVE_BYTES >> 20} MiB for the logs")
    else:
        repair = Repair(
            "free disk space, then reserve it again", partial(_take_reserve, root.path, roomy), while_running=True
        )
        yield Finding("reserve", Level.WARN, "no disk space is kept for the logs", repair)


def _take_reserve(root: Path, roomy: int) -> None:
    if not reserve.keep(root, roomy):
        raise OSError("the disk still has too little free space")


def _folders(root: DataRoot) -> Iterator[Finding]:
    folders = (root.logs, root.work)
    missing = [folder for folder in folders if not folder.exists()]
    if missing:

        def make() -> None:
            for folder in missing:
                make_private(folder)

        names = ", ".join(folder.name for folder in missing)
        yield Finding(
            "folders", Level.WARN, f"{names}: not there", Repair("create them; the next start does so too", make)
        )
    is_open = list(dict.fromkeys(open_folders(root.path)))
    if is_open:

        def shut() -> None:
            for folder in is_open:
                folder.chmod(PRIVATE)

        detail = f"others may enter or change, or the agent cannot use: {_some(is_open)}"
        yield Finding(
            "permissions of folders", Level.WARN, detail, Repair("restrict them to their owner (mode 0700)", shut)
        )


def _logs(root: DataRoot) -> Iterator[Finding]:
    examined = examine(root.path)
    if examined.misplaced:
        repair = Repair("restrict them to the agent's user", partial(close_to_others, examined.misplaced))
        detail = f"others may change, or the agent cannot read: {_some(examined.misplaced)}"
        yield Finding("permissions of logs", Level.WARN, detail, repair)
    if examined.torn:
        repair = Repair("seal them; the agent also does so when opening a log", partial(seal, root.path, examined.torn))
        yield Finding("torn logs", Level.WARN, f"a crash cut the last record short: {_some(examined.torn)}", repair)
    if examined.problems:
        detail = f"{examined.checked} checked, {len(examined.problems)} problems, first: {examined.problems[0]}"
        advice = f"compare them with a backup (`{command()} logs check` names each place); the agent continues "
        yield Finding("logs", Level.FAIL, detail, Repair(f"{advice}without the unverifiable records"))
    else:
        yield Finding("logs", Level.OK, f"{examined.checked} checked, every hash chain holds")


def _some(paths: list[Path]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(map(str, paths[:_NAMED])) + more
