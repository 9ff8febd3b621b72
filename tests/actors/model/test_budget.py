"""The daily cap, and what the ModelActor says of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from actors.kernel import ActorSpec, ActorSystem, ManualClock
from actors.kernel.edge import Edge
from actors.model.actor import ModelActor
from actors.model.backend import OfflineBackend
from actors.model.config import ModelConfig
from messages.base import Address, RequestId
from messages.model import (
    CallKind,
    CallOutcome,
    CallSpent,
    ChatMessage,
    Completion,
    ModelFailed,
    ModelReply,
    ModelRequest,
    Role,
    StopReason,
    Usage,
)
from messages.status import DescribeYourself, SelfDescription
from tests.actors.model.bench import window

MODEL = Address("model")
START, DAY = datetime(2026, 1, 30, 14, tzinfo=UTC), timedelta(days=1)


class Silent(OfflineBackend):
    """Never answers."""

    async def complete(self, model: str, request: ModelRequest, say: Callable[[str], None]) -> Completion:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")


class Till:
    """A ModelActor whose calls' answers the test makes up, since they come to the actor itself first."""

    def __init__(
        self,
        *,
        spent_today: Callable[[], float] | None = None,
        clock: ManualClock | None = None,
        **settings: object,
    ) -> None:
        config = ModelConfig(**({"name": "m"} | settings))  # type: ignore[arg-type]
        self.clock = clock or ManualClock()
        self.system = ActorSystem(workers=0, clock=self.clock)

        def build(_key: str) -> ModelActor:
            return ModelActor(config, spent_today=spent_today, backend=Silent())

        self.system.register(ActorSpec("model", build, core=True))
        self.system.start()
        self.edge: Edge = self.system.edge("test")
        self._asked = 0

    def ask(self) -> RequestId:
        """A request of a window of its own."""
        self._asked += 1
        request = ModelRequest(
            request_id=RequestId(f"r{self._asked}"),
            reply_to=self.edge.address,
            window=window(self._asked),
            system_prompt="",
            messages=(ChatMessage(role=Role.USER, text="hello"),),
            tools=(),
        )
        self.system.tell(MODEL, request)
        self.system.run()
        return request.request_id

    def answer(self, request_id: RequestId, cost_usd: float) -> None:
        """The call of that request ends."""
        reply = ModelReply(
            request_id=request_id,
            text="hi",
            tool_calls=(),
            stop_reason=StopReason.STOP,
            usage=Usage(cost_usd=cost_usd),
            model="x",
        )
        self.spend(request_id, cost_usd, CallOutcome.ANSWERED)
        self.system.tell(MODEL, reply)
        self.system.run()

    def spend(self, request_id: RequestId, cost_usd: float, outcome: CallOutcome) -> None:
        """An attempt at the call of that request is over."""
        spent = CallSpent(
            at=self.clock.now(),
            kind=CallKind.MODEL,
            owner="x",
            call_id=request_id,
            attempt=1,
            model="x",
            cost_usd=cost_usd,
            outcome=outcome,
        )
        self.system.tell(MODEL, spent)
        self.system.run()

    def first_answer(self, request_id: RequestId) -> ModelReply | ModelFailed | None:
        """The first answer to a request."""
        answers = [
            answer
            for answer in self.edge.drain()
            if isinstance(answer, ModelReply | ModelFailed) and answer.request_id == request_id
        ]
        return answers[0] if answers else None

    def figures(self) -> dict[str, str | int | float]:
        """The actor's description of itself."""
        self.system.tell(MODEL, DescribeYourself(request_id=RequestId("d"), reply_to=self.edge.address))
        self.system.run()
        (described,) = [told for told in self.edge.drain() if isinstance(told, SelfDescription)]
        return dict(described.figures)


@pytest.fixture
def make_till() -> Iterator[Callable[..., Till]]:
    """Tills, stopped at the end."""
    made: list[Till] = []

    def make(**settings: object) -> Till:
        made.append(Till(**settings))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for till in made:
        till.system.stop()


def test_attempts_without_an_answer_count_for_the_day(make_till: Callable[..., Till]) -> None:
    """A model that broke off after thousands of tokens was paid, also where another one answered."""
    till = make_till(daily_cost_usd=1.0)
    till.spend(till.ask(), 1.5, CallOutcome.FAILED)
    refused = till.first_answer(till.ask())
    assert isinstance(refused, ModelFailed)
    assert "$1.50 so far" in refused.reason


def test_when_the_day_has_cost_enough_no_further_call_is_begun_until_midnight(make_till: Callable[..., Till]) -> None:
    till = make_till(daily_cost_usd=1.0)
    first, second = till.ask(), till.ask()
    till.answer(first, 1.5)
    refused = till.ask()
    answer = till.first_answer(refused)
    assert isinstance(answer, ModelFailed)
    assert "$1.00" in answer.reason
    assert "midnight UTC" in answer.reason
    till.answer(second, 0.5)
    assert isinstance(till.first_answer(second), ModelReply)
    till.clock.advance(timedelta(days=1).total_seconds())
    assert till.first_answer(till.ask()) is None
    assert till.figures()["cost_today_usd"] == 0.0


def test_what_was_spent_in_an_earlier_life_counts(make_till: Callable[..., Till]) -> None:
    till = make_till(daily_cost_usd=1.0, spent_today=lambda: 1.0)
    assert isinstance(till.first_answer(till.ask()), ModelFailed)


def test_what_a_day_has_cost_counts_once_the_clock_shows_the_day(make_till: Callable[..., Till]) -> None:
    """A machine without a battery for its clock starts in 1970; another clock is ahead, and put right."""
    clock, spent = ManualClock(datetime(1970, 1, 1, tzinfo=UTC)), {START.date(): 1.0, (START + DAY).date(): 0.25}
    till = make_till(daily_cost_usd=1.0, clock=clock, spent_today=lambda: spent.get(clock.now().date(), 0.0))
    assert till.first_answer(till.ask()) is None
    for moment, is_refused in ((START, True), (START + DAY, False), (START, True), (START + DAY, False)):
        clock.jump(moment - clock.now())
        assert isinstance(till.first_answer(till.ask()), ModelFailed) is is_refused
    till.spend(till.ask(), 0.75, CallOutcome.ANSWERED)
    assert isinstance(till.first_answer(till.ask()), ModelFailed)


def test_what_a_day_has_cost_counts_though_a_call_ends_while_the_clock_shows_another_day(
    make_till: Callable[..., Till],
) -> None:
    """A clock is put right, or is ahead for a moment, while calls are in flight."""
    clock, spent = ManualClock(START - DAY), {START.date(): 1.0}
    till = make_till(daily_cost_usd=1.0, clock=clock, spent_today=lambda: spent.get(clock.now().date(), 0.0))
    first, second = till.ask(), till.ask()
    clock.jump(DAY)
    till.spend(first, 0.1, CallOutcome.ANSWERED)
    assert isinstance(till.first_answer(till.ask()), ModelFailed)
    clock.jump(DAY)
    till.spend(second, 0.1, CallOutcome.ANSWERED)
    clock.jump(-DAY)
    assert isinstance(till.first_answer(till.ask()), ModelFailed)


def test_without_a_cap_the_logs_are_not_asked_and_nothing_is_refused(make_till: Callable[..., Till]) -> None:
    asked: list[float] = []

    def spent_today() -> float:
        asked.append(9.0)
        return 9.0

    till = make_till(spent_today=spent_today)
    till.answer(till.ask(), 100.0)
    till.edge.drain()
    assert till.first_answer(till.ask()) is None
    assert not asked


def test_it_says_how_it_is(make_till: Callable[..., Till]) -> None:
    till = make_till(daily_cost_usd=5.0, concurrency=1)
    first = till.ask()
    till.ask()
    assert till.figures() == {
        "model": "m",
        "in_flight": 1,
        "waiting": 1,
        "background_in_flight": 0,
        "background_waiting": 0,
        "cost_today_usd": 0.0,
        "daily_limit_usd": 5.0,
    }
    till.answer(first, 0.25)
    assert till.figures()["cost_today_usd"] == 0.25
