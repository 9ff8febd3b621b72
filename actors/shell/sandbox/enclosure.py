"""One command, put into the wrapper that is in force."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from actors.shell.sandbox import bubblewrap
from actors.shell.sandbox.filter import build_filter
from actors.shell.sandbox.job import Job
from actors.shell.sandbox.view import View, landlock_paths, search_path

MEMORY_BYTES = 4 * 1024**3
FILE_BYTES = 100 * 1024**2
OPEN_FILES = 1024
PROCESSES = 128
"""Beyond what the user has already."""
QUIET = {"GIT_CONFIG_NOSYSTEM": "1"}
"""With Landlock files are shut that seem to be there; who finds one so gives up where it would do without."""
BASH_OPTIONS = ("--noprofile", "--norc", "-c")


class Wrapper(StrEnum):
    """What a command is put into."""

    BUBBLEWRAP = "bwrap"
    LANDLOCK = "landlock"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """Makes jobs for the watching process.

    Args:
        wrapper: Which; not `NONE`.
        bash: Its path.
        bwrap: bubblewrap's path; empty with Landlock.
    """

    wrapper: Wrapper
    bash: str
    bwrap: str = ""

    def job(
        self, command: str, view: View, environment: Mapping[str, str], *, timeout_s: float, user_threads: int
    ) -> Job:
        """The job that runs `command`.

        Args:
            command: For bash.
            view: What it may see.
            environment: All of it, but for what the wrapper decides.
            timeout_s: When it will be killed.
            user_threads: How many threads the agent's user has on this machine.

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
            limits=_limits(timeout_s) | ({} if is_root else {"NPROC": user_threads + PROCESSES}),
            most_processes=PROCESSES if is_root else 0,
            has_network=view.has_network,
            seccomp=self._filter(view),
        )
        return self._in_bubblewrap(job, view, command) if self.bwrap else self._under_landlock(job, view, command)

    def _in_bubblewrap(self, job: Job, view: View, command: str) -> Job:
        door = {"AGENT_SOCKET": bubblewrap.DOOR} if view.door else {}
        return replace(
            job,
            argv=bubblewrap.command_line(self.bwrap, view, self.bash, command),
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


def _limits(timeout_s: float) -> dict[str, int]:
    return {
        "AS": MEMORY_BYTES,
        "FSIZE": FILE_BYTES,
        "NOFILE": OPEN_FILES,
        "CORE": 0,
        "CPU": math.ceil(2 * timeout_s),
    }


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
