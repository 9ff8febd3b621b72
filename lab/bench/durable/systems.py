"""Systems that play the turns: the whole agent, and a peer's program in an environment of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple, Protocol

from actors.shell.workplace import workdir
from lab.bench.durable.outside import PATIENCE_S, Outside
from lab.bench.durable.peer_steps import DEAD_LETTERS
from lab.bench.loopback_agent import LoopbackAgent, discord_table
from lab.bench.process import CHECKOUT, MeasurementError, Program, output_of
from lab.load.meter import ProcessGroup, Usage
from lab.playground.world.defaults import GENERAL_ID
from messages.base import Surface, Window

OURS = "remembrancer"
INSTALL = "python3 -m venv PEERS && PEERS/bin/pip install dbos==3.4.0 durabl==0.1.0"
_MARK = "DURABLE_PEER"
_PEERS = (
    ("dbos", "DBOS", "", "lab.bench.durable.dbos_peer", ""),
    ("durabl", "durabl", "", "lab.bench.durable.durabl_peer", "AT_MOST_ONCE"),
    ("durabl", "durabl", " again", "lab.bench.durable.durabl_peer", "IDEMPOTENT"),
)
"""Package, name, distinguishing text of a configuration, module and mode."""


class System(Protocol):
    """System on a folder used by one process after another."""

    def start(self) -> None:
        """Start a process; returns when turns can come."""

    def say(self, turn: int) -> None:
        """Send a turn's message as a person."""

    def kill(self) -> None:
        """Kill the process, from any thread."""

    def wait(self) -> None:
        """Return when the killed process is gone."""

    def usage(self) -> Usage:
        """Usage of all processes."""

    def dead_letters(self) -> frozenset[int]:
        """Turns that the system reports as not going on without help."""


class Peer(NamedTuple):
    """A peer in one configuration."""

    name: str
    module: str
    """Program, by the dotted name in this checkout."""
    mode: str = ""


def peers_of(python: Path) -> tuple[Peer, ...]:
    """Peers installed in an environment.

    Raises:
        MeasurementError: the Python is missing, or the environment has no peer.
    """
    code = "import importlib.metadata as m, json; print(json.dumps({d.name: d.version for d in m.distributions()}))"
    try:
        versions: dict[str, str] = json.loads(output_of([str(python), "-c", code], "python", os.environ))
    except (OSError, MeasurementError, json.JSONDecodeError) as error:
        raise MeasurementError(f"{python}: a Python that lists its packages is required: {error}") from error
    peers = tuple(
        Peer(f"{label} {versions[package]}{note}", module, mode)
        for package, label, note, module, mode in _PEERS
        if package in versions
    )
    if not peers:
        raise MeasurementError(f"{python} has neither dbos nor durabl; install them: {INSTALL}")
    return peers


def work_of(folder: Path) -> Path:
    """Folder of the agent's commands in the channel."""
    return workdir(folder / "data" / "work", Window(surface=Surface.DISCORD_CHANNEL, id=str(GENERAL_ID)))


class Ours:
    """`agent run` as an operator starts it, with the defaults except for addresses and answers posted whole."""

    def __init__(self, folder: Path, outside: Outside) -> None:
        """Begin without a running process."""
        self._outside, server = outside, outside.server
        settings = (
            f'{discord_table(server)}turns_per_user = 10000\nstream = "off"\n'
            f'[model]\nname = "hosted_vllm/loopback"\napi_base = {json.dumps(outside.model.api_base)}\n'
            '[embedder]\nprovider = "local"\n'
        )
        scratch = folder / "scratch"
        scratch.mkdir()
        self._agent = LoopbackAgent(folder, server, settings, TMPDIR=str(scratch))

    def start(self) -> None:
        """Start a process; returns when the bot is online."""
        self._outside.server.wait_until_online(online=False, timeout_s=PATIENCE_S)
        self._agent.come_online(PATIENCE_S)

    def say(self, turn: int) -> None:
        """Send the message in the channel."""
        self._outside.server.say(GENERAL_ID, f"turn {turn}")

    def kill(self) -> None:
        """Kill the agent alone; the agent's own child processes are the agent's affair."""
        self._agent.kill()

    def wait(self) -> None:
        """Return when the killed process is gone."""
        self._agent.wait(PATIENCE_S)

    def usage(self) -> Usage:
        """Usage of the agent, the watcher of commands and the commands."""
        return self._agent.usage() or Usage(0, 0)

    def dead_letters(self) -> frozenset[int]:
        """No turns: the agent goes on with each turn, or reports a lost turn in the channel."""
        return frozenset()


class PeerProgram:
    """Program of a peer; all its processes are killed together, as a service manager does."""

    def __init__(self, folder: Path, outside: Outside, *, python: Path, peer: Peer) -> None:
        """Begin without a running process."""
        self._folder, server = folder, outside.server
        plan = {
            "folder": str(folder),
            "work": str(outside.work),
            "model_url": f"{outside.model.api_base}/chat/completions",
            "post_url": f"{server.api_base}/channels/{GENERAL_ID}/messages",
            "token": server.bot_token,
            "mode": peer.mode,
        }
        self._command = (str(python), "-P", "-c", f"from {peer.module} import main; main()", json.dumps(plan))
        self._program: Program | None = None
        self._group: ProcessGroup | None = None

    def start(self) -> None:
        """Start a process; returns when the peer takes turns."""
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), _MARK: str(self._folder)}
        log = self._folder / "stderr"
        self._program = Program(self._command, environment, self._folder, log, is_heard=True)
        if self._program.read_line() != "ready":
            self._program.kill()
            raise MeasurementError(f"the peer does not start: {log.read_text(errors='replace')[-500:]}")
        self._group = ProcessGroup(self._program.pid, f"{_MARK}={self._folder}")

    def say(self, turn: int) -> None:
        """Start a workflow."""
        assert self._program is not None
        self._program.write_line(str(turn))

    def kill(self) -> None:
        """Kill the program and its command."""
        if self._program is not None:
            self._program.kill()

    def wait(self) -> None:
        """Return when the killed process is gone."""
        if self._program is not None:
            self._program.close()
            self._program = None

    def usage(self) -> Usage:
        """Usage of the program and its commands."""
        return (self._group and self._group.look()) or Usage(0, 0)

    def dead_letters(self) -> frozenset[int]:
        """Turns reported by the peer as dead letters."""
        try:
            return frozenset(map(int, (self._folder / DEAD_LETTERS).read_text().split()))
        except FileNotFoundError:
            return frozenset()
