"""Control groups of commands: bounds on memory of every kind and on processes, and a small share of the processor.

Each fork that runs commands joins a separate group before a command comes, since a later move costs some
milliseconds. The kernel counts there all holdings of a command: pages, files in memory, pipes, buffers of sockets.
Against other groups a command counts once, with any number of processes. If no group may be made, the
watching process looks instead (see `bounds`).

Version 2 is used if systemd gave the agent's service a tree of its own (`Delegate=cpu memory pids` with
`DelegateSubgroup=agent`), version 1 if its folders can be written; writing there takes root.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.linux.processes import machine_bytes

MEMORY_BYTES = 2 * 1024**3
"""Most bytes for a command; half of the machine's, if less."""
OURS_BESIDE = 8
"""Threads in a group besides the command's: the fork itself and bubblewrap."""
SUBGROUP = "agent"
"""Name as in `DelegateSubgroup` of the service: the agent's own group, beside the groups of its commands."""
PREFIX = "command-"
_MOUNT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


@dataclass(frozen=True, slots=True)
class GroupRoot:
    """Folders for groups: a single folder with version 2, a folder per controller with version 1."""

    folders: tuple[str, ...]
    limits: Mapping[str, str]
    """Name of a file in a group -> its content; a file missing from a folder is left out."""

    def join(self) -> None:
        """Put this process into a separate group.

        Raises:
            OSError: the kernel refused, or holds no bound there.
        """
        written = set()
        for folder in self.folders:
            group = Path(folder, f"{PREFIX}{os.getpid()}")
            group.mkdir(exist_ok=True)
            for name, limit in self.limits.items():
                if (file := group / name).exists():
                    try:
                        file.write_text(limit)
                    except OSError:
                        if name not in _OPTIONAL:
                            raise
                    written.add(name)
            (group / "cgroup.procs").write_text("0")
        if missing := self.limits.keys() - written - _OPTIONAL:
            raise OSError(f"control groups have no {', '.join(sorted(missing))}")

    def has_share(self) -> bool:
        """True if the group of this process has a share of the processor, however many sessions the command begins."""
        groups = [f"{folder}/{PREFIX}{os.getpid()}" for folder in self.folders]
        return any(os.path.exists(f"{group}/{name}") for group in groups for name in _SHARES)  # noqa: PTH110

    def set_share(self, percent: int) -> None:
        """Set this process group's share of a contested processor, against a process of the agent's."""
        for folder in self.folders:
            for name, full in _SHARES.items():
                with suppress(OSError), open(f"{folder}/{PREFIX}{os.getpid()}/{name}", "r+") as file:  # noqa: PTH123
                    file.write(str(full * percent // 100))

    def remove(self, pid: int) -> None:
        """Remove the group of an ended fork."""
        for folder in self.folders:
            with suppress(OSError):  # there is none, or something in it is still dying; `sweep` finds it later
                Path(folder, f"{PREFIX}{pid}").rmdir()

    def sweep(self) -> None:
        """Remove groups left by a killed agent; groups with members stay."""
        for folder in self.folders:
            for group in Path(folder).glob(f"{PREFIX}*"):
                with suppress(OSError):
                    group.rmdir()


_OPTIONAL = {"memory.swap.max", "memory.memsw.limit_in_bytes", "cpu.weight", "cpu.shares"}
"""Kernels have these only where swap is counted, and not every tree has a share of the processor to give."""
_SHARES = {"cpu.weight": 100, "cpu.shares": 1024}
"""Default share of a group, with version 2 and version 1."""
CPU_SHARE = 5
"""Percent left to a command that has given way."""


def find_groups(processes: int, mount: Path = _MOUNT, own: Path = _OWN) -> GroupRoot | None:
    """Root for groups; None without a root. Only a successful `join` confirms the root.

    Args:
        processes: Most threads of a command.
        mount: Mount point of control groups.
        own: File of /proc with this process's groups.
    """
    memory = str(min(MEMORY_BYTES, machine_bytes() // 2))
    threads = str(processes + OURS_BESIDE)
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return None
    paths = {controllers: path for _, controllers, path in (line.split(":", 2) for line in lines)}
    return _version_2(paths, mount, memory, threads) or _version_1(paths, mount, memory, threads)


def _version_2(paths: Mapping[str, str], mount: Path, memory: str, threads: str) -> GroupRoot | None:
    here = mount / paths.get("", "/").lstrip("/")
    parent = here.parent
    if here.name != SUBGROUP or not os.access(parent, os.W_OK):
        return None
    try:
        if not {"memory", "pids"} <= set((parent / "cgroup.controllers").read_text().split()):
            return None
        (parent / "cgroup.subtree_control").write_text("+memory +pids")
    except OSError:
        return None
    with suppress(OSError):  # it does without
        (parent / "cgroup.subtree_control").write_text("+cpu")
    limits = {"memory.max": memory, "memory.swap.max": "0", "pids.max": threads, "cpu.weight": "100"}
    return GroupRoot((str(parent),), limits)


def _version_1(paths: Mapping[str, str], mount: Path, memory: str, threads: str) -> GroupRoot | None:
    of_controller = {name: path for names, path in paths.items() for name in names.split(",")}
    folders = [mount / name / of_controller.get(name, "").lstrip("/") for name in ("memory", "pids")]
    if not all(name in of_controller for name in ("memory", "pids")):
        return None
    if not all(os.access(folder, os.W_OK) and folder.is_dir() for folder in folders):
        return None
    cpu = mount / "cpu" / of_controller.get("cpu", "").lstrip("/")
    if "cpu" in of_controller and cpu.is_dir() and os.access(cpu, os.W_OK):
        folders.append(cpu)
    limits = {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory, "pids.max": threads}
    return GroupRoot(tuple(map(str, folders)), limits | {"cpu.shares": "1024"})
