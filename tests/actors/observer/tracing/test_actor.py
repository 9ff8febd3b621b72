from __future__ import annotations

import pytest

from actors.kernel import ActorSpec, ActorSystem
from actors.kernel.clock import ManualClock
from actors.observer.tracing.actor import AT_ONCE, EVERY_S, MOST_WAITING, SETTLE_S, TracesActor
from actors.observer.tracing.spans import TraceSpan
from messages.base import Address, Message, RequestId, Surface, TurnId, Window
from messages.memory import MEMORY
from messages.status import TRACES, DescribeYourself, SelfDescription
from messages.turn import PrepareTurn, TurnContribution, TurnEnded


class Sent:
    """Takes traces, or doesn't."""

    def __init__(self) -> None:
        self.trouble = ""
        self.calls: list[list[list[TraceSpan]]] = []
        self.epochs: list[float] = []
        self.is_closed = False
        self.fails = False

    def export(self, traces: list[list[TraceSpan]], epoch: float) -> str:
        if self.fails:
            raise RuntimeError("no such collector")
        self.calls.append(traces)
        self.epochs.append(epoch)
        return self.trouble

    def close(self) -> None:
        self.is_closed = True


class Rig:
    def __init__(self) -> None:
        self.sent = Sent()
        self.clock = ManualClock()
        self.system = ActorSystem(clock=self.clock, workers=0)
        self.system.register(ActorSpec(TRACES.kind, lambda _key: TracesActor(self.open), is_eager=True))
        self.system.start()
        self.edge = self.system.edge("e")
        self.system.run()

    def open(self) -> Sent:
        self.had_taps = self.system.tap_count
        return self.sent

    def tell(self, to: Address, message: Message) -> None:
        self.system.tell(to, message)

    def turn(self, number: int) -> Window:
        window = Window(surface=Surface.DISCORD_THREAD, id=str(123456789012345678 + number))
        self.tell(
            MEMORY,
            PrepareTurn(
                request_id=RequestId(f"q{number}"),
                reply_to=self.edge.address,
                window=window,
                turn_id=TurnId(f"t{number}"),
                author_id="1",
                author_name="Anne",
                text="what nobody else is to read",
                visible=(),
            ),
        )
        return window

    def ends(self, number: int, window: Window) -> None:
        for _ in range(2):  # each follower is told
            self.tell(MEMORY, TurnEnded(window=window, turn_id=TurnId(f"t{number}"), outcome="answered", events=()))

    def passes(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.system.run()

    def figures(self) -> dict[str, object]:
        self.edge.drain()
        self.tell(TRACES, DescribeYourself(request_id=RequestId("d"), reply_to=self.edge.address))
        self.system.run()
        (said,) = (each for each in self.edge.drain() if isinstance(each, SelfDescription))
        return dict(said.operator_figures)


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_a_turn_is_sent_once_when_it_has_settled(rig: Rig) -> None:
    window = rig.turn(1)
    rig.passes(0.5)
    rig.ends(1, window)
    rig.passes(EVERY_S)
    assert rig.sent.calls == []
    rig.tell(rig.edge.address, TurnContribution(request_id=RequestId("q1"), contributor="memory", block=""))
    for _ in range(5):
        rig.passes(SETTLE_S)

    ((trace,),) = rig.sent.calls
    assert [span.name for span in trace] == ["turn", "memory PrepareTurn"]
    assert trace[1].end - trace[1].begin == 0.5 + EVERY_S, "an answer after the turn's end is seen"
    assert rig.sent.epochs == [pytest.approx(rig.clock.now().timestamp() - rig.clock.monotonic())]
    assert "nobody else" not in repr(trace)
    assert (rig.figures()["turns_sent"], rig.figures()["turns_waiting"]) == (1, 0)


def test_it_listens_before_it_loads_what_takes_time(rig: Rig) -> None:
    assert rig.had_taps == 1


def test_what_a_collector_does_not_take_waits_and_is_sent_in_smaller_calls(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.sent.trouble = "ConnectionError"
    for number in range(4):
        rig.ends(number, rig.turn(number))
    rig.passes(EVERY_S)
    for _ in range(8):
        rig.passes(SETTLE_S)

    assert [len(call) for call in rig.sent.calls][-1] == 1
    assert caplog.text.count("the collector does not accept traces (ConnectionError)") == 1
    assert rig.figures() == {"turns_sent": 0, "turns_waiting": 4, "turns_lost": 0, "trouble": "ConnectionError"}

    rig.sent.trouble = ""
    rig.sent.calls.clear()
    for _ in range(4):
        rig.passes(EVERY_S)
    assert [trace[0].attributes["remembrancer.turn"] for call in rig.sent.calls for trace in call] == [
        f"t{number}" for number in range(4)
    ]
    assert rig.figures()["trouble"] == "none"


def test_the_oldest_go_when_too_many_wait(rig: Rig) -> None:
    rig.sent.trouble = "away"
    for number in range(MOST_WAITING + 3):
        rig.ends(number, rig.turn(number))
    rig.passes(EVERY_S)

    assert (rig.figures()["turns_waiting"], rig.figures()["turns_lost"]) == (MOST_WAITING, 3)
    rig.sent.trouble = ""
    for _ in range(MOST_WAITING // AT_ONCE + 12):
        rig.passes(EVERY_S)
    assert rig.figures()["turns_sent"] == MOST_WAITING
    assert rig.sent.calls[-1][-1][0].attributes["remembrancer.turn"] == f"t{MOST_WAITING + 2}"


def test_at_the_end_what_is_there_is_sent_and_nothing_more_is_heard(rig: Rig) -> None:
    rig.ends(1, rig.turn(1))
    rig.system.stop()

    assert len(rig.sent.calls) == 1
    assert rig.sent.is_closed
    assert "tell" not in vars(rig.system)


@pytest.mark.crashes
def test_after_a_crash_one_listener_goes_on(rig: Rig) -> None:
    rig.sent.fails = True
    rig.ends(1, rig.turn(1))
    for _ in range(3):
        rig.passes(SETTLE_S)
    rig.sent.fails = False
    for _ in range(3):
        rig.passes(SETTLE_S)
    rig.ends(2, rig.turn(2))
    for _ in range(3):
        rig.passes(SETTLE_S)

    assert [trace[0].attributes["remembrancer.turn"] for call in rig.sent.calls for trace in call] == ["t2"]
    assert rig.system.tap_count == 1
    assert rig.sent.is_closed, "the one that crashed has let go of its connection"


@pytest.mark.crashes
def test_after_a_crash_it_looks_as_often_as_before(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, hear = list[TracesActor](), TracesActor._hear

    def count(actor: TracesActor) -> None:
        looks.append(actor)
        hear(actor)

    rig.sent.fails = True
    rig.ends(1, rig.turn(1))
    for _ in range(3):
        rig.passes(SETTLE_S)
    rig.sent.fails = False
    for _ in range(3):
        rig.passes(SETTLE_S)
    monkeypatch.setattr(TracesActor, "_hear", count)
    for _ in range(5):
        rig.passes(EVERY_S)

    assert len(looks) == 5
