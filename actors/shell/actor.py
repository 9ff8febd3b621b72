"""ShellActor: runs the commands of the `bash` tool, the only tool of the agent."""

from __future__ import annotations

import asyncio
import logging
import os
from concurrent.futures import CancelledError
from functools import partial

from actors.kernel import Actor, LoopThread, ask_future, not_understood
from actors.part.approvals import Act, Approvals
from actors.shell.command import aborted_result, interrupted_result
from actors.shell.config import ShellConfig
from actors.shell.documents.reading import DocumentReading, Ground
from actors.shell.door_cache import DoorCache
from actors.shell.launch import probe_bash
from actors.shell.quota import Quota
from actors.shell.refused import RefusedError
from actors.shell.runner import Runner
from actors.shell.sandbox.choice import Level, SandboxFindings, find_level
from actors.shell.servers import Servers
from actors.shell.starting import BareStarter, EnclosedStarter, Permissions, Starter
from actors.shell.warden_client import WardenClient
from actors.shell.workplace import Workplaces
from domain.policy.fair_queue import FairQueue
from domain.policy.paired_queue import PairedQueue
from domain.turn.bash_tool import fault_of_command, fault_of_timeout
from messages.base import RequestId, Window
from messages.shell import (
    ApprovalGranted,
    ApprovalKind,
    ApprovalRefused,
    ApprovalReply,
    BashRefused,
    BashResult,
    CancelBash,
    CommandReply,
    DocumentReply,
    DocumentUnread,
    EmptyFolder,
    FolderEmptied,
    HoldCommands,
    ReadDocument,
    RunBash,
    ServerEnded,
    ShellMessage,
    StartServer,
    StopServer,
)
from messages.socket import DoorOpen, DoorReply, OpenDoor, Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

KILL_ALL_S = 2.0
OFF = "Commands are turned off here (`shell.enabled`)."
"""Refusal of every command when the operator has turned commands off."""


class ShellActor(Actor):
    """Queue before bash in a sandbox: one command per window and lane at a time and a few in all, the others in order.

    Lanes, which work beside a window's own turn, have places of their own: a command that waits for a lane does not
    occupy the lane's place.

    Owns: the processes, the working directories, the files of kept output.
    Asks: the socket actor, for each window's control socket; an answer is awaited for at most 2 s. Each command's reply
    goes to its asker and, to free the place, to this actor itself.
    Crashes on: a loop thread that cannot be started, and its own faults; never on the behaviour of a command. On a
    crash or stop, running and waiting commands are killed and replied to as aborted; no command runs twice. Without
    bash or a working sandbox the actor lives and refuses, since a restart would not help; likewise if the operator has
    turned commands off.
    """

    def __init__(
        self,
        config: ShellConfig,
        *,
        quota: Quota | None = None,
        findings: SandboxFindings | None = None,
        unapproved: dict[RequestId, RunBash] | None = None,
    ) -> None:
        """Nothing is opened yet.

        Args:
            config: The operator's decisions.
            quota: Of working directories; None for the usual one.
            findings: What an earlier life of the same process found out; None for nothing.
            unapproved: Commands that wait for approval, also beyond a life of the actor; None for no such command.
        """
        super().__init__()
        self._config = config
        self._findings = findings or SandboxFindings()
        self._quota = quota or Quota(self.monotonic)
        self._level = Level(None, "not started", "not started")
        self._warden = WardenClient(may_group=config.may_group)
        self._workplaces = Workplaces(
            work_root=config.work_root,
            data_root=config.data_root,
            cli_workdir=config.cli_workdir,
            can_overlay=config.sandbox != "none",
        )
        self._queue: PairedQueue[RunBash | EmptyFolder] = PairedQueue(
            FairQueue(config.commands_at_once),
            FairQueue(max(1, config.commands_at_once // 2), lambda request: (request.window, _lane(request))),
            lambda request: bool(_lane(request)),
        )
        self._emptying: dict[Window, EmptyFolder] = {}
        """Folders to be emptied once the lanes' commands inside have ended."""
        self._loop = LoopThread("shell", self)
        self._doors = DoorCache(self._ask_door) if config.door is not None else None
        self._runner: Runner | None = None
        self._found_level: tuple[str, Level] | None = None
        """Bash and the working sandbox, after the search."""
        self._documents: DocumentReading | None = None
        """None before the first document, and without bash or a working sandbox."""
        self._servers: Servers | None = None
        self._approvals: Approvals[RunBash] = Approvals(
            self, _act_of, enter=self._enter, refuse=self._refuse_unapproved, waiting=unapproved
        )

    def on_start(self) -> None:
        """Look for bash, start the loop, and find a working sandbox; do none of this with commands turned off."""
        config = self._config
        self._workplaces.remove_trash()
        if not config.enabled:
            self._level = Level(None, "off", OFF)
            log.info("commands are turned off (shell.enabled)")
            return
        bash, self._level = self._found_level = self._find_level()
        if not bash:
            log.error("no bash among %s: every command will be refused", ", ".join(config.bash_candidates))
            return
        log.info("sandbox: %s; network: %s", self._level.text, config.network)
        if self._level.refusal:
            log.error("no sandbox works, so every command will be refused: %s", self._level.refusal)
        if config.network == "on":
            log.warning("commands reach the network (shell.network)")
        starter = self._starter(bash)
        self._runner = Runner(starter, self._reply, self._doors)
        self._servers = Servers(starter, self._reply_server)
        self._approvals.resume()

    def _find_level(self) -> tuple[str, Level]:
        """Bash and the working sandbox, with the loop started; an empty path without bash."""
        config, known = self._config, self._findings
        with self.blocking():
            bash = known.bash or probe_bash(config.bash_candidates)
        if bash is None:
            return "", Level(None, "refusing: no bash", self._no_bash())
        self._loop.start()
        if known.level is None:
            with self.blocking():
                level = self._loop.submit(find_level(config.sandbox, bash, self._warden, config.bwrap)).result()
            if level.refusal:  # what does not work may do so in the next life
                return bash, level
            known.bash, known.level = bash, level
        return bash, known.level

    def handle(self, message: ShellMessage | CommandReply | DoorReply | ApprovalReply | DescribeYourself) -> None:
        """Take a command, cancel a command, or start the next command after an end."""
        match message:
            case RunBash():
                self._take(message)
            case EmptyFolder():
                self._queue.enter(message)
                self._admit()
            case CancelBash(request_id=request_id):
                self._cancel(request_id)
            case ReadDocument():
                self._read(message)
            case StartServer() if self._servers is not None and not self._level.refusal:
                self._loop.call(self._servers.begin, message)
            case StartServer():
                self._reply_server(message, self._level.refusal)
            case StopServer(request_id=request_id) if self._servers is not None:
                self._loop.call(self._servers.stop, request_id)
            case BashResult(request_id=request_id) | BashRefused(request_id=request_id):
                self._leave(request_id)
            case HoldCommands(window=window, holds=holds):
                if self._runner is not None:
                    self._loop.call(self._runner.hold, window, holds)
            case DoorOpen() | Refused() | ApprovalGranted() | ApprovalRefused() | StopServer():
                pass  # An answer behind its deadline, or the end of a server that never ran.
            case DescribeYourself():
                self._describe(message)
            case _:
                not_understood(message)

    def on_stop(self) -> None:
        """Kill all commands and reply to waiting requesters; commands that wait for approval go on waiting."""
        self._approvals.pause()
        for request in self._queue.waiting():
            self._queue.withdraw(request.request_id)
            self._abort(request)
        for emptying in self._emptying.values():
            self._abort(emptying)
        self._emptying.clear()
        runner, self._runner = self._runner, None
        documents, self._documents = self._documents, None
        with self.blocking():
            if documents is not None:
                self._end_documents(documents)
            if runner is not None:
                self._close(runner)
            self._loop.stop()
            self._warden.close()
        self._workplaces.close()

    def _read(self, request: ReadDocument) -> None:
        """Have a document read, even with commands turned off: the reader is the agent's own."""
        if self._documents is None:
            bash, level = self._found_level = self._found_level or self._find_level()
            if level.refusal:
                reason = f"its reader cannot be started: {level.refusal}"[:300]
                self.tell(request.reply_to, DocumentUnread(request_id=request.request_id, reason=reason))
                return
            private = (self._config.data_root, self._config.work_root, *self._config.caller.private)
            ground = Ground(
                bash=bash,
                enclosure=level.enclosure,
                warden=self._warden,
                private=tuple(map(os.path.realpath, private)),
            )
            self._documents = DocumentReading(ground, self._reply_document)
        self._loop.call(self._documents.begin, request)

    def _reply_document(self, request: ReadDocument, reply: DocumentReply) -> None:
        self.tell(request.reply_to, reply)

    def _take(self, request: RunBash) -> None:
        if request.request_id in self._queue or request.request_id in self._approvals:
            return
        if fault := self._fault_of(request):
            self.tell(request.reply_to, BashRefused(request_id=request.request_id, reason=fault))
        elif self._config.asks_first and not request.is_operators:
            self._approvals.add(request)
        elif request.is_again:
            self.tell(request.reply_to, interrupted_result(request))
        else:
            self._enter(request)

    def _enter(self, request: RunBash) -> None:
        self._queue.enter(request)
        self._admit()

    def _reply_server(self, request: StartServer, reason: str) -> None:
        self.tell(request.reply_to, ServerEnded(request_id=request.request_id, reason=reason))

    def _refuse_unapproved(self, request: RunBash, refused: ApprovalRefused) -> None:
        if refused.is_unknown:
            self.tell(request.reply_to, interrupted_result(request))
        else:
            self.tell(request.reply_to, BashRefused(request_id=request.request_id, reason=refused.reason))

    def _fault_of(self, request: RunBash) -> str:
        """Reason why a command can't be run at all; empty for a runnable command."""
        if self._runner is None:
            return self._level.refusal
        if self._level.refusal:
            return (
                f"Commands are refused because no sandbox works here: {self._level.refusal} "
                "The operator can also do without a sandbox by `shell.sandbox`."
            )
        timeout_s, most_s = self._timeout_s(request), self._config.max_timeout_s
        return fault_of_command(request.command) or fault_of_timeout(timeout_s, most_s)

    def _no_bash(self) -> str:
        return f"There is no bash on this machine (looked for {', '.join(self._config.bash_candidates)})."

    def _starter(self, bash: str) -> Starter:
        config = self._config
        if self._level.enclosure is None:
            return BareStarter(
                bash=bash, data_root=config.data_root, workplaces=self._workplaces, answer_s=config.answer_s
            )
        return EnclosedStarter(
            enclosure=self._level.enclosure,
            warden=self._warden,
            data_root=config.data_root,
            workplaces=self._workplaces,
            permissions=Permissions(
                has_network=config.network == "on",
                scope=config.scope,
                skill_roots=config.skill_roots,
                caller=config.caller,
                answer_s=config.answer_s,
            ),
            quota=self._quota,
        )

    def _ask_door(self, request: RunBash) -> asyncio.Future[DoorOpen | Refused]:
        """Ask for a window's control socket; called on the loop."""
        make = partial(OpenDoor, window=request.window, is_lane=bool(request.lane))
        assert self._config.door is not None, "there is a cache only where there are doors"
        return ask_future(self, self._config.door, make)

    def _describe(self, message: DescribeYourself) -> None:
        figures: tuple[tuple[str, str | int | float], ...] = (
            ("sandbox", self._level.text),
            ("network", self._config.network),
            ("commands_running", len(self._queue.front.served_requests())),
            ("commands_waiting", len(self._queue.front.waiting())),
            ("lanes_running", len(self._queue.aside.served_requests())),
            ("lanes_waiting", len(self._queue.aside.waiting())),
            *((("commands_unapproved", len(self._approvals)),) if self._config.asks_first else ()),
        )
        if not self._config.enabled:
            figures = (("commands", "off (shell.enabled)"),)
        self.tell(
            message.reply_to,
            SelfDescription(request_id=message.request_id, about=self.address.kind, figures=figures),
        )

    def _timeout_s(self, request: RunBash) -> float:
        return self._config.default_timeout_s if request.timeout_s is None else request.timeout_s

    def _admit(self) -> None:
        """Start the commands allowed to start now."""
        while (request := self._queue.admit()) is not None:
            if isinstance(request, EmptyFolder):
                self._empty(request)
            elif self._runner is not None:
                self._runner.put(self._loop, request, self._timeout_s(request))
        self.in_progress = bool(self._queue)

    def _cancel(self, request_id: RequestId) -> None:
        request = self._queue.withdraw(request_id) or self._approvals.withdraw(request_id)
        if request is not None:
            self._abort(request)
            self.in_progress = bool(self._queue)
        elif self._runner is not None:
            self._loop.call(self._runner.cancel, request_id)

    def _abort(self, request: RunBash | EmptyFolder) -> None:
        """Reply for a command that was never begun."""
        if isinstance(request, RunBash):
            self.tell(request.reply_to, aborted_result(request))
        else:
            reason = "The agent stopped before the folder was emptied."
            self.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))

    def _leave(self, request_id: RequestId) -> None:
        """Free the place of an ended command, and do the waiting work."""
        ended = self._queue.leave(request_id)
        if ended is not None and (emptying := self._emptying.pop(ended.window, None)) is not None:
            self._empty(emptying)
        self._admit()

    def _empty(self, request: EmptyFolder) -> None:
        """Empty a folder without running commands; this request holds the place of the window's own command."""
        if any(served.window == request.window for served in self._queue.aside.served_requests()):
            self._emptying[request.window] = request
            return
        try:
            with self.blocking():
                self._quota.forget(self._workplaces.empty(request.window))
        except RefusedError as error:
            self.tell(request.reply_to, Refused(request_id=request.request_id, reason=str(error)))
        else:
            self.tell(request.reply_to, FolderEmptied(request_id=request.request_id))
        self._queue.leave(request.request_id)

    def _reply(self, request: RunBash, reply: CommandReply) -> None:
        """Called by the loop's thread at a command's end; a stopping actor has no place to free any more."""
        if self._runner is not None:
            self.tell(self.address, reply)
        self.tell(request.reply_to, reply)

    def _end_documents(self, documents: DocumentReading) -> None:
        try:
            self._loop.submit(documents.close()).result(KILL_ALL_S)
        except (TimeoutError, CancelledError):
            log.warning("some readers of documents could not be ended within %g s", KILL_ALL_S)
        documents.abandon()

    def _close(self, runner: Runner) -> None:
        servers = self._servers

        async def close() -> None:
            await asyncio.gather(runner.close(), *([servers.close()] if servers is not None else ()))

        try:
            self._loop.submit(close()).result(KILL_ALL_S)
        except (TimeoutError, CancelledError):
            log.warning("some commands could not be ended within %g s", KILL_ALL_S)
        self._loop.stop()
        runner.abandon()


def _act_of(request: RunBash) -> Act:
    return ApprovalKind.COMMAND, request.command, request.is_again


def _lane(request: RunBash | EmptyFolder) -> str:
    return request.lane if isinstance(request, RunBash) else ""
