"""One window's objects by themselves: the real actor on a real folder, and a test that speaks for the window."""

from __future__ import annotations

import itertools
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from actors.objects.actor import ObjectsActor
from actors.objects.config import ObjectsConfig
from actors.objects.store.actor import ObjectStoreActor
from actors.objects.store.bounds import StoreLimits
from domain.objects.ageing import Keep
from domain.text.output_tail import KeptOutput, OutputTail, render
from messages.base import EventId, Message, RequestId, Surface, TurnId, Window
from messages.objects import OBJECT_STORE, OBJECTS_KIND, ObjectDone, SwitchObject, objects_of
from messages.socket import Refused
from messages.turn import CallShown, RequestWorded, TurnShown, WordRequest
from tests.actors.objects.stand_in_store import Shelf, StandInStore

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="910000000000000021")
OTHER = Window(surface=Surface.DISCORD_THREAD, id="910000000000000022")
M = TypeVar("M", bound=Message)


def shown_output(data: bytes) -> str:
    """Text shown to the model for a command that prints `data`."""
    tail = OutputTail()
    tail.feed(data)
    return render(tail.excerpt(), KeptOutput(path=""), "")


class ObjectsRig:
    """One life of the actor after another, on the same folder and the same shelf."""

    def __init__(
        self,
        root: Path,
        window: Window = WINDOW,
        shelf: Shelf | None = None,
        *,
        has_store: bool = False,
        **options: Any,
    ) -> None:
        self.window = window
        self.root = root
        self.folder = root / "work" / window.id
        self.folder.mkdir(parents=True, exist_ok=True)
        self.shelf = shelf or Shelf()
        self._has_store = has_store
        self.clock = ManualClock(datetime.now(UTC))
        self.log = "logs/a.md"
        self.turns: dict[TurnId, list[CallShown]] = {}
        self._numbers = itertools.count(1)
        decided: dict[str, Any] = {"keep": Keep(linger_tokens=0, big_tokens=0), "first_load_deadline_s": 0.4}
        self.config = ObjectsConfig(
            folder_of=lambda window: root / "work" / window.id, data_root=root, **(decided | options)
        )
        self.start()

    def start(self) -> None:
        """Begin a life."""
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.asker = self.system.edge("asker")
        self.system.register(
            ActorSpec(OBJECTS_KIND, lambda key: ObjectsActor(Window.from_key(key), self.config), idle_s=60.0)
        )
        self.system.register(ActorSpec(OBJECT_STORE.kind, self._store))
        self.system.start()

    def _store(self, _key: str) -> Actor:
        """The real store, where one is asked for."""
        if self._has_store:
            return ObjectStoreActor(self.root, StoreLimits())
        return StandInStore(self.shelf)

    def stop(self) -> None:
        """End it in good order."""
        self.system.stop(1.0)

    def live_again(self) -> None:
        """End it, and begin another."""
        self.stop()
        self.start()

    # the window

    def turn(self) -> TurnId:
        """A person speaks."""
        turn = TurnId(f"turn{next(self._numbers)}")
        self.turns[turn] = []
        return turn

    def ran(self, command: str, output: str | bytes = "", exit_code: int = 0) -> CallShown:
        """A command has ended, in the newest turn; the test does what it would have done."""
        number = next(self._numbers)
        ended = self.clock.now()
        data = output if isinstance(output, bytes) else output.encode()
        call = CallShown(
            event=EventId(f"e{number}"),
            call_id=f"call_{number}",
            command=command,
            text=shown_output(data),
            outcome="exited",
            exit_code=exit_code,
            asked_at=ended - timedelta(seconds=1),
            ended_at=ended,
        )
        self.turns[next(reversed(self.turns))].append(call)
        return call

    def write(self, name: str, text: str | bytes, ago_s: float = 5.0) -> Path:
        """A file is written, by whomever; before the newest command unless less than a second ago."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        stamp = self.clock.now().timestamp() - ago_s
        os.utime(path, (stamp, stamp))
        return path

    def cat(self, name: str) -> CallShown:
        """A file is printed whole."""
        return self.ran(f"cat {name}", (self.folder / name).read_bytes())

    # the actor

    def word_request(self, breaks_from: str = "") -> WordRequest:
        """The question for the next request."""
        turns = tuple(TurnShown(turn_id=turn, calls=tuple(calls)) for turn, calls in self.turns.items())
        return WordRequest(
            request_id=RequestId(f"r{next(self._numbers)}"),
            reply_to=self.asker.address,
            window=self.window,
            log=self.log,
            turn_id=turns[-1].turn_id,
            turns=turns,
            breaks_from=TurnId(breaks_from),
        )

    def word(self, *, breaks_from: str = "") -> RequestWorded:
        """Wording of the next request."""
        self.clock.advance(1.0)
        request = self.word_request(breaks_from)
        self.system.tell(objects_of(self.window), request)
        self.settle(1.0)
        reply = self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request.request_id)
        assert isinstance(reply, RequestWorded), reply
        return reply

    def refused_word(self) -> bool:
        """True if the wording of the next request is refused."""
        self.clock.advance(1.0)
        request = self.word_request()
        self.system.tell(objects_of(self.window), request)
        self.settle(1.0)
        reply = self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request.request_id)
        return isinstance(reply, Refused)

    def settle(self, seconds: float) -> None:
        """Let everything happen that is under way, and time pass."""
        self.system.run()
        for _ in range(round(seconds / 0.5)):
            self.clock.advance(0.5)
            self.system.run()

    def drain_messages(self) -> list[Message]:
        """Everything that was said to the window and not looked at yet."""
        found: list[Message] = []
        while True:
            try:
                found.append(self.asker.receive(0))
            except TimeoutError:
                return found

    def words(self, *, breaks_from: str = "") -> str:
        """All that it says, in the order of a request."""
        worded = self.word(breaks_from=breaks_from)
        results, notes = dict(worded.results), dict(worded.notes)
        parts: list[str] = []
        for turn, calls in self.turns.items():
            parts += [notes.get(turn, ""), f"<{turn}>", *(results.get(call.event, call.text) for call in calls)]
        return "\n".join(parts)

    def ask(self, kind: type[Message], /, **fields: Any) -> Message:
        """Reply to a script's request."""
        request_id = RequestId(f"r{next(self._numbers)}")
        message = kind(request_id=request_id, reply_to=self.asker.address, window=self.window, **fields)
        self.system.tell(objects_of(self.window), message)
        self.settle(11.0)
        return self.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request_id)

    def answer(self, expected: type[M], kind: type[Message], /, **fields: Any) -> M:
        """The same, which must be of a kind."""
        reply = self.ask(kind, **fields)
        assert isinstance(reply, expected), reply
        return reply

    def refusal(self, kind: type[Message], /, **fields: Any) -> str:
        """Why a request is refused."""
        return self.answer(Refused, kind, **fields).reason

    def switch(self, name: str, to: str) -> tuple[str, ...]:
        """The model decides, by the skill."""
        return self.answer(ObjectDone, SwitchObject, id=name, to=to).steps
