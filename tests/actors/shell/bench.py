"""A shell on a system of real threads, and what tests need to know of processes and sandboxes."""

from __future__ import annotations

import itertools
import os
import threading
import time
from functools import cache
from pathlib import Path

from actors.kernel import ActorSpec, ActorSystem, IdSource
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from actors.shell.launch import probe_bash
from actors.shell.quota import Quota
from actors.shell.sandbox.choice import Level, SandboxFindings, sandbox_level
from messages.base import Address, RequestId, Surface, Window
from messages.shell import BashRefused, BashResult, CancelBash, RunBash, SharedFolder
from tests.patience import PATIENCE_S

SHELL = Address("shell")
DYING_S = 20.0
"""In which what was killed must be gone, however busy the machine; those who are looked for would sleep for 240 s."""
HELD_UP_S = 150.0
"""A command that is held up by what it started takes the 240 s for which that sleeps, and this is less."""
CLI = Window(surface=Surface.CLI, id="turn")


def window(number: int = 0) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(100_000_000_000_000_000 + number))


class Bench:
    """Asks a ShellActor and collects its replies."""

    def __init__(
        self, root: Path, *, quota: Quota | None = None, ids: IdSource | None = None, **settings: object
    ) -> None:
        self.root = root
        self.sandbox = str(settings.get("sandbox", "auto"))
        self.actors: list[ShellActor] = []
        self.findings = SandboxFindings()
        config = ShellConfig(work_root=root / "work", data_root=root, **settings)  # type: ignore[arg-type]

        def build(_key: str) -> ShellActor:
            actor = ShellActor(config, quota=quota, findings=self.findings)
            self.actors.append(actor)
            return actor

        self.system = ActorSystem(workers=2, ids=ids)
        self.system.register(ActorSpec("shell", build, core=True))
        self.system.start()
        self.edge = self.system.edge("test")
        self._ids = (RequestId(f"r{number}") for number in itertools.count(1))

    def workdir(self, of: Window | None = None) -> Path:
        owner = of or window()
        return self.root / "work" / owner.surface.value / owner.id

    def fifo(self, name: str, *, of: Window | None = None) -> Path:
        """Named pipe, a meeting point of test and command: the reader waits for the writer."""
        path = self.workdir(of) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)
        return path

    def ask(
        self,
        command: str,
        *,
        of: Window | None = None,
        timeout_s: float | None = None,
        audience: str = "",
        folders: tuple[SharedFolder, ...] = (),
        lane: str = "",
    ) -> RequestId:
        request_id = next(self._ids)
        self.system.tell(
            SHELL,
            RunBash(
                request_id=request_id,
                reply_to=self.edge.address,
                window=of or window(),
                command=command,
                timeout_s=timeout_s,
                audience=audience,
                folders=folders,
                lane=lane,
            ),
        )
        return request_id

    def cancel(self, request_id: RequestId) -> None:
        self.system.tell(SHELL, CancelBash(request_id=request_id))

    def result(self, request_id: RequestId) -> BashResult:
        reply = self.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == request_id)
        assert isinstance(reply, BashResult), reply
        return reply

    def refusal(self, request_id: RequestId) -> str:
        reply = self.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == request_id)
        assert isinstance(reply, BashRefused), reply
        return reply.reason

    def run(
        self,
        command: str,
        *,
        of: Window | None = None,
        timeout_s: float | None = None,
        audience: str = "",
        folders: tuple[SharedFolder, ...] = (),
    ) -> BashResult:
        return self.result(self.ask(command, of=of, timeout_s=timeout_s, audience=audience, folders=folders))


LEVELS = ("none", "auto")
"""For what an actor does with any command; the preferred sandbox stands for the other one."""
ENCLOSING = ("bundled", "bwrap")
"""For what a sandbox hides and refuses, which each bubblewrap does by itself."""


@cache
def level(choice: str) -> Level:
    """Sandbox level of this machine for `choice`."""
    return sandbox_level(choice, probe_bash() or "bash")


def living(marker: str) -> list[int]:
    """Process ids on this machine with `marker` in the command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if marker.encode() in words and is_alive(int(entry.name)):
                found.append(int(entry.name))
    return found


def all_gone(marker: str) -> bool:
    """True if soon no process has `marker` in the command line; killed processes get time to die."""
    deadline, pause = time.monotonic() + DYING_S, threading.Event()
    while living(marker):
        if time.monotonic() > deadline:
            return False
        pause.wait(0.01)
    return True


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(b")")[2].split()[0] not in (b"Z", b"X")
