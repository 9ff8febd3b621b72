"""Strategies of starting a command: bare, or in the active wrapper."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from actors.part import SHIPPED_SKILLS
from actors.shell.job import UNBOUNDED, Limits
from actors.shell.launch import SERVER_HOME, bash_launch, command_environment, server_environment, server_launch
from actors.shell.log_visibility import VIEWS, LogVisibility
from actors.shell.process import BashProcess, Process
from actors.shell.quota import LEAST_FREE_BYTES, Quota
from actors.shell.refused import RefusedError
from actors.shell.sandbox.caller_folder import READING, RESERVED, CallerFolder, Findings, examine, missing
from actors.shell.sandbox.enclosure import Enclosure, threads_of_user
from actors.shell.sandbox.shared_folder import Surroundings, bound_folders, hidden_of, shareable
from actors.shell.sandbox.view import DOOR_CLIENT, View, is_below, programs_elsewhere
from actors.shell.warden_client import WardenClient
from actors.shell.workplace import Workplace, Workplaces
from actors.skill_files.installed import Visible, VisibleRoots
from domain.log.window import LOG_ROOT, REDACTED_ROOT
from domain.log.window_folders import ATTACHMENTS_ROOT, OUTPUT_ROOT
from messages.shell import RunBash, SharedFolder, StartServer

_COUNT_HOLDS_S = 1.0
_SERVER_CPU_S = 30 * 86_400.0
"""A server may take twice as much time of a processor; an end for idle servers comes long before."""
_CLIENT = (str(SHIPPED_SKILLS / "door.py"), DOOR_CLIENT)
"""Module by which scripts of skills ask at the control socket, and the module's place in a sandbox."""
_UNBOUNDED = {"most_bytes": UNBOUNDED, "most_files": UNBOUNDED}
"""Bounds of folders opened to commands by people: only the disk."""


class Starter(Protocol):
    """Strategy of starting commands."""

    async def start(self, request: RunBash, timeout_s: float, door: str) -> tuple[Workplace, Process]:
        """Start a command in its working directory.

        Args:
            request: The command, with its window.
            timeout_s: Seconds until the kill.
            door: Path of the window's control socket; empty for none.

        Raises:
            RefusedError: the command cannot be started.
        """

    async def start_server(self, request: StartServer, command: str) -> Process:
        """Start a program that serves another actor.

        Args:
            request: The program's permissions.
            command: For bash.

        Raises:
            RefusedError: the program cannot be started.
        """


class BareStarter:
    """Starter of commands with the agent's own rights, for operators who asked for exactly this."""

    def __init__(self, *, bash: str, data_root: Path, workplaces: Workplaces, answer_s: float = 0.0) -> None:
        self._bash = bash
        self._answer_s = answer_s
        self._data_root = data_root.absolute()
        self._workplaces = workplaces

    async def start(self, request: RunBash, timeout_s: float, door: str) -> tuple[Workplace, Process]:  # noqa: ARG002
        """As `Starter.start`."""
        workplace = self._workplaces.open(request.window)
        environment = command_environment(
            os.environ,
            workplace=workplace,
            window=request.window,
            data_root=self._data_root,
            answer_s=self._answer_s,
        )
        if door:
            environment["AGENT_SOCKET"] = door
        return workplace, BashProcess(bash_launch(self._bash, request.command, workplace, environment))

    async def start_server(self, request: StartServer, command: str) -> Process:
        """As `Starter.start_server`."""
        environment = {**server_environment(os.environ, request), "AGENT_SOCKET": request.socket}
        return BashProcess(server_launch(self._bash, command, environment))


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Permissions of commands, besides access to their working directory; the operator's decision."""

    has_network: bool = False
    scope: str = "global"
    """Logs that commands may read; see `LogVisibility`."""
    skill_roots: tuple[Path, ...] = ()
    """Folders open to commands for reading and running."""
    caller: CallerFolder = READING
    """Permissions of the command line's commands in the caller's folder."""
    answer_s: float = 0.0
    """Seconds that scripts wait for an answer at the control socket; 0 for the usual wait."""


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
        self._private = tuple(map(os.path.realpath, (data_root, workplaces.work_root, *permissions.caller.private)))
        self._shared_quota = quota.for_shared()
        self._visibility = LogVisibility(data_root, permissions.scope)
        self._skills = VisibleRoots(permissions.skill_roots)
        self._findings: Findings | None = None
        self._copies: tuple[tuple[str, str], ...] = ()
        """Copies without secrets, each with the path covered by the copy."""
        self._user_threads = 0
        self._count_holds_until = 0.0

    async def start(self, request: RunBash, timeout_s: float, door: str) -> tuple[Workplace, Process]:
        """As `Starter.start`."""
        try:
            logs = self._visibility.mounts_for(request.window, request.audience)
            workplace = self._workplaces.open(request.window, logs.at)
            disk, skills = await asyncio.to_thread(lambda: (self._check_room(workplace), self._skills.look()))
            view = self._view(workplace, (*logs.mounts, *workplace.mounts), skills, door)
            shared: tuple[Limits, ...] = ()
            if request.folders:
                view, shared = await asyncio.to_thread(self._share, request.folders, view, disk)
            environment = command_environment(
                os.environ,
                workplace=workplace,
                window=request.window,
                data_root=self._data_root,
                answer_s=self._permissions.answer_s,
            )
            job = self._enclosure.job(
                request.command,
                view,
                environment,
                timeout_s=timeout_s,
                user_threads=self._threads(),
                is_alone=not workplace.is_windows_own,
                disk=disk,
                shared=shared,
            )
        except ValueError as error:
            raise RefusedError(str(error)) from error
        except OSError as error:
            raise RefusedError(f"The command cannot be started: {error}") from error
        process = await self._warden.start(job)
        process.exited.add_done_callback(lambda _exited: self._note_end(process, disk, shared))
        return workplace, process

    async def start_server(self, request: StartServer, command: str) -> Process:
        """As `Starter.start_server`."""
        writes = tuple(self._own_folder(path) for path in request.writes)
        view = View(
            cwd=SERVER_HOME,
            own=writes,
            private=self._private,
            executable=(*programs_elsewhere(), *(self._own_folder(path) for path in request.reads)),
            door=request.socket,
            has_network=request.has_network,
        )
        disk = Limits(folder=writes[0], least_free_bytes=LEAST_FREE_BYTES, **_UNBOUNDED) if writes else Limits()
        try:
            job = self._enclosure.job(
                command,
                view,
                server_environment(os.environ, request),
                timeout_s=_SERVER_CPU_S,
                user_threads=self._threads(),
                disk=disk,
            )
        except (OSError, ValueError) as error:
            raise RefusedError(f"it cannot be started: {error}") from error
        return await self._warden.start(job)

    def _own_folder(self, path: str) -> str:
        """Real path of a folder of a server's.

        Raises:
            RefusedError: the path is no folder, or the agent's.
        """
        real = os.path.realpath(path)
        if not Path(real).is_dir():
            raise RefusedError(f"{path} is not a folder")
        if is_below(real, self._private) or any(is_below(private, (real,)) for private in self._private):
            raise RefusedError(f"{path} must neither hold the agent's own folders nor lie in one")
        return real

    def _note_end(self, process: Process, disk: Limits, shared: tuple[Limits, ...]) -> None:
        """Called before anybody hears of the end."""
        if process.ending.exceeded and disk.folder:
            self._quota.forget(Path(disk.folder))
            for limits in shared:
                self._shared_quota.forget(Path(limits.folder))

    def _view(self, workplace: Workplace, readable: tuple[tuple[str, str], ...], skills: Visible, door: str) -> View:
        cwd, home = str(workplace.cwd), str(workplace.home)
        may_write = workplace.is_windows_own or self._permissions.caller.may_write
        readable = (*readable, *self._copies)
        return View(
            cwd=cwd,
            own=tuple(dict.fromkeys((cwd, home))) if may_write else (home,),
            folders=() if may_write else (cwd,),
            protected=self._findings.protected if self._findings is not None and may_write else (),
            hidden=(*(self._findings.hidden if self._findings is not None else ()), *skills.hidden),
            private=self._private,
            readable=(*readable, _CLIENT) if door else readable,
            executable=(*programs_elsewhere(), *skills.roots),
            door=door,
            has_network=self._permissions.has_network,
        )

    def _share(self, folders: tuple[SharedFolder, ...], view: View, disk: Limits) -> tuple[View, tuple[Limits, ...]]:
        """View with the shared folders, and bounds of the writable shared folders."""
        data_root, work_root, *private = self._private
        of_windows = (LOG_ROOT, REDACTED_ROOT, VIEWS, ATTACHMENTS_ROOT, OUTPUT_ROOT)
        around = Surroundings(
            data_root=data_root,
            private=(work_root, *(f"{data_root}/{name}" for name in of_windows), *set(private) - {data_root}),
            unchanging=tuple(map(os.path.realpath, self._permissions.caller.unchanging)),
            read=(*view.folders, *view.executable),
        )
        shared, bounds = bound_folders(shareable(folders, around), self._shared_quota, disk)
        return replace(view, shared=shared, hidden=(*view.hidden, *hidden_of(shared))), bounds

    def _check_room(self, workplace: Workplace) -> Limits:
        """Bounds on the command's writing.

        Raises:
            RefusedError: there is no room for more.
        """
        if workplace.is_windows_own:
            return self._quota.check(workplace.cwd)
        caller = self._permissions.caller
        if self._findings is None or caller.may_write:  # a command may have made what is to be protected, too
            self._findings = examine(workplace.cwd, caller)
            self._copies = self._workplaces.put_copies(self._findings.copies)
            if caller.may_write:
                gone = missing(workplace.cwd, caller)
                files = [path for path in gone if path.name in RESERVED]
                reserved = self._workplaces.reserve(files, [path for path in gone if path not in files])
                self._findings = replace(self._findings, protected=(*self._findings.protected, *reserved))
        limits = self._quota.check(workplace.home)
        return limits if not caller.may_write else replace(limits, folder=str(workplace.cwd), **_UNBOUNDED)

    def _threads(self) -> int:
        if not self._enclosure.counts_users:
            return 0
        now = asyncio.get_running_loop().time()
        if now >= self._count_holds_until:
            self._user_threads = threads_of_user(os.getuid())
            self._count_holds_until = now + _COUNT_HOLDS_S
        return self._user_threads
