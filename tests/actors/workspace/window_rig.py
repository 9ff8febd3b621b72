"""One window's workspace by itself: the real actor on real files, and a test that speaks for window, model and shell."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from actors.edited_file.rewriting import Waits
from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from actors.workspace.actor import WorkspaceActor
from actors.workspace.config import WorkspaceConfig
from actors.workspace.shared_looks import SharedLooks
from actors.workspace.skills.lives import SkillLives
from actors.workspace.subagents.definitions import Definitions
from domain.workspace.files.session_state import TITLES
from messages.base import CONTEXT_KIND, EventId, Message, RequestId, Surface, TurnId, Window
from messages.model import ModelFailed, ModelReply, ModelRequest, StopReason, Usage
from messages.turn import (
    BeforeTrim,
    CountUsage,
    LoggedEvent,
    PrepareTurn,
    SpokenTold,
    SpokenTurn,
    TellSpoken,
    TrimReady,
    TurnContribution,
    TurnEnded,
    WindowBegun,
)
from messages.workspace import WORKSPACE_KIND, workspace_of

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="910000000000000021")
LOG = "logs/discord-thread/910000000000000021/a.md"
M = TypeVar("M", bound=Message)


class StandInWindow(Actor):
    """A window that tells its words, and counts."""

    def __init__(self, rig: WorkspaceRig) -> None:
        super().__init__()
        self._rig = rig

    def handle(self, message: TellSpoken | CountUsage) -> None:
        if isinstance(message, CountUsage):
            self._rig.counted.append(message.usage)
            return
        self._rig.told.append(message)
        self.tell(message.reply_to, SpokenTold(request_id=message.request_id, turns=tuple(self._rig.said)))


class WorkspaceRig:
    """One life of the actor after another, on the same files."""

    def __init__(self, root: Path, **options: Any) -> None:
        self.root = root / "workspace"
        self.folder = self.root / "channels" / WINDOW.surface.value / WINDOW.id
        self._definitions = tuple(options.pop("definitions", ()))
        self._specs: tuple[ActorSpec, ...] = tuple(options.pop("specs", ()))
        self.options = options
        self.clock = ManualClock(datetime(2026, 11, 25, tzinfo=UTC))
        self.said: list[SpokenTurn] = []
        self.told: list[TellSpoken] = []
        self.counted: list[Usage] = []
        self._numbers = itertools.count(1)
        self.start()

    def start(self) -> None:
        """Begin a life."""
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.model, self.asker = self.system.edge("model"), self.system.edge("asker")
        config = WorkspaceConfig(
            root=self.root,
            lives=True,
            can_run=False,
            model=self.model.address,
            waits=Waits(settle_s=0.05, verify_s=0.2),
            **self.options,
        )
        shared = SharedLooks(SkillLives((), ()), Definitions(self._definitions))
        self.system.register(ActorSpec(WORKSPACE_KIND, lambda _key: WorkspaceActor(WINDOW, config, shared)))
        self.system.register(ActorSpec(CONTEXT_KIND, lambda _key: StandInWindow(self)))
        for spec in self._specs:
            self.system.register(spec)
        self.system.start()

    def live_again(self) -> None:
        """The agent is killed, and begins another life."""
        self.system.stop(0.0)
        self.start()

    def settle(self, seconds: float = 1.0) -> None:
        """Let everything happen that is under way, and time pass."""
        self.system.run()
        for _ in range(round(seconds / 0.1)):
            self.clock.advance(0.1)
            self.system.run()

    def tell(self, message: Message) -> None:
        """Tell the actor something."""
        self.system.tell(workspace_of(WINDOW), message)
        self.settle()

    # windows

    def prepare(self, text: str = "Hello", log: str = LOG) -> TurnContribution:
        """What a turn is given."""
        request_id = self._new_id()
        message = PrepareTurn(
            request_id=request_id,
            reply_to=self.asker.address,
            window=WINDOW,
            turn_id=TurnId("t"),
            author_id="1",
            author_name="Ann",
            text=text,
            visible=(),
            log=log,
        )
        self.tell(message)
        return self._reply(request_id, TurnContribution)

    def say(self, text: str, answer: str = "Fine.") -> SpokenTurn:
        """A turn is said and answered, of which the workspace hears."""
        number = len(self.said) + 1
        spoken = SpokenTurn(
            turn_id=TurnId(f"t{number}"),
            path=LOG,
            line=number,
            at=self.clock.now(),
            author="Ann",
            text=text,
            answer=answer,
        )
        self.said.append(spoken)
        event = LoggedEvent(
            id=EventId(f"e{number}"), kind="user", path=LOG, line=number, at=self.clock.now(), author="Ann", text=text
        )
        self.tell(TurnEnded(window=WINDOW, turn_id=spoken.turn_id, outcome="answered", events=(event,)))
        return spoken

    def begin_cut(self, spoken: Sequence[SpokenTurn] = (), **more: Any) -> RequestId:
        """The window is about to cut these turns off."""
        request_id = self._new_id()
        cut = tuple(spoken or self.said)
        message = BeforeTrim(
            request_id=request_id,
            reply_to=self.asker.address,
            window=WINDOW,
            log=LOG,
            kept_from=TurnId(""),
            first_kept=TurnId(more.pop("first_kept", "kept")),
            spoken=cut,
            **more,
        )
        self.tell(message)
        return request_id

    def ready(self, request_id: RequestId) -> TrimReady | None:
        """What the window is answered, so far."""
        try:
            return self._reply(request_id, TrimReady)
        except TimeoutError:
            return None

    def new_window(self) -> None:
        """Somebody says `/new`."""
        self.tell(WindowBegun(window=WINDOW, log="logs/discord-thread/910000000000000021/b.md", previous_log=LOG))

    # models

    def asked(self) -> ModelRequest | None:
        """The next call of a model, if one was made."""
        try:
            request = self.model.receive(0, lambda heard: isinstance(heard, ModelRequest))
        except TimeoutError:
            return None
        assert isinstance(request, ModelRequest)
        return request

    def work(self, text: str) -> ModelRequest:
        """A worker is asked, and answers."""
        request = self.asked()
        assert request is not None
        self.answer(request, text)
        return request

    def answer(self, request: ModelRequest, text: str) -> None:
        """A worker answers."""
        reply = ModelReply(
            request_id=request.request_id,
            text=text,
            tool_calls=(),
            stop_reason=StopReason.STOP,
            usage=Usage(prompt_tokens=10, completion_tokens=5, cost_usd=0.25),
            model="m",
        )
        self.tell(reply)

    def fail(self) -> ModelRequest:
        """A worker is asked, and fails."""
        request = self.asked()
        assert request is not None
        self.tell(ModelFailed(request_id=request.request_id, reason="overloaded", attempts=1))
        return request

    def text(self, name: str) -> str:
        """What a file of the window's says."""
        return (self.folder / name).read_text()

    def _new_id(self) -> RequestId:
        return RequestId(f"r{next(self._numbers)}")

    def _reply(self, request_id: RequestId, kind: type[M]) -> M:
        heard = self.asker.receive(0, lambda each: getattr(each, "request_id", None) == request_id)
        assert isinstance(heard, kind)
        return heard


def session_answer(**fields: Any) -> str:
    """What a worker says of the state of the work."""
    return json.dumps({"title": "Kilns", **{name: [] for name in TITLES if name != "title"}, **fields})


def lasting_answer(text: str = "The gas budget is 400 euros", history: str = "The kiln was planned.") -> str:
    """What a worker says of what lasts."""
    entry = {"section": "Constraints", "text": text, "confidence": 0.95}
    return json.dumps({"entries": [entry], "history": history})
