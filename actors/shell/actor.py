"""ShellActor: the one tool of the agent."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import assert_never

from actors.kernel import Actor, LoopThread
from actors.shell.command import aborted_result
from actors.shell.launch import BASH_CANDIDATES, probe_bash
from actors.shell.quota import Quota
from actors.shell.runner import AskDoor, Runner
from actors.shell.sandbox.ladder import CHOICES, Level, find_level
from actors.shell.shown_log import SCOPES
from actors.shell.starting import Allowance, BareStarter, EnclosedStarter, Starter
from actors.shell.warden_client import Warden
from actors.shell.workplace import Workplaces
from domain.policy.fair_queue import FairQueue
from domain.turn.bash_tool import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S, fault_of_command, fault_of_timeout
from messages.base import Address, RequestId
from messages.shell import BashRefused, BashResult, CancelBash, RunBash, ShellMessage, ShellReply
from messages.socket import DoorOpen, DoorReply, OpenDoor, Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

COMMANDS_AT_ONCE = 8
KILL_ALL_S = 2.0


class ShellActor(Actor):
    """Runs commands with bash in a sandbox, one per window at a time and a few in all; the others wait in order.

    Owns: the processes, the working directories, the files of kept output.
    Asks: the socket actor, for each command's control socket; who does not answer within 2 s is not waited for. Each
    command's reply goes to its asker and, to free the place, to this actor itself.
    Crashes on: a loop thread that cannot be started, and its own faults; nothing that a command does. What was asked
    before a crash or stop, running or waiting, is killed and replied to as aborted; nothing is run twice. Without
    bash, or without a sandbox that works, it lives and refuses, since a restart would not bring one.
    """

    def __init__(
        self,
        *,
        work_root: Path,
        data_root: Path,
        cli_workdir: Path | None = None,
        default_timeout_s: float = DEFAULT_TIMEOUT_S,
        max_timeout_s: float = MAX_TIMEOUT_S,
        commands_at_once: int = COMMANDS_AT_ONCE,
        bash_candidates: tuple[str, ...] = BASH_CANDIDATES,
        sandbox: str = "auto",
        network: str = "off",
        scope: str = "global",
        skill_roots: tuple[Path, ...] = (),
        door: Address | None = None,
        bwrap: str = "bwrap",
        quota: Quota | None = None,
    ) -> None:
        """Nothing is opened yet.

        Args:
            work_root: Holds a working directory for each Discord window.
            data_root: What pointers (`logs/…`) are relative to.
            cli_workdir: Where commands of the command line run: its caller's directory.
            default_timeout_s: For commands that name none.
            max_timeout_s: More is refused.
            commands_at_once: In all windows together.
            bash_candidates: Paths or names, tried in this order.
            sandbox: `auto` for the best that works here, `bwrap`, `landlock`, or `none`.
            network: `on` or `off`.
            scope: Which logs commands may read: `global`, `context` or `audience`; see `LogShelf`.
            skill_roots: Folders of skills, which commands may read and run.
            door: Who opens control sockets; None if nobody does.
            bwrap: Name or path of bubblewrap.
            quota: Of working directories; None for the usual one.
        """
        super().__init__()
        if fault := fault_of_timeout(default_timeout_s, max_timeout_s):
            raise ValueError(f"default timeout: {fault}")
        if commands_at_once < 1:
            raise ValueError(f"{commands_at_once} commands at once: at least 1 is required")
        self._sandbox = _one_of(CHOICES, "sandbox", sandbox)
        _one_of(("off", "on"), "network", network)
        _one_of(SCOPES, "scope", scope)
        self._bwrap = bwrap
        self._allowance = Allowance(has_network=network == "on", scope=scope, skill_roots=skill_roots)
        self._door = door
        self._quota = quota or Quota(self.monotonic)
        self._level = Level(None, "not started", "not started")
        self._warden = Warden()
        self._default_timeout_s = default_timeout_s
        self._max_timeout_s = max_timeout_s
        self._bash_candidates = bash_candidates
        self._data_root = data_root
        self._places = Workplaces(work_root=work_root, data_root=data_root, cli_workdir=cli_workdir)
        self._queue: FairQueue[RunBash] = FairQueue(commands_at_once)
        self._loop = LoopThread("shell")
        self._runner: Runner | None = None

    def on_start(self) -> None:
        """Look for bash, start the loop, and find out which sandbox works."""
        with self.blocking():
            bash = probe_bash(self._bash_candidates)
        if bash is None:
            self._level = Level(None, "refusing: no bash", self._no_bash())
            log.error("no bash among %s: every command will be refused", ", ".join(self._bash_candidates))
            return
        self._loop.start()
        with self.blocking():
            self._level = self._loop.submit(find_level(self._sandbox, bash, self._warden, self._bwrap)).result()
        log.info("sandbox: %s; network: %s", self._level.text, "on" if self._allowance.has_network else "off")
        if self._level.refusal:
            log.error("no sandbox works, so every command will be refused: %s", self._level.refusal)
        if self._allowance.has_network:
            log.warning("commands reach the network (shell.network)")
        self._runner = Runner(self._starter(bash), self._reply, self._asking_door())

    def handle(self, message: ShellMessage | ShellReply | DoorReply | DescribeYourself) -> None:
        """Take a command, cancel one, or let the next one start when one has ended."""
        match message:
            case RunBash():
                self._take(message)
            case CancelBash(request_id=request_id):
                self._cancel(request_id)
            case BashResult(request_id=request_id) | BashRefused(request_id=request_id):
                self._queue.leave(request_id)
                self._admit()
            case DoorOpen(request_id=request_id, path=path):
                self._open_door(request_id, path)
            case Refused(request_id=request_id):
                self._open_door(request_id, "")
            case DescribeYourself():
                self._describe(message)
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Kill everything and say so to those who wait."""
        for request in self._queue.waiting():
            self._queue.withdraw(request.request_id)
            self.tell(request.reply_to, aborted_result(request))
        runner, self._runner = self._runner, None
        with self.blocking():
            if runner is not None:
                self._close(runner)
            self._loop.stop()
            self._warden.close()
        self._places.close()

    def _take(self, request: RunBash) -> None:
        if request.request_id in self._queue:
            return
        if fault := self._fault_of(request):
            self.tell(request.reply_to, BashRefused(request_id=request.request_id, reason=fault))
            return
        self._queue.enter(request)
        self._admit()

    def _fault_of(self, request: RunBash) -> str:
        """Why a command can't be run at all; empty if it can."""
        if self._runner is None:
            return self._no_bash()
        if self._level.refusal:
            return (
                f"Commands are refused because no sandbox works here: {self._level.refusal}. The operator can install "
                "bubblewrap, or do without a sandbox by `shell.sandbox`."
            )
        return fault_of_command(request.command) or fault_of_timeout(self._timeout_s(request), self._max_timeout_s)

    def _no_bash(self) -> str:
        return f"There is no bash on this machine (looked for {', '.join(self._bash_candidates)})."

    def _starter(self, bash: str) -> Starter:
        if self._level.enclosure is None:
            return BareStarter(bash=bash, data_root=self._data_root, places=self._places)
        return EnclosedStarter(
            enclosure=self._level.enclosure,
            warden=self._warden,
            data_root=self._data_root,
            places=self._places,
            allowance=self._allowance,
            quota=self._quota,
        )

    def _asking_door(self) -> AskDoor | None:
        door = self._door
        if door is None:
            return None
        return lambda request: self.tell(
            door, OpenDoor(request_id=request.request_id, reply_to=self.address, window=request.window)
        )

    def _open_door(self, request_id: RequestId, path: str) -> None:
        if self._runner is not None:
            self._loop.call(self._runner.open_door, request_id, path)

    def _describe(self, message: DescribeYourself) -> None:
        figures: tuple[tuple[str, str | int | float], ...] = (
            ("sandbox", self._level.text),
            ("network", "on" if self._allowance.has_network else "off"),
            ("commands_running", self._runner.running if self._runner else 0),
            ("commands_waiting", len(self._queue.waiting())),
        )
        self.tell(
            message.reply_to,
            SelfDescription(request_id=message.request_id, about=self.address.kind, figures=figures),
        )

    def _timeout_s(self, request: RunBash) -> float:
        return self._default_timeout_s if request.timeout_s is None else request.timeout_s

    def _admit(self) -> None:
        """Start what may start now."""
        while self._runner is not None and (request := self._queue.admit()) is not None:
            self._loop.call(self._runner.begin, request, self._timeout_s(request))
        self.in_progress = bool(self._queue)

    def _cancel(self, request_id: RequestId) -> None:
        request = self._queue.withdraw(request_id)
        if request is not None:
            self.tell(request.reply_to, aborted_result(request))
            self.in_progress = bool(self._queue)
        elif self._runner is not None:
            self._loop.call(self._runner.cancel, request_id)

    def _reply(self, request: RunBash, reply: ShellReply) -> None:
        """Called by the loop's thread at a command's end; a stopping actor has no place to free any more."""
        if self._runner is not None:
            self.tell(self.address, reply)
        self.tell(request.reply_to, reply)

    def _close(self, runner: Runner) -> None:
        closed = self._loop.submit(runner.close())
        try:
            closed.result(KILL_ALL_S)
        except (TimeoutError, CancelledError):
            log.warning("some commands could not be ended within %g s", KILL_ALL_S)
        self._loop.stop()
        runner.abandon()


def _one_of(known: Sequence[str], name: str, value: str) -> str:
    """`value`, which is one of `known`.

    Raises:
        ValueError: it is not.
    """
    if value not in known:
        raise ValueError(f"{name} {value!r}: must be one of {', '.join(known)}")
    return value
