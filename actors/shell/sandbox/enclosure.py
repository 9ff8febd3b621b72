"""Wrapping of a command: turns a command into a job for the watching process."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from actors.linux.processes import machine_bytes, process_status
from actors.shell.job import THREADS, Job, Limits
from actors.shell.sandbox import bubblewrap
from actors.shell.sandbox.filter import build_filter
from actors.shell.sandbox.view import View, search_path

TEMPORARY_FILES = 50_000
"""In each of the command's file systems in memory."""
LEAST_MEMORY_BYTES = 512 * 1024**2
"""Bytes to leave to the machine, or an eighth of all memory if less; used when no control group bounds the command."""
_AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")
_COUNTS_APART = (5, 14)
"""First Linux with a separate count of processes for each user namespace."""
_MOUNTS_BY_DESCRIPTOR = (5, 12)
"""First Linux with mounts by descriptor and changes of their attributes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """Factory of jobs for the watching process."""

    bash: str
    """Path of bash."""
    bwrap: str
    """bubblewrap's path."""
    mounts_by_descriptor: bool = False
    """True if mounts in folders open to changes by other programs are made by descriptor."""
    has_scopes: bool = False
    """True if Landlock can restrict a command that reaches the network."""

    def job(
        self,
        command: str,
        view: View,
        environment: Mapping[str, str],
        *,
        timeout_s: float,
        user_threads: int,
        is_alone: bool = False,
        disk: Limits | None = None,
        shared: Sequence[Limits] = (),
    ) -> Job:
        """Job to run `command`.

        Args:
            command: For bash.
            view: View of the command.
            environment: Whole environment, except for the wrapper's decisions.
            timeout_s: Seconds until the kill.
            user_threads: Threads of the agent's user on this machine; irrelevant unless `counts_users`.
            is_alone: True if the command slows no user but its own caller, and so may begin sessions.
            disk: Bounds on the command's folder; None for no bounds.
            shared: Bounds on the shared folders that the command may change.
        """
        # To the kernel's own user 0 its limit of processes does not apply, in no namespace.
        is_root = os.geteuid() == 0
        threads = THREADS + (user_threads if self.counts_users else 0)
        before = _limits(timeout_s, 0 if is_root else threads)
        door = {"AGENT_SOCKET": bubblewrap.DOOR} if view.door else {}
        files = bubblewrap.plan_files(view, by_descriptor=self.mounts_by_descriptor)
        machine = os.uname().machine
        return Job(
            argv=bubblewrap.command_line(self.bwrap, view, self.bash, command, before, files),
            environment={**environment, "PATH": search_path(environment["PATH"], view.executable), **door},
            limits=replace(
                disk or Limits(),
                least_memory_bytes=min(LEAST_MEMORY_BYTES, machine_bytes() // 8),
                most_temporary_files=TEMPORARY_FILES,
                most_threads=THREADS if is_root else 0,
            ),
            shared=shared,
            seccomp=build_filter(machine, bounds_memory=False),
            seccomp_ungrouped=build_filter(
                machine, bounds_memory=True, bounds_sessions=not is_alone and schedules_by_session()
            ),
            is_scoped=view.has_network and self.has_scopes,
            files=tuple(bubblewrap.copied_files(view).values()),
            late=files.late,
        )

    @property
    def counts_users(self) -> bool:
        """True if all threads of the user count against the limit of processes, and not only the command's."""
        return os.geteuid() != 0 and _kernel() < _COUNTS_APART


def can_mount_by_descriptor() -> bool:
    """True if this kernel makes mounts by descriptor."""
    return _kernel() >= _MOUNTS_BY_DESCRIPTOR


def _limits(timeout_s: float, threads: int) -> str:
    """Shell code that sets the limits of a command; stands before the command, on the first line.

    Bash sets the limits before the command is read; lower limits stay.
    """
    of_threads = f"; ulimit -u {threads}" if threads else ""
    return f"{{ ulimit -t {math.ceil(2 * timeout_s)}{of_threads}; }} 2> /dev/null; "


@cache
def _kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])


def schedules_by_session(file: Path = _AUTOGROUP) -> bool:
    """True if the kernel shares the processor out among sessions first, so niceness counts only within a session."""
    try:
        return file.read_bytes().strip() != b"0"
    except OSError:  # a kernel without the feature
        return False


def threads_of_user(uid: int) -> int:
    """Number of threads of user `uid`'s processes, as the kernel counts against the limit."""
    count = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if entry.stat().st_uid == uid:
                    count += process_status(int(entry.name)).threads
            except OSError:  # it has ended meanwhile
                continue
    return count
