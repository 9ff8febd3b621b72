"""One window's sub-agents by themselves: the real actors, and a test that speaks for model, shell and scripts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from actors.kernel import Actor, ActorSpec, ManualClock
from actors.workspace.bookkeeping import Bookkeeping
from actors.workspace.subagents.child import SubagentActor
from actors.workspace.subagents.config import SubagentConfig
from actors.workspace.subagents.definitions import Definitions
from actors.workspace.subagents.runs import ContextWish, CurrentTurn, Runs, RunsConfig
from domain.workspace.subagents.prompt import subagent_prompt
from messages.base import CONTEXT_KIND, Address, Message, RequestId, Surface, TurnId, Window
from messages.model import ModelFailed, ModelReply, ModelRequest, StopReason, ToolCall, Usage
from messages.shell import BashOutcome, BashResult, RunBash, SharedFolder
from messages.socket import Refused
from messages.turn import CountUsage
from messages.workspace import (
    SUBAGENT_KIND,
    WORKSPACE_KIND,
    ChildEnded,
    ChildRole,
    ListSubagents,
    RunAwoke,
    RunSubagent,
    StopSubagent,
    SubagentTold,
    WaitSubagent,
    workspace_of,
)
from tests.recording_disk import RecordingDisk
from tests.safe_system import SafeSystem

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="910000000000000021")
FOLDERS = (SharedFolder(path="/shared"),)
TURN = CurrentTurn(turn_id=TurnId("t9"), audience="1:2:everyone", folders=FOLDERS)
M = TypeVar("M", bound=Message)
PLAIN = "---\nname: researcher\ndescription: Looks things up.\n---\nYou look things up.\n"


class StandInWorkspace(Actor):
    """A window's workspace with runs only."""

    def __init__(self, rig: SubagentRig) -> None:
        super().__init__()
        self._rig = rig
        self.runs = Runs(self, WINDOW, rig.runs_config)

    def handle(self, message: Message) -> None:
        match message:
            case RunSubagent() | WaitSubagent() | StopSubagent() | ListSubagents():
                self.runs.serve(message, self._rig.turn)
            case RunAwoke() | ChildEnded():
                self.runs.take_report(message)
            case CountUsage():  # as the test has it: everything that was wanted is stopped
                self.runs.stop_all("the turn was stopped")
            case _:
                raise TypeError(message)
        self.in_progress = self.runs.is_busy


class StandInContext(Actor):
    """Window with a count of usage."""

    def __init__(self, counted: list[Usage]) -> None:
        super().__init__()
        self._counted = counted

    def handle(self, message: CountUsage) -> None:
        self._counted.append(message.usage)


class SubagentRig:
    """One life of the window's workspace after another."""

    def __init__(
        self,
        root: Path,
        *,
        books: Bookkeeping | None = None,
        child: Callable[[str, SubagentConfig], Actor] = SubagentActor,
        **options: Any,
    ) -> None:
        self.root = root
        self.disk = RecordingDisk()
        self._child = child
        self.folder = root / "sub-agents"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.define(PLAIN)
        self.options = options
        self.turn = TURN
        self.wishes: list[ContextWish] = []
        self.ended: list[tuple[str, str, str]] = []
        self.counted: list[Usage] = []
        self.runs_config = RunsConfig(
            definitions=Definitions((self.folder,)),
            books=books or Bookkeeping(root / "runs", self.disk),
            context=self._context,
            on_ended=lambda run, name, state: self.ended.append((run, name, state)),
        )
        self.clock = ManualClock(datetime(2026, 11, 25, tzinfo=UTC))
        self._numbers = itertools.count(1)
        self.start()

    def _context(self, wish: ContextWish) -> str:
        self.wishes.append(wish)
        return "What is known."

    def start(self) -> None:
        """Begin a life."""
        self.system = SafeSystem(self.disk, self.root / "runs", self._is_early, self.clock)
        self.model, self.shell = self.system.edge("model"), self.system.edge("shell")
        self.asker = self.system.edge("asker")
        self.config = SubagentConfig(
            system_prompt=lambda _window, role, *, can_run: subagent_prompt(role, "/work" if can_run else None),
            workspace_of=workspace_of,
            model=self.model.address,
            shell=self.shell.address,
            **self.options,
        )
        self.system.register(ActorSpec(WORKSPACE_KIND, lambda _key: StandInWorkspace(self), idle_s=60.0))
        self.system.register(ActorSpec(SUBAGENT_KIND, lambda key: self._child(key, self.config), idle_s=60.0))
        self.system.register(ActorSpec(CONTEXT_KIND, lambda _key: StandInContext(self.counted)))
        self.system.start()

    def _is_early(self, _to: Address, message: Message) -> bool:
        """True for a run's state while a record may be lost; a forgotten run may come back."""
        runs = self.root / "runs"
        return isinstance(message, SubagentTold) and any((runs / name).exists() for name in self.disk.at_risk(runs))

    def define(self, text: str, file: str = "researcher.md") -> None:
        """The operator writes a definition."""
        (self.folder / file).write_text(text)

    def live_again(self) -> None:
        """The agent is killed, and begins another life."""
        self.system.stop(0.0)
        self.start()

    def settle(self, seconds: float = 0.0) -> None:
        """Let everything happen that is under way, and time pass."""
        self.system.run()
        for _ in range(round(seconds / 0.5)):
            self.clock.advance(0.5)
            self.system.run()

    # scripts

    def ask(self, kind: type[Message], /, **fields: Any) -> RequestId:
        """A script asks for something."""
        request_id = RequestId(f"q{next(self._numbers)}")
        message = kind(request_id=request_id, reply_to=self.asker.address, window=WINDOW, **fields)
        self.system.tell(workspace_of(WINDOW), message)
        self.settle()
        return request_id

    def newest_answer(self, request_id: RequestId) -> Message | None:
        """Newest answer so far."""
        try:
            return self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request_id)
        except TimeoutError:
            return None

    def answer(self, expected: type[M], kind: type[Message], /, **fields: Any) -> M:
        """The answer to what a script asks for, which comes at once."""
        reply = self.newest_answer(self.ask(kind, **fields))
        assert isinstance(reply, expected), reply
        return reply

    def refusal(self, kind: type[Message], /, **fields: Any) -> str:
        """Why it is refused."""
        return self.answer(Refused, kind, **fields).reason

    def begin(self, task: str = "find it", name: str = "researcher", **fields: Any) -> str:
        """A run begins; its id."""
        told = self.answer(SubagentTold, RunSubagent, name=name, task=task, **fields)
        assert told.run.state == "running"
        return told.run.run

    def state_of(self, run: str) -> SubagentTold:
        """Present state of a run."""
        return self.answer(SubagentTold, WaitSubagent, run=run, seconds=0)

    # model and shell

    def request(self) -> ModelRequest:
        """The oldest request of the model that was not looked at."""
        self.settle()
        request = self.model.receive(0)
        assert isinstance(request, ModelRequest), request
        return request

    def command(self) -> RunBash:
        """The oldest command likewise."""
        self.settle()
        command = self.shell.receive(0)
        assert isinstance(command, RunBash), command
        return command

    def reply(self, to: ModelRequest, text: str = "", *calls: ToolCall, **fields: Any) -> None:
        """The model answers."""
        usage = fields.pop("usage", Usage(prompt_tokens=10, completion_tokens=1, cost_usd=0.5))
        stop = fields.pop("stop", StopReason.TOOL_CALLS if calls else StopReason.STOP)
        reply = ModelReply(
            request_id=to.request_id, text=text, tool_calls=calls, stop_reason=stop, usage=usage, model="m"
        )
        self.system.tell(to.reply_to, reply)
        self.settle()

    def fail(self, to: ModelRequest, reason: str = "no answer") -> None:
        """The model fails."""
        self.system.tell(to.reply_to, ModelFailed(request_id=to.request_id, reason=reason, attempts=3))
        self.settle()

    def print(self, to: RunBash, text: str = "out", full_output_path: str = "") -> None:
        """A command ends."""
        result = BashResult(
            request_id=to.request_id,
            outcome=BashOutcome.EXITED,
            exit_code=0,
            text=text,
            truncated=bool(full_output_path),
            full_output_path=full_output_path,
            duration_s=0.1,
        )
        self.system.tell(to.reply_to, result)
        self.settle()

    def finish(self, text: str = "found") -> None:
        """The newest request is answered with last words."""
        self.reply(self.request(), text)


def bash(command: str = "ls", number: int = 1, arguments: str = "") -> ToolCall:
    """A call of the tool."""
    return ToolCall(id=f"call_{number}", name="bash", arguments_json=arguments or f'{{"command": "{command}"}}')


def role(**fields: Any) -> ChildRole:
    """Permissions of a run."""
    return ChildRole(**{"name": "researcher", "body": "You look things up.", **fields})
