"""The ground on which attacks are tried: a real shell, and around it everything that an attacker would like to have.

All of it is real and of the tests' own making: an agent's process with a token in its environment, secrets, logs,
another window's files and control socket, services on loopback. Attackers are told where everything is.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from actors.kernel import ActorSpec, ActorSystem
from actors.linux.processes import descendants
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from actors.socket.actor import SocketActor, SocketConfig
from lab.bench.escapes.script import BREACH, PRELUDE
from lab.bench.escapes.target import SECRET_FORM, Target
from messages.base import Address, Message, RequestId, Surface, Window
from messages.shell import BashRefused, BashResult, CancelBash, EmptyFolder, FolderEmptied, RunBash
from messages.socket import DoorOpen, OpenDoor
from tests.actors.socket.rig import OWNER, VERBS, OwnerActor
from tests.patience import PATIENCE_S

SHELL = Address("shell")
SOCKET = Address("socket")
DYING_S = 20.0
"""Until when whatever was killed must be gone: at once, but a busy machine has yet to get to it. What attacks leave lasts longer."""
SURVIVAL_S = 0.25
"""How long the survivors of a command without a sandbox are looked for: they are there at once, or not at all."""
HELD_UP_S = 100.0
"""What is held up by a command that sleeps takes 300 s, or for ever; what is not takes less than this, however busy the machine."""
COMMAND_S = 100.0
"""What a command may take that is to come to its end."""
TOKEN_LIKE = SECRET_FORM
"""What attackers look for: the agent's token, without saying it themselves."""

_libc = ctypes.CDLL(None, use_errno=True)
_NUMBERS = itertools.count(1)
_OTHERS = Window(surface=Surface.DISCORD_THREAD, id="999999999999999999")
_AGENT = """
import sys, time
print("ready", flush=True)
while True:
    time.sleep(60)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attacker got."""

    text: str
    result: BashResult
    duration_s: float
    survivors: tuple[str, ...]
    """What of it was alive when nothing should be any more."""

    @property
    def breaches(self) -> list[str]:
        return [line for line in self.text.splitlines() if line.startswith(BREACH)]


@dataclass
class Prize:
    """What attackers are after."""

    root: Path
    token: str = field(default_factory=lambda: f"tok-{secrets.token_hex(16)}")

    def __post_init__(self) -> None:
        self.data = self.root / "data"
        self.secrets = self._file("config/secrets.env", f"DISCORD_BOT_TOKEN={self.token}\n")
        self.ssh_key = self._file("home/alice/.ssh/id_ed25519", f"{self.token}\n")
        self.reminders = self._file("data/reminders.md", "- 2027-01-01 09:00 happy new year\n")
        self.index = self._file("data/memory.db", "SQLite format 3\0")
        self.shared_memory = self._file("data/memory.db-shm", "\0" * 32768)
        self.log = self._file("data/logs/discord-channel/111111111111111111/20260101T000000Z_0001.md", "# said\n" * 9)
        self.others_work = self._file(f"data/work/{_OTHERS.surface.value}/{_OTHERS.id}/private.txt", f"{self.token}\n")
        self.canary = self.root / "canary"

    def _file(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(text)
        path.chmod(0o600)
        return path

    def state(self) -> dict[str, object]:
        """Everything that no command may change."""
        apart = {self.data / "work", self.data / "output", self.data / "attachments", self.root / "doors"}
        files = [self.others_work]
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if Path(folder, name) not in apart]
            files += [Path(folder, name) for name in (*folders, *names)]
        return {str(path.relative_to(self.root)): _state(path) for path in sorted(files) if not path.is_socket()}


class Ground:
    """One shell at one level of the ladder, before everything it must guard.

    Every attack comes from a window of its own, so that none finds what another has left.
    """

    def __init__(self, root: Path, sandbox: str, **settings: Any) -> None:
        self.root = root
        self.sandbox = sandbox
        self.prize = Prize(root)
        self.window = Window(surface=Surface.DISCORD_THREAD, id=str(2 * 10**17))
        self.bystander = _start_bystander(self.prize.token)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(("127.0.0.1", 0))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0agent-{secrets.token_hex(8)}")
        self.abstract.listen()
        self.named = socket.socket(socket.AF_UNIX)
        self.named.bind(str(root / "service.sock"))
        self.named.listen()
        for each in (self.listener, self.datagrams, self.abstract, self.named):
            each.setblocking(False)
        self.system = self._start(settings)
        self.edge = self.system.edge("attacker")
        self.door = self._door(self.window)
        self.others_door = self._door(_OTHERS)

    def _start(self, settings: dict[str, Any]) -> ActorSystem:
        quota = settings.pop("quota", None)
        given = {"work_root": self.prize.data / "work", "data_root": self.prize.data, "door": SOCKET, **settings}
        config = ShellConfig(sandbox=self.sandbox, **given)
        system = ActorSystem(workers=2)
        folder = self.root / "doors"
        specs = (
            ActorSpec("owner", lambda _key: OwnerActor(), core=True),
            ActorSpec(
                "socket",
                lambda _key: SocketActor(SocketConfig(folder=folder, verbs={"look": VERBS["look"]})),
                core=True,
            ),
            ActorSpec("shell", lambda _key: ShellActor(config, quota=quota), core=True),
        )
        assert VERBS["look"].to == OWNER
        for spec in specs:
            system.register(spec)
        # The agent has its token in its environment, though it should not: the worst case.
        os.environ["DISCORD_BOT_TOKEN"] = self.prize.token
        try:
            system.start()
        finally:
            del os.environ["DISCORD_BOT_TOKEN"]
        return system

    def close(self) -> None:
        self.system.stop()
        for each in (self.listener, self.datagrams, self.abstract, self.named):
            each.close()
        self.bystander.kill()
        self.bystander.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def target(self) -> Target:
        """What an attempt of the benchmark of escapes is told."""
        return Target(
            root=self.root,
            secret=self.prize.secrets,
            readable=self.prize.log,
            writable=(self.workdir,),
            outsider=self.agent,
            port=self.port,
            datagram_port=int(self.datagrams.getsockname()[1]),
            service=self.root / "service.sock",
        )

    # what the attacker does

    def fresh(self) -> Self:
        """Go on as a window that has not been there before."""
        self.window = Window(surface=Surface.DISCORD_THREAD, id=str(3 * 10**17 + next(_NUMBERS)))
        self.door = self._door(self.window)
        return self

    @property
    def workdir(self) -> Path:
        return self.prize.data / "work" / self.window.surface.value / self.window.id

    @property
    def agent(self) -> int:
        """Process of an agent that has not hidden itself: who gets at this one has the token."""
        return self.bystander.pid

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def attack(self, command: str, *, timeout_s: float = COMMAND_S) -> Outcome:
        """Run a command and see what it got; `breach WORDS` in it says that something worked which must not."""
        others = descendants(os.getpid())
        began = time.monotonic()
        result = self.result(self.ask(PRELUDE + command, timeout_s=timeout_s))
        duration_s = time.monotonic() - began
        return Outcome(result.text, result, duration_s, tuple(self._survivors(others)))

    def another_window(self) -> Window:
        """A window that has nothing to do with the attacker's."""
        return Window(surface=Surface.DISCORD_THREAD, id=str(5 * 10**17 + next(_NUMBERS)))

    def ask(self, command: str, *, timeout_s: float = COMMAND_S, of: Window | None = None) -> RequestId:
        request_id = RequestId(f"abuse-{next(_NUMBERS)}")
        self.system.tell(
            SHELL,
            RunBash(
                request_id=request_id,
                reply_to=self.edge.address,
                window=of or self.window,
                command=command,
                timeout_s=timeout_s,
            ),
        )
        return request_id

    def empty(self) -> None:
        """Have the window's folder emptied, as people can."""
        request_id = RequestId(f"empty-{next(_NUMBERS)}")
        self.system.tell(SHELL, EmptyFolder(request_id=request_id, reply_to=self.edge.address, window=self.window))
        reply = self.reply(request_id)
        assert isinstance(reply, FolderEmptied), reply

    def cancel(self, request_id: RequestId) -> None:
        self.system.tell(SHELL, CancelBash(request_id=request_id))

    def reply(self, request_id: RequestId) -> Message:
        return self.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == request_id)

    def result(self, request_id: RequestId) -> BashResult:
        reply = self.reply(request_id)
        assert isinstance(reply, BashResult), reply
        return reply

    def refusal(self, request_id: RequestId) -> str:
        reply = self.reply(request_id)
        assert isinstance(reply, BashRefused), reply
        return reply.reason

    def plant(self, name: str, text: str) -> Path:
        """A file that an earlier command of the window has left."""
        path = self.workdir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    # what the guard sees

    def survivors(self, others: set[int]) -> list[str]:
        """What is alive of the commands that came after `others`, when it should not be."""
        return list(self._survivors(others))

    def _survivors(self, others: set[int]) -> Iterator[str]:
        deadline = time.monotonic() + (SURVIVAL_S if self.sandbox == "none" else DYING_S)
        while left := descendants(os.getpid()) - others - _spares():
            if time.monotonic() > deadline:
                yield from (_command_line(pid) for pid in left)
                return
            time.sleep(0.01)

    def harm(self, before: dict[str, object]) -> list[str]:
        """What an attack has done to the world outside of its workdir."""
        after = self.prize.state()
        found = [f"{name} changed" for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
        status = _status(self.agent)
        if self.bystander.poll() is not None or status.get("State", "").split()[:1] not in (["S"], ["R"], ["D"]):
            found.append(f"the agent is {status.get('State', 'dead')}")
        if (priority := _disk_priority(self.agent)) != _disk_priority(os.getpid()):
            found.append(f"the agent's disk priority is {priority:#x}")
        if status.get("TracerPid", "0") != "0":
            found.append("the agent is traced")
        reached = [name for name in ("listener", "abstract", "named") if _was_reached(getattr(self, name))]
        found += [f"{name} was reached" for name in reached]
        with suppress(BlockingIOError):
            found.append(f"a datagram arrived: {self.datagrams.recv(100)!r}")
        return found

    def _door(self, window: Window) -> Path:
        request_id = RequestId(f"door-{next(_NUMBERS)}")
        self.system.tell(SOCKET, OpenDoor(request_id=request_id, reply_to=self.edge.address, window=window))
        reply = self.reply(request_id)
        assert isinstance(reply, DoorOpen), reply
        return Path(reply.path)


def revive(ground: Ground) -> None:
    """Give a ground whose agent was killed a new one."""
    ground.bystander.kill()
    ground.bystander.wait()
    ground.bystander = _start_bystander(ground.prize.token)


def _spares() -> set[int]:
    """The watching process's forks that wait for their first command, told by the filter that they do not have.

    No process of a command can lose its filter, so none can pass for one of them; nor can a spare hide another.
    """
    wardens = {
        pid
        for pid in descendants(os.getpid())
        if _parent(pid) == os.getpid() and "watcher.warden" in _command_line(pid)
    }
    idle = {pid for warden in wardens for pid in descendants(warden) if _parent(pid) == warden}
    return {pid for pid in idle if _status(pid).get("Seccomp") == "0" and not descendants(pid)}


def _parent(pid: int) -> int:
    return int(_status(pid).get("PPid", "0"))


def _start_bystander(token: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _AGENT],
        env={"DISCORD_BOT_TOKEN": token, "PATH": os.defpath},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline() == b"ready\n"
    return process


def _state(path: Path) -> object:
    status = path.lstat()
    content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    return (status.st_mode, status.st_uid, status.st_gid, status.st_nlink, status.st_mtime_ns, content)


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def _command_line(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        words = [b"(gone)"]
    return f"{pid} {b' '.join(words).decode(errors='replace')[:300]}"


def _disk_priority(pid: int) -> int:
    """As `ioprio_get` has it; a normal one where it is not known how to ask."""
    if os.uname().machine != "x86_64":
        return 0
    return int(_libc.syscall(ctypes.c_long(252), 1, pid))


def _was_reached(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def kill_all(pids: set[int]) -> None:
    """End what an attack without a sandbox has left behind."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            continue
