"""bubblewrap's command line for a view: an empty machine, plus the few things that a command needs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from actors.shell.job import BLOCK_FD, FILTER_FD, FIRST_FILE_FD, STATUS_FD, SYNC_FD, LateMount
from actors.shell.sandbox.late_mounts import Early, split
from actors.shell.sandbox.shared_mounts import Mount, cover, innermost, with_shared
from actors.shell.sandbox.view import LINKED_TO_SYSTEM, SYSTEM, View, is_below

DOOR = "/run/agent.sock"
NOBODY = "65534"
TEMPORARY_BYTES = 256 * 1024 * 1024
SHARED_MEMORY_BYTES = 64 * 1024 * 1024

# An empty folder over what /proc has of the namespace's first process, bubblewrap itself: /proc/1/exe leads past all
# mounts to the program's own file, whose mode a command could change where the agent's user owns the file.
_COVERED_FIRST_PROCESS = ("--size", "4096", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1")
ATTENDED = (
    "trap 'code=$?; exec >&- 2>&-; "
    "for ((i = 0; i < 20; i++)); do set -- /proc/[0-9]*; (($# > 2)) || break; sleep 0.01; done; "
    'exit $code\' EXIT; eval "shift;$1"'
)
"""Runs the command ($1) and gives remaining processes a moment to end: this bash is the first process of the namespace,
and its end ends every other process. A second bash around the command would do the same for any command, but costs
3 ms. All on one line, so bash counts the command's lines from 1."""


@dataclass(frozen=True, slots=True)
class Files:
    """Mounts of a view: words for bubblewrap, and mounts to make after bubblewrap's own."""

    words: tuple[str, ...]
    late: tuple[LateMount, ...] = ()


def command_line(
    bwrap: str, view: View, bash: str, command: str, before: str = "", files: Files | None = None
) -> tuple[str, ...]:
    """Command line that runs `before` and then `command` with `bash` inside `view`.

    Args:
        bwrap: Path of bubblewrap.
        view: View of the command.
        bash: Path of bash.
        command: For bash.
        before: For bash, ahead of the command.
        files: Mounts of the view; None for mounts by bubblewrap only.
    """
    inside = (bash, "--noprofile", "--norc", "-c", before + ATTENDED, bash, command)
    files = files or plan_files(view, by_descriptor=False)
    waiting = ("--block-fd", str(BLOCK_FD)) if files.late else ()
    words = (*_separation(view), *waiting, *_machine(view), *files.words)
    return (bwrap, *words, "--chdir", view.cwd, "--", *inside)


def copied_files(view: View) -> dict[int, str]:
    """The single files that bubblewrap copies into the view: descriptor number -> path of the file.

    A copy of a small file costs a tenth of a mount.
    """
    files = [path for path in view.configuration() if os.path.isfile(path)]  # noqa: PTH113 - thrice as fast
    return dict(enumerate(files, FIRST_FILE_FD))


def _separation(view: View) -> Iterator[str]:
    """Namespaces, and no privilege, be the agent root or not."""
    yield from ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
    if not view.has_network:
        yield "--unshare-net"
    yield from ("--uid", NOBODY, "--gid", NOBODY, "--cap-drop", "ALL", "--disable-userns", "--hostname", "sandbox")
    yield from ("--die-with-parent", "--new-session")
    yield from ("--seccomp", str(FILTER_FD), "--json-status-fd", str(STATUS_FD))
    yield from ("--sync-fd", str(SYNC_FD))


def _machine(view: View) -> Iterator[str]:
    """Programs of the system and the necessary part of its configuration."""
    yield from _programs()
    for number, path in copied_files(view).items():
        yield from ("--perms", "0444", "--file", str(number), path)
    for path in view.configuration():
        if os.path.isdir(path):  # noqa: PTH112
            yield from ("--ro-bind-try", path, path)
    # Read-only: to a root agent's command, which is the owner of what is in /proc/sys, it would be open.
    yield from ("--proc", "/proc", *_COVERED_FIRST_PROCESS, "--remount-ro", "/proc", "--dev", "/dev")
    yield from ("--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")
    yield from ("--size", str(TEMPORARY_BYTES), "--tmpfs", "/tmp")


@cache
def _programs() -> tuple[str, ...]:
    """Programs of the system; looked up once, since a running system does not move its programs."""
    options = [option for folder in SYSTEM for option in ("--ro-bind", folder, folder)]
    for path in map(Path, LINKED_TO_SYSTEM):
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    return tuple(options)


def plan_files(view: View, *, by_descriptor: bool) -> Files:
    """Mounts of a view; mounts that other programs could redirect are made by descriptor if possible."""
    private = [path for path in view.covered_paths() if os.path.isdir(path)]  # noqa: PTH112
    covers = [path for path in view.hidden if os.path.isdir(path)]  # noqa: PTH112
    under_covers = [mount for mount in view.readable if is_below(mount[1], tuple(covers))]
    mounts = list(_mounts(view, private, covers, under_covers))
    closed = with_shared(mounts, view) if view.shared else ()
    shared = {folder.path for folder in view.shared}  # over a cover it would itself be what is made read-only
    mounts += [("--remount-ro", path) for path in covers if path not in shared]
    mounts += [("--ro-bind", "/dev/null", path) for path in view.hidden if path not in covers]
    readable = [mount for mount in view.readable if mount not in under_covers]
    mounts += [("--ro-bind-try", source, shown_at) for source, shown_at in readable]
    if view.door:
        mounts.append(("--ro-bind-try", view.door, DOOR))
    mounts += [("--remount-ro", path) for path in (*private, *closed, "/")]
    early = split(mounts, view) if by_descriptor else Early(mounts)
    return Files(tuple(word for mount in early.mounts for word in mount), early.late)


def _mounts(
    view: View, private: Sequence[str], covers: Sequence[str], under_covers: Sequence[tuple[str, str]]
) -> Iterator[Mount]:
    """Mounts to make before anything is made read-only, in order."""
    for path in (*view.executable, *view.folders):
        yield "--ro-bind-try", path, path
    for path in private:
        yield cover(path)
    for path in view.executable:
        if is_below(os.path.realpath(path), tuple(private)):
            yield "--ro-bind-try", path, path
    for path in view.covered_paths():
        if os.path.isfile(path):  # noqa: PTH113
            yield "--ro-bind", "/dev/null", path
    for path in view.own:
        yield "--bind", path, path
    for path in _held_folders(view):
        yield "--bind", path, path
    for path in view.protected:
        yield "--ro-bind-try", path, path
    for path in covers:
        yield cover(path)
    for path in view.executable:
        if is_below(path, tuple(covers)):
            yield "--ro-bind-try", path, path
    for source, shown_at in under_covers:  # such as the logs, where the data root lies in the caller's folder
        yield "--ro-bind-try", source, shown_at


def _held_folders(view: View) -> list[str]:
    """Folders between changeable paths and protected, hidden or shared paths inside, outermost first.

    As mount points of their own the folders cannot be renamed, so no content can be moved away with a folder.
    """
    roots = set(view.own)
    shared = {folder.path for folder in view.shared}
    closed = (*view.protected, *view.hidden, *shared)
    between = {str(parent) for path in closed for parent in Path(path).parents if is_below(str(parent), tuple(roots))}
    return sorted(path for path in between - roots if innermost(path, roots | shared) not in shared)
