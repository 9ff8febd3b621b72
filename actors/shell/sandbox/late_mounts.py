"""Late mounts: made by descriptor, in folders that other commands may be changing meanwhile; pure.

bubblewrap finds sources and places by path, and follows links. A running command can put a link at the place of a
new command's mount, unless the place is a mount of its own: then another's file would be shown, or emptied. A path
opened once, through no link, and mounted by its descriptor stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actors.shell.job import LateMount
from actors.shell.sandbox.shared_mounts import Mount, innermost
from actors.shell.sandbox.view import View, is_below

_CHANGED, _READ = ("--bind", "--bind-try"), ("--ro-bind", "--ro-bind-try")
SOURCES = "/run/agent/shown"
"""Folder of a sandbox with the sources of late mounts."""
_DEVICES = "/dev/"


@dataclass(frozen=True, slots=True)
class Early:
    """Mounts made by bubblewrap, and mounts left for later, each in order."""

    mounts: Sequence[Mount]
    late: tuple[LateMount, ...] = ()


def split(mounts: Sequence[Mount], view: View) -> Early:
    """Part the mounts of `view` by their maker.

    Swappable are paths in a folder that this or another command may change, or another program of the caller's.
    Paths that only the agent writes there, such as attachments, are mounts in each command that may change the folder,
    so no command can replace them.
    """
    early, late = list[Mount](), list[LateMount]()
    opened, covered, late_covers = list[str](), list[str](), list[str]()
    shared = {folder.path for folder in view.shared}
    open_folders = {*view.own, *view.folders, *shared}
    to_cover = [mount[-1] for mount in mounts if "--tmpfs" in mount and _holds_a_mount(mount[-1], mounts)]
    own = {shown_at for _, shown_at in view.readable} - set(view.protected)
    for mount in mounts:
        kind, place = mount[0], mount[-1]
        folder = innermost(place, [each for each in opened if each != place])
        path = place.removeprefix(f"{folder.rstrip('/')}/")
        is_swappable = bool(folder) and len(innermost(place, covered)) < len(folder) and place not in own
        is_bind = kind in (*_CHANGED, *_READ)
        if is_swappable and is_bind and is_below(place, tuple(each for each in to_cover if each not in covered)):
            continue  # a cover will lie over it
        if is_swappable and is_bind:
            source = "" if mount[1] == place else mount[1]
            if source and not source.startswith(_DEVICES):
                early.append(("--ro-bind-try", source, f"{SOURCES}/{len(late)}"))
                source = f"{SOURCES}/{len(late)}"
            may_write, is_shared = kind in _CHANGED, folder in shared
            late.append(LateMount(folder=folder, path=path, source=source, may_write=may_write, is_shared=is_shared))
        elif is_swappable and "--tmpfs" in mount and not _holds_a_mount(place, mounts):
            late.append(LateMount(folder=folder, path=path, is_cover=True, is_shared=folder in shared))
            late_covers.append(place)
        elif not (kind == "--remount-ro" and place in late_covers):
            early.append(mount)
            if place in open_folders:
                opened.append(place)
            elif "--tmpfs" in mount:
                covered.append(place)
    return Early(early, tuple(late))


def _holds_a_mount(place: str, mounts: Sequence[Mount]) -> bool:
    """True if a mount is shown in the cover over `place`, so the cover must be made by path."""
    return any(is_below(mount[-1], (place,)) and mount[-1] != place for mount in mounts)
