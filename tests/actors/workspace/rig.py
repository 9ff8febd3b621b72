"""One window's workspace by itself: the real actor on a real folder, and a test that speaks for window and model."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from actors.workspace.actor import WorkspaceActor
from actors.workspace.channel import HISTORY, MEMORY, SESSION
from actors.workspace.config import WorkspaceConfig
from actors.workspace.shared_looks import SharedLooks
from actors.workspace.skills.lives import SkillLives
from actors.workspace.subagents.definitions import Definitions
from domain.log.event import Kind
from domain.log.redaction import Tombstone, tombstone_meta
from domain.workspace.files.session_state import TITLES
from messages.base import CONTEXT_KIND, EventId, Message, RequestId, Surface, TurnId, Window
from messages.model import CancelModel, ModelFailed, ModelReply, ModelRequest, StopReason, Usage
from messages.shell import SHELL, RunBash
from messages.socket import Refused
from messages.turn import (
    CompactionReady,
    CountUsage,
    EventsLogged,
    LoggedEvent,
    PrepareCompaction,
    PrepareTurn,
    SpokenTold,
    SpokenTurn,
    TellSpoken,
    TurnContribution,
    TurnEnded,
    WindowBegun,
)
from messages.workspace import WORKSPACE_KIND, workspace_of
from tests.recording_disk import RecordingDisk, Unsynced

_KEPT = re.compile(r"((state|written|pending|handover-.*|runs/r\w+)\.json|before/[\w-]+\.md)")
"""Notes that are not made anew."""
WINDOW = Window(surface=Surface.DISCORD_THREAD, id="910000000000000021")
M = TypeVar("M", bound=Message)
STATE: dict[str, Any] = {
    "title": "Kiln",
    "current_state": [],
    "user_intent": [],
    "active_files": [],
    "decisions": [],
    "constraints": ["Ask Mona first"],
    "errors": [],
    "next_steps": ["Order the shelves"],
    "worklog": [],
    "resolved": [],
}
FOUND: dict[str, Any] = {
    "entries": [{"section": "Decisions", "text": "The gas budget is 400 euros", "confidence": 0.9}],
    "history": "The kiln was planned.",
}
ON: dict[str, Any] = {"recall": True, "session": True, "compaction": True, "llm": True}
RULE = "Never fire the kiln on a Sunday."


class StandInWindow(Actor):
    """A window whose logs the test has, and that may leave a question without an answer."""

    def __init__(self, rig: WorkspaceRig) -> None:
        super().__init__()
        self._rig = rig

    def handle(self, message: Message) -> None:
        if isinstance(message, TellSpoken):
            self._rig.asked.append(message)
            if not self._rig.is_mute:
                self.tell(message.reply_to, self._rig.spoken_of(message))
        elif isinstance(message, CountUsage):
            self._rig.counted.append(message.usage)


class StandInShell(Actor):
    """A shell in which every command runs for ever."""

    def __init__(self, runs: list[RunBash]) -> None:
        super().__init__()
        self._runs = runs

    def handle(self, message: Message) -> None:
        if isinstance(message, RunBash):
            self._runs.append(message)


class WorkspaceRig:
    """One life of the actor after another, on the same folder."""

    def __init__(
        self,
        root: Path,
        *,
        window: Window = WINDOW,
        skills: Sequence[Path] = (),
        definitions: Sequence[Path] = (),
        specs: Sequence[ActorSpec] = (),
        **options: Any,
    ) -> None:
        self.root = root / "workspace"
        self.window = window
        self.clock = ManualClock(datetime(2026, 11, 25, 9, tzinfo=UTC))
        self.options: dict[str, Any] = {"can_run": False} | options
        self.logs: dict[str, list[SpokenTurn]] = {"logs/a.md": []}
        self.log = "logs/a.md"
        self.asked: list[TellSpoken] = []
        self.counted: list[Usage] = []
        self.runs: list[RunBash] = []
        self.disk = RecordingDisk(before=self._check_exchange)
        self.is_checked = True
        """False where calls of the disk are counted."""
        self.is_mute = False
        self.refusal = ""
        self._skills, self._definitions, self._specs = skills, tuple(definitions), specs
        self._numbers = itertools.count(1)
        self._said = itertools.count(1)
        self.start()

    # lives

    def start(self) -> None:
        """Begin a life; files of earlier lives are safe."""
        self.disk.sync_all()
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.asker, self.model = self.system.edge("asker"), self.system.edge("model")
        config: dict[str, Any] = {"lives": True, "model": self.model.address, "disk": self.disk}
        self.config = WorkspaceConfig(root=self.root, **(config | self.options))
        shared = SharedLooks(SkillLives((), self._skills), Definitions(self._definitions))
        self.system.register(ActorSpec(CONTEXT_KIND, lambda _key: StandInWindow(self)))
        self.system.register(ActorSpec(SHELL.kind, lambda _key: StandInShell(self.runs)))
        self.system.register(
            ActorSpec(
                WORKSPACE_KIND,
                lambda key: WorkspaceActor(Window.from_key(key), self.config, shared),
                idle_s=300.0,
            )
        )
        for spec in self._specs:
            self.system.register(spec)
        self.system.start()

    def stop(self) -> None:
        """End it in good order."""
        self.system.stop(1.0)

    def live_again(self) -> None:
        """End it, and begin another."""
        self.stop()
        self.start()

    def die(self) -> None:
        """Begin another life beside the one that is never heard of again, as after a kill."""
        self.start()

    def settle(self, seconds: float = 0.0) -> None:
        """Let everything happen that is under way, and time pass."""
        self.system.run()
        for _ in range(round(seconds / 0.5)):
            self.clock.advance(0.5)
            self.system.run()
        self._check_notes()

    def _check_exchange(self, call: str, _data: bytes) -> None:
        """Require safe notes before a file of people's changes."""
        if call == "exchange":
            self._check_notes()

    def _check_notes(self) -> None:
        if not self.is_checked:
            return
        notes = [path for path in self.disk.at_risk(self.agent) if _KEPT.fullmatch(path)]
        if unsafe := [path for path in notes if (self.agent / path).exists() and self._says_something(path)]:
            raise Unsynced(f"a power loss would take or change {unsafe}")

    def _says_something(self, note: str) -> bool:
        """False for the handover of nothing."""
        return b'"block": ""' not in (self.agent / note).read_bytes()

    # files

    @property
    def folder(self) -> Path:
        """The window's."""
        return self.config.folder_of(self.window)

    @property
    def agent(self) -> Path:
        """The agent's own in it."""
        return self.folder / ".agent"

    def text(self, name: str) -> str:
        """Content of a file."""
        return (self.folder / name).read_text()

    def write(self, name: str, text: str | bytes) -> Path:
        """A person or a command writes a file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    @property
    def texts(self) -> tuple[str, str, str]:
        """The window's three files."""
        return self.text(SESSION), self.text(MEMORY), self.text(HISTORY)

    # the window

    def add_turn(self, text: str, answer: str = "Fine.", *, log: str = "") -> SpokenTurn:
        """Add a turn to the window's log, without a report."""
        number = next(self._said)
        path = log or self.log
        turn = SpokenTurn(
            turn_id=TurnId(f"t{number:04}"),
            path=path,
            line=number * 10,
            at=self.clock.now(),
            author="Alice",
            text=text,
            answer=answer,
        )
        self.logs.setdefault(path, []).append(turn)
        return turn

    def turn(self, text: str, *, calls: int = 0, outcome: str = "answered") -> SpokenTurn:
        """A turn from beginning to end."""
        turn = self.add_turn(text)
        self.tell(self.end_report(turn, calls, outcome))
        self.settle()
        return turn

    def end_report(self, turn: SpokenTurn, calls: int = 0, outcome: str = "answered") -> TurnEnded:
        """Report on a turn."""
        kinds = [Kind.USER, *[Kind.TOOL_CALL] * calls, Kind.AGENT]
        events = tuple(
            LoggedEvent(
                id=EventId(f"{turn.turn_id}-{place}" if place else turn.turn_id),
                kind=kind.value,
                path=turn.path,
                line=turn.line + place,
                at=turn.at,
                author=turn.author,
                text=turn.text if kind is Kind.USER else turn.answer,
            )
            for place, kind in enumerate(kinds)
        )
        return TurnEnded(window=self.window, turn_id=turn.turn_id, outcome=outcome, events=events)

    def spoken_of(self, request: TellSpoken) -> SpokenTold | Refused:
        """The words of a stretch, as a window tells them."""
        if self.refusal:
            return Refused(request_id=request.request_id, reason=self.refusal)
        turns = self.logs.get(request.log, [])
        chosen = [
            turn
            for turn in turns
            if turn.turn_id >= request.first and (not request.last or turn.turn_id <= request.last)
        ]
        return SpokenTold(request_id=request.request_id, turns=tuple(chosen))

    def take_back(self, turn: SpokenTurn, event: str = "") -> None:
        """Delete the message of a turn, or a joined message."""
        self.logs[turn.path] = [each for each in self.logs[turn.path] if each != turn]
        tombstone = Tombstone(
            event_id=EventId(event or turn.turn_id), path=turn.path, line=turn.line, message_id="1", is_quote=False
        )
        logged = LoggedEvent(
            id=EventId(f"gone-{tombstone.event_id}"),
            kind=Kind.TOMBSTONE.value,
            path=turn.path,
            line=9_999,
            at=self.clock.now(),
            author="",
            text="",
            meta_json=json.dumps(tombstone_meta(tombstone, "deleted")),
        )
        self.tell(EventsLogged(window=self.window, events=(logged,)))
        self.settle()

    def begin_window(self, log: str = "logs/b.md") -> None:
        """`/new`."""
        before, self.log = self.log, log
        self.logs.setdefault(log, [])
        self.tell(WindowBegun(window=self.window, log=log, previous_log=before))

    # the actor

    def tell(self, message: Message) -> None:
        """Tell it something."""
        self.system.tell(workspace_of(self.window), message)

    def prepare(self, text: str = "hello", **fields: Any) -> TurnContribution:
        """Contribution to a turn."""
        request = PrepareTurn(
            request_id=RequestId(f"p{next(self._numbers)}"),
            reply_to=self.asker.address,
            window=self.window,
            turn_id=TurnId("now"),
            author_id="1",
            author_name="Alice",
            text=text,
            visible=(),
            **({"log": self.log} | fields),
        )
        self.tell(request)
        self.settle()
        return self.reply(TurnContribution, request.request_id)

    def prepare_compaction(self, spoken: Sequence[SpokenTurn] = (), **fields: Any) -> RequestId:
        """Ask what stands at the head; before a cut of these turns, if there are any."""
        request = PrepareCompaction(
            request_id=RequestId(f"b{next(self._numbers)}"),
            reply_to=self.asker.address,
            window=self.window,
            log=self.log,
            spoken=tuple(spoken),
            **({"kept_from": TurnId(""), "first_kept": TurnId("kept" if spoken else "")} | fields),
        )
        self.tell(request)
        self.settle()
        return request.request_id

    def cut(self, spoken: Sequence[SpokenTurn], **fields: Any) -> CompactionReady:
        """Immediate answer before a cut."""
        return self.reply(CompactionReady, self.prepare_compaction(spoken, **fields))

    def head(self, **fields: Any) -> str:
        """Head of the history without a cut."""
        return self.reply(CompactionReady, self.prepare_compaction(**fields)).handover

    def reply(self, kind: type[M], request_id: RequestId) -> M:
        """The answer to a question, which must be there."""
        heard = self.asker.receive(0, lambda each: getattr(each, "request_id", None) == request_id)
        assert isinstance(heard, kind), heard
        return heard

    def is_answered(self, request_id: RequestId) -> bool:
        """True if there is an answer; the answer is taken."""
        try:
            self.asker.receive(0, lambda each: getattr(each, "request_id", None) == request_id)
        except TimeoutError:
            return False
        return True

    def say(self, text: str) -> SpokenTurn:
        """A turn from beginning to end, and what comes of it in a moment."""
        turn = self.turn(text)
        self.settle(1.0)
        return turn

    def begin_cut(self, spoken: Sequence[SpokenTurn] = (), **fields: Any) -> RequestId:
        """Ask before a cut of these turns, or of all; wait a moment."""
        request_id = self.prepare_compaction(spoken or self.logs[self.log], **fields)
        self.settle(1.0)
        return request_id

    def ready(self, request_id: RequestId) -> CompactionReady | None:
        """The answer to a question before a cut, so far."""
        try:
            return self.reply(CompactionReady, request_id)
        except TimeoutError:
            return None

    # the model

    def next_request(self) -> ModelRequest | None:
        """The oldest call of a model that was not looked at, if there is one."""
        try:
            request = self.model.receive(0, lambda each: isinstance(each, ModelRequest))
        except TimeoutError:
            return None
        assert isinstance(request, ModelRequest)
        return request

    def answer(self, request: ModelRequest, text: str) -> None:
        """A worker answers."""
        self.tell(reply_of(request, text))
        self.settle(3.0)

    def answer_next(self, text: str) -> ModelRequest:
        """A worker is asked, and answers."""
        request = self.next_request()
        assert request is not None
        self.answer(request, text)
        return request

    def fail_next(self) -> None:
        """A worker is asked, and fails."""
        request = self.next_request()
        assert request is not None
        self.tell(ModelFailed(request_id=request.request_id, reason="overloaded", attempts=1))
        self.settle(3.0)

    def requests(self) -> list[ModelRequest]:
        """Requests to workers since the last call."""
        return [each for each in self.model.drain() if isinstance(each, ModelRequest)]

    def withdrawn_requests(self) -> list[RequestId]:
        """Withdrawn requests since the last call."""
        return [each.request_id for each in self.model.drain() if isinstance(each, CancelModel)]

    def work(self, purpose: str, answer: str | dict[str, Any] | None) -> ModelRequest:
        """The one worker that is asked now, which must be for a purpose, answers; None for a failure."""
        (request,) = self.requests()
        assert request.purpose == f"workspace.{purpose}", request.purpose
        if answer is None:
            self.tell(ModelFailed(request_id=request.request_id, reason="no credit", attempts=1))
        else:
            self.tell(reply_of(request, answer if isinstance(answer, str) else json.dumps(answer)))
        self.settle(3.0)
        return request


def reply_of(request: ModelRequest, text: str) -> ModelReply:
    """Answer of a model."""
    return ModelReply(
        request_id=request.request_id,
        text=text,
        tool_calls=(),
        stop_reason=StopReason.STOP,
        usage=Usage(prompt_tokens=5, cost_usd=0.25),
        model="m",
    )


def session_answer(**fields: Any) -> str:
    """Answer of a worker on the state of the work."""
    return json.dumps({"title": "Kilns", **{name: [] for name in TITLES if name != "title"}, **fields})


def lasting_answer() -> str:
    """Answer of a worker on what lasts."""
    entry = {"section": "Constraints", "text": "The gas budget is 400 euros", "confidence": 0.95}
    return json.dumps({"entries": [entry], "history": "The kiln was planned."})
