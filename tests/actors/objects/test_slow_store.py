"""A store that is late with everything: what scripts ask is done all the same, once it is not later than they wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem
from actors.objects.actor import ObjectsActor
from messages.base import Message, RequestId, Window
from messages.objects import OBJECT_STORE, OBJECTS_KIND, objects_of
from messages.turn import RequestWorded
from tests.actors.objects.rig import ObjectsRig
from tests.actors.objects.stand_in_store import StandInStore

STEP_S = 0.01


class AnswerDue(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the store's own."""

    request_id: RequestId


class SlowStore(StandInStore):
    """Keeps at once, and says so later."""

    delay_s = 0.05

    def __init__(self, rig: ObjectsRig) -> None:
        super().__init__(rig.shelf)
        self._open: dict[RequestId, tuple[Message, Message]] = {}

    def handle(self, message: Message) -> None:
        """Answer after a while."""
        if isinstance(message, AnswerDue):
            asked, answer = self._open.pop(message.request_id)
            self.tell(asked.reply_to, answer)  # type: ignore[attr-defined]
            return
        due = RequestId(self.new_id())
        self._open[due] = message, self._answer(message)
        self.after(self.delay_s, AnswerDue(request_id=due))


class SlowRig(ObjectsRig):
    """A window whose store is slow."""

    def start(self) -> None:
        """Begin a life."""
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.asker = self.system.edge("asker")

        def window(key: str) -> Actor:
            return ObjectsActor(Window.from_key(key), self.config)

        self.system.register(ActorSpec(OBJECTS_KIND, window, idle_s=60.0))
        self.system.register(ActorSpec(OBJECT_STORE.kind, lambda _key: SlowStore(self)))
        self.system.start()

    def settle(self, seconds: float) -> None:
        """Let time pass in short steps."""
        self.system.run()
        for _ in range(round(seconds / STEP_S)):
            self.clock.advance(STEP_S)
            self.system.run()


def test_one_long_stall_does_not_make_every_later_answer_too_late(tmp_path: Path) -> None:
    rig = SlowRig(tmp_path)
    rig.turn()
    rig.write("a.txt", "<a>\n")
    rig.cat("a.txt")
    rig.word()
    SlowStore.delay_s = 0.6
    rig.ran("true")
    rig.word()
    SlowStore.delay_s = 0.05
    rig.settle(2.0)
    for to in ("pinned", "unpinned", "pinned"):
        rig.ran("true")
        rig.word()
        assert rig.switch("f1", to)
    rig.stop()


@pytest.mark.req("X-227")
def test_the_first_request_of_a_life_waits_for_what_the_store_knows(tmp_path: Path) -> None:
    rig = SlowRig(tmp_path, first_load_deadline_s=10.0)
    rig.turn()
    rig.write("a.txt", "<a>\n")
    rig.cat("a.txt")
    before = rig.words()
    rig.stop()
    SlowStore.delay_s = 8.0
    try:
        rig.start()
        rig.clock.advance(1.0)
        request = rig.word_request()
        rig.system.tell(objects_of(rig.window), request)
        rig.settle(9.0)
        reply = rig.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == request.request_id)
        assert isinstance(reply, RequestWorded), reply
        assert "".join(text for _, text in reply.results) in before
        assert reply.results
    finally:
        SlowStore.delay_s = 0.05
        rig.stop()
