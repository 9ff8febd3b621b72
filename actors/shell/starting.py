"""Strategies of starting a command: bare, or in the wrapper that is in force."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from actors.shell.job import Job
from actors.shell.launch import bash_launch, command_environment
from actors.shell.log_visibility import LogVisibility
from actors.shell.process import BashProcess, Process
from actors.shell.quota import Quota
from actors.shell.refused import RefusedError
from actors.shell.sandbox.enclosure import Enclosure, Wrapper, threads_of_user
from actors.shell.sandbox.view import View, is_below, programs_elsewhere
from actors.shell.warden_client import WardenClient
from actors.shell.workplace import Workplace, Workplaces
from messages.shell import RunBash

_COUNT_HOLDS_S = 1.0


class Starter(Protocol):
    """Strategy of starting commands."""

    async def start(self, request: RunBash, timeout_s: float, door: str) -> tuple[Workplace, Process]:
        """Start a command in its working directory.

        Args:
            request: Whose command, and which.
            timeout_s: When it will be killed.
            door: Path of the window's control socket; empty for none.

        Raises:
            RefusedError: it cannot be started.
        """


class BareStarter:
    """Starter of commands with the agent's own rights, for operators who asked for just that."""

    def __init__(self, *, bash: str, data_root: Path, workplaces: Workplaces) -> None:
        self._bash = bash
        self._data_root = data_root.absolute()
        self._workplaces = workplaces

    async def start(self, request: RunBash, timeout_s: float, door: str) -> tuple[Workplace, Process]:  # noqa: ARG002
        """As `Starter.start`."""
        workplace = self._workplaces.open(request.window)
        environment = command_environment(
            os.environ, workplace=workplace, window=request.window, data_root=self._data_root
        )
        if door:
            environment["AGENT_SOCKET"] = door
        return workplace, BashProcess(bash_launch(self._bash, request.command, workplace, environment))


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Permissions of commands, besides those on their working directory; the operator's decision."""

    has_network: bool = False
    scope: str = "global"
    """Whose logs they may read; see `LogVisibility`."""
    skill_roots: tuple[Path, ...] = ()
    """Folders that they may read and run programs of."""


class EnclosedStarter:
    """Starter of commands in a sandbox, with no more than their permissions."""

    def __init__(
        self,
        *,
        enclosure: Enclosure,
        warden: WardenClient,
        data_root: Path,
        workplaces: Workplaces,
        permissions: Permissions,
        quota: Quota,
    ) -> None:
        self._enclosure = enclosure
        self._warden = warden
        self._data_root = data_root.absolute()
        self._workplaces = workplaces
        self._permissions = permissions
        self._quota = quota
        self._is_overlaying = enclosure.wrapper is Wrapper.BUBBLEWRAP
        self._visibility = LogVisibility(data_root, permissions.scope, can_overlay=self._is_overlaying)
        self._user_threads = 0
        self._count_holds_until = 0.0

    async def start(self, request: RunBash, timeout_s: float, door: str) -> tuple[Workplace, Process]:
        """As `Starter.start`."""
        try:
            logs = self._visibility.mounts_for(request.window, request.audience)
            workplace = self._workplaces.open(request.window, logs.at)
            view = self._view(workplace, logs.mounts, door)
            await asyncio.to_thread(self._check_room, workplace)
            environment = command_environment(
                os.environ, workplace=workplace, window=request.window, data_root=self._data_root
            )
            job = self._enclosure.job(
                request.command, view, environment, timeout_s=timeout_s, user_threads=self._threads()
            )
        except ValueError as error:
            raise RefusedError(str(error)) from error
        except OSError as error:
            raise RefusedError(f"The command cannot be started: {error}") from error
        try:
            return workplace, await self._warden.start(job)
        except RefusedError:
            _discard(job)
            raise

    def _view(self, workplace: Workplace, logs: tuple[tuple[str, str], ...], door: str) -> View:
        return View(
            cwd=str(workplace.cwd),
            own=tuple(dict.fromkeys((str(workplace.cwd), str(workplace.home)))),
            readable=logs,
            executable=(*programs_elsewhere(), *(str(root) for root in self._permissions.skill_roots if root.is_dir())),
            hidden=() if workplace.is_windows_own else self._hidden(workplace.cwd),
            door=door,
            has_network=self._permissions.has_network,
        )

    def _hidden(self, cwd: Path) -> tuple[str, ...]:
        """What a command of the command line may not see of its caller's folder.

        Raises:
            RefusedError: that cannot be arranged.
        """
        here, root = os.path.realpath(cwd), os.path.realpath(self._data_root)
        if here == "/" or is_below(here, (root, "/usr", "/etc", "/proc", "/dev", "/run")):
            raise RefusedError(f"Commands cannot be run in {here}: it belongs to the agent or to the system.")
        if not is_below(root, (here,)) or not self._data_root.exists():
            return ()
        if not self._is_overlaying:
            raise RefusedError(
                f"Commands cannot be run in {here}: the agent's data root is in it, which only bubblewrap could hide."
            )
        return (root,)

    def _check_room(self, workplace: Workplace) -> None:
        if workplace.is_windows_own:
            self._quota.check(workplace.cwd)
        else:
            self._quota.check_disk(workplace.cwd)

    def _threads(self) -> int:
        if not self._enclosure.counts_users:
            return 0
        now = asyncio.get_running_loop().time()
        if now >= self._count_holds_until:
            self._user_threads = threads_of_user(os.getuid())
            self._count_holds_until = now + _COUNT_HOLDS_S
        return self._user_threads


def _discard(job: Job) -> None:
    """Remove what was made for a command that is not to be."""
    if job.scratch:
        Path(job.scratch).rmdir()
