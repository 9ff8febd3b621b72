"""Folders of a data root: each is a folder, or the agent user's own link to a folder of that user or of root.

A pipe, a file or another user's link in place of a folder ends a start with a sentence; no such entry is opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from domain.log.window import LOGGED_SURFACES

BY_SURFACE = ("logs", "work", "attachments", "output", "redacted")
"""Folders with a subfolder for each surface; a subfolder cannot be a link."""
NAMES = (
    *BY_SURFACE,
    *("approvals", "curated", "facts", "forget", "imports", "memory", "memory_db", "objects", "reminders", "routes"),
    *("skills", "sockets", "usage", "views", "workspace"),
)
"""Folders of a data root, as listed in docs/operations.md."""
_ROOT_UID = 0
_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a link",
}


def folder_faults(root: Path) -> Iterator[str]:
    """Sentences about what stands in a data root in the place of a folder, each with the path and the rule."""
    for name in NAMES:
        yield from _fault_of(root / name, may_link=True)
    for name in BY_SURFACE:
        yield from surface_faults(root / name)


def surface_faults(folder: Path) -> Iterator[str]:
    """Faults of the surfaces' folders in a folder of `BY_SURFACE`; empty if the path is no folder."""
    if folder.is_dir():
        for surface in LOGGED_SURFACES:
            yield from _fault_of(folder / surface.value, may_link=False)


def _fault_of(path: Path, *, may_link: bool) -> Iterator[str]:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        yield f"{path}: must be a folder and cannot be looked at: {error.strerror}"
        return
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFLNK and may_link:
        yield from _fault_of_link(path, status)
    elif kind != stat.S_IFDIR:
        yield f"{path}: must be a folder and is {_KINDS.get(kind, 'something else')}; take it away"


def _fault_of_link(path: Path, link: os.stat_result) -> Iterator[str]:
    rule = f"{path}: must be a folder, or a link of the agent's user to a folder of that user or of root"
    target_name = repr(str(path.readlink()))[1:-1]
    owners = (os.geteuid(), _ROOT_UID)
    if link.st_uid not in owners:
        yield f"{rule}; it is a link to {target_name} that user {link.st_uid} made"
        return
    try:
        target = path.stat()
    except OSError as error:
        yield f"{rule}; it is a link to {target_name}: {error.strerror}"
        return
    if not stat.S_ISDIR(target.st_mode):
        yield f"{rule}; it is a link to {target_name}, which is {_KINDS.get(stat.S_IFMT(target.st_mode), 'no folder')}"
    elif target.st_uid not in owners:
        yield f"{rule}; it is a link to {target_name}, which is user {target.st_uid}'s"
