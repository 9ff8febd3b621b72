"""Wrapping of a command: turns it into a job for the watching process, by the wrapper that is in force."""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

from actors.shell.job import Job
from actors.shell.sandbox import bubblewrap
from actors.shell.sandbox.filter import build_filter
from actors.shell.sandbox.view import View, landlock_paths, search_path

PROCESSES = 128
"""Beyond what the user has already, where the kernel counts that."""
_COUNTS_APART = (5, 14)
"""The first Linux that counts the processes of a user namespace for itself."""
QUIET = {"GIT_CONFIG_NOSYSTEM": "1"}
"""With Landlock files are shut that seem to be there; who finds one so gives up where it would do without."""
BASH_OPTIONS = ("--noprofile", "--norc", "-c")


class Wrapper(StrEnum):
    """Program that a command is put into."""

    BUBBLEWRAP = "bwrap"
    LANDLOCK = "landlock"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """Factory of jobs for the watching process."""

    wrapper: Wrapper
    """Which; not `NONE`."""
    bash: str
    """Its path."""
    bwrap: str = ""
    """bubblewrap's path; empty with Landlock."""

    def job(
        self, command: str, view: View, environment: Mapping[str, str], *, timeout_s: float, user_threads: int
    ) -> Job:
        """The job that runs `command`.

        Args:
            command: For bash.
            view: What it may see.
            environment: All of it, but for what the wrapper decides.
            timeout_s: When it will be killed.
            user_threads: How many threads the agent's user has on this machine; of no account unless `counts_users`.

        Raises:
            OSError: there is no place for its temporary files.
        """
        environment = {**environment, "PATH": search_path(environment["PATH"], view.executable)}
        # To the kernel's own user 0 its limit of processes does not apply, in no namespace.
        is_root = os.geteuid() == 0
        job = Job(
            argv=(),
            environment=environment,
            cwd=view.cwd,
            most_processes=PROCESSES if is_root else 0,
            has_network=view.has_network,
            seccomp=self._filter(view),
        )
        processes = PROCESSES + (user_threads if self.counts_users else 0)
        limits = _limits(timeout_s, 0 if is_root else processes)
        if self.bwrap:
            return self._in_bubblewrap(job, view, command, limits)
        return self._under_landlock(job, view, limits + command)

    @property
    def counts_users(self) -> bool:
        """Whether to the limit of processes all of the user's count, and not only the command's."""
        return os.geteuid() != 0 and (not self.bwrap or _kernel() < _COUNTS_APART)

    def _in_bubblewrap(self, job: Job, view: View, command: str, limits: str) -> Job:
        door = {"AGENT_SOCKET": bubblewrap.DOOR} if view.door else {}
        return replace(
            job,
            argv=bubblewrap.command_line(self.bwrap, view, self.bash, command, limits),
            environment={**job.environment, **door},
            cwd="/",
            reports_status=True,
            files=tuple(bubblewrap.copied(view).values()),
        )

    def _under_landlock(self, job: Job, view: View, command: str) -> Job:
        scratch = tempfile.mkdtemp(prefix=".tmp-", dir=view.own[-1])
        door = {"AGENT_SOCKET": view.door} if view.door else {}
        return replace(
            job,
            argv=(self.bash, *BASH_OPTIONS, command),
            environment={**job.environment, **door, **QUIET, "TMPDIR": scratch},
            landlock=landlock_paths(view, scratch),
            door=view.door,
            scratch=scratch,
        )

    def _filter(self, view: View) -> bytes:
        return build_filter(
            os.uname().machine,
            has_namespaces=self.wrapper is Wrapper.BUBBLEWRAP,
            has_network=view.has_network,
        )


def _limits(timeout_s: float, processes: int) -> str:
    """What sets the limits that differ from command to command; stands before a command, on its first line.

    Bash itself sets them before it reads anything of the command; where there are lower ones already, they stay.
    """
    of_processes = f"; ulimit -u {processes}" if processes else ""
    return f"{{ ulimit -t {math.ceil(2 * timeout_s)}{of_processes}; }} 2> /dev/null; "


@cache
def _kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])


def threads_of_user(uid: int) -> int:
    """How many threads the processes of user `uid` have, which is what the kernel counts against its limit."""
    count = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                status = (entry / "status").read_bytes()
            except OSError:  # it has ended meanwhile
                continue
            fields = dict(line.split(b":", 1) for line in status.splitlines() if b":" in line)
            if int(fields[b"Uid"].split()[0]) == uid:
                count += int(fields[b"Threads"])
    return count
