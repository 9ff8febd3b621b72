from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from actors.cluster.host import HostSystem
from actors.cluster.lease import Lease
from actors.cluster.shared import head_codec, host_codec
from actors.cluster.wire import Handled, HeadFrame, frame_bytes, host_frame
from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from domain.policy.restarts import RestartPolicy
from messages.base import Address, Message, request_id_of
from messages.context import UserMessage
from messages.memory import MEMORY
from messages.status import RUNS, DescribeYourself, SelfDescription
from tests.actors.cluster.test_ledger import KEY, WINDOW, user_message

EPOCH = "epoch"


class AskingWindow(Actor):
    """Asks the memory once for each message of a person, and is busy until the answer comes."""

    def handle(self, message: Any) -> None:
        if isinstance(message, UserMessage):
            self.in_progress = True
            self.ask(MEMORY, DescribeYourself, None, self._end)

    def _end(self, _answer: object) -> None:
        self.in_progress = False


class ResumingWindow(Actor):
    """Picks work up at the start, and cannot handle a message."""

    def on_start(self) -> None:
        self.in_progress = True

    def handle(self, _message: Any) -> None:
        raise ValueError("this one cannot be handled")


class Carrier:
    """The head's end of a host's link, by hand."""

    def __init__(self, build: type[Actor]) -> None:
        self.clock = ManualClock()
        self.system = ActorSystem(
            workers=0, clock=self.clock, on_dead_letter=lambda letter: self.host.settle_dead(letter)
        )
        self.host = HostSystem(self.system, host_codec("h1"), Lease(self.clock.monotonic), EPOCH)
        self.system.register(self.host.wrap_spec(ActorSpec("context", lambda _key: build())))
        self.system.start()
        self._codec = head_codec()
        self._sent = self._ack = self._sent_topics = 0

    def send(self, *messages: Message, topics: list[tuple[str, list[Address]]] | None = None) -> bytes:
        """Bring messages to the window, and have all mailboxes run; the frame that brought the messages."""
        self._sent_topics += topics is not None
        items = [self._codec.encode(WINDOW.address, message) for message in messages]
        frame = frame_bytes(HeadFrame(EPOCH, 1e9, self._ack, self._sent, items, topics, self._sent_topics))
        self._sent += len(items)
        self.host.exchange(frame, 0.0)
        self.system.run()
        return frame

    def repeat(self, frame: bytes) -> None:
        """Bring a frame of earlier once more."""
        self.host.exchange(frame, 0.0)

    def receive(self) -> list[Message | Handled]:
        """Items of the host since the last call."""
        data = self.host.exchange(frame_bytes(HeadFrame(EPOCH, 1e9, self._ack, 0, [])), 0.01)
        items = host_frame(data).items
        self._ack += len(items)
        return [self._codec.decode(item)[1] for item in items]


@pytest.fixture
def carrier() -> Iterator[Carrier]:
    carrier = Carrier(AskingWindow)
    yield carrier
    carrier.system.stop()


@pytest.mark.req("X-155")
def test_an_answer_to_a_question_of_a_window_is_reported_as_handled_and_the_end_of_the_work_too(
    carrier: Carrier,
) -> None:
    carrier.send(user_message(1))
    question, handled = carrier.receive()
    assert isinstance(question, DescribeYourself)
    assert handled == Handled([0], busy=[KEY], quiet=[], unfinished=[])
    carrier.send(SelfDescription(request_id=request_id_of(question), about="memory", figures=()))

    assert carrier.receive() == [Handled([1], busy=[], quiet=[KEY], unfinished=[])]


@pytest.mark.crashes
def test_a_window_that_is_busy_since_a_restart_is_reported_though_its_message_was_given_up() -> None:
    carrier = Carrier(ResumingWindow)
    carrier.send(user_message(1))
    for _ in range(RestartPolicy().max_attempts):
        carrier.clock.advance(5.0)
        carrier.system.run()

    assert carrier.receive() == [Handled([0], busy=[KEY], quiet=[], unfinished=[])]
    carrier.system.stop()


def test_a_late_frame_does_not_bring_back_earlier_followers_of_a_topic(carrier: Carrier) -> None:
    late = carrier.send(topics=[(RUNS, [])])
    carrier.send(topics=[(RUNS, [MEMORY])])
    carrier.repeat(late)

    assert carrier.system.topics.of(RUNS) == (MEMORY,)
