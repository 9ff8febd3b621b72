"""The feed: start, answers and memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from actors.feed import actor as feed
from actors.feed.actor import FeedActor
from actors.kernel import ActorSpec, ActorSystem, Edge, ManualClock
from messages.base import RequestId, Surface, TurnId, Window
from messages.forget import DerivedForgotten
from messages.status import FEED, RUNS, EventsRead, MessageGrew, Moment, ReadEvents
from tests.forget_requests import forget_request

START = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW = Window(surface=Surface.DISCORD_THREAD, id="12")


class Rig:
    """A feed on a clock that the test moves."""

    def __init__(self, start: datetime = START) -> None:
        self.clock = ManualClock(start)
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.system.register(ActorSpec(FEED.kind, lambda _key: FeedActor()))
        self.system.start()
        self.asker: Edge = self.system.edge("asker")

    @property
    def is_following(self) -> bool:
        return self.system.topics.of(RUNS) == (FEED,)

    def happen(self, text: str) -> None:
        moment = Moment(window=WINDOW, run_id=TurnId("r"), number=1, at=START)
        for follower in self.system.topics.of(RUNS):
            self.system.tell(follower, MessageGrew(moment=moment, offset=0, text=text))
        self.system.run()

    def ask(self, after: int | None = None, wait_s: int = 0) -> EventsRead | None:
        """The answer, if there is one at once."""
        request = ReadEvents(request_id=RequestId("q"), reply_to=self.asker.address, after=after, wait_s=wait_s)
        self.system.tell(FEED, request)
        self.system.run()
        return self.answer()

    def answer(self) -> EventsRead | None:
        answers = self.asker.drain()
        assert len(answers) <= 1
        return answers[0] if answers and isinstance(answers[0], EventsRead) else None

    def advance(self, seconds: float) -> EventsRead | None:
        self.clock.advance(seconds)
        self.system.run()
        return self.answer()


@pytest.fixture
def rig() -> Iterator[Rig]:
    made = Rig()
    yield made
    made.system.stop()


def texts(answer: EventsRead | None) -> list[str]:
    assert answer is not None
    return [json.loads(line)["text"] for line in answer.events]


def last(answer: EventsRead | None) -> int:
    assert answer is not None
    return answer.last


def test_nothing_is_followed_before_somebody_asks_and_what_was_before_is_not_told(rig: Rig) -> None:
    rig.happen("before")
    assert not rig.is_following
    began = rig.ask()
    assert (texts(began), rig.is_following) == ([], True)
    rig.happen("one")
    rig.happen("two")
    assert texts(rig.ask(after=last(began))) == ["one", "two"]
    assert texts(rig.ask(after=last(began) + 1)) == ["two"]


def test_who_waits_is_answered_soon_after_the_first_event_with_all_that_came_close_behind(rig: Rig) -> None:
    began = last(rig.ask())
    assert rig.ask(after=began, wait_s=20) is None
    rig.advance(3)
    rig.happen("one")
    rig.happen("two")
    assert rig.answer() is None
    assert texts(rig.advance(feed.GATHERS_S)) == ["one", "two"]
    assert rig.advance(60) is None, "once is enough"


def test_who_waits_in_vain_is_told_so_in_time(rig: Rig) -> None:
    began = last(rig.ask())
    assert rig.ask(after=began, wait_s=20) is None
    assert rig.advance(19.9) is None
    answer = rig.advance(0.2)
    assert (texts(answer), last(answer)) == ([], began)


def test_who_waits_when_it_ends_is_told_what_happened_until_then(rig: Rig) -> None:
    began = last(rig.ask())
    rig.ask(after=began, wait_s=20)
    rig.happen("one")
    assert rig.answer() is None
    rig.system.stop()
    assert texts(rig.answer()) == ["one"]


def test_several_wait_each_for_what_it_does_not_know(rig: Rig) -> None:
    began = last(rig.ask())
    rig.ask(after=began, wait_s=5)
    rig.ask(after=began, wait_s=50)
    rig.advance(4.99)
    rig.happen("one")
    rig.clock.advance(feed.GATHERS_S)
    rig.system.run()
    assert [texts(answer) for answer in rig.asker.drain() if isinstance(answer, EventsRead)] == [["one"], ["one"]]


def test_when_nobody_asks_any_more_windows_tell_nothing_any_more(rig: Rig) -> None:
    began = last(rig.ask())
    rig.happen("one")
    rig.advance(feed.KEEPS_S - 1)
    assert texts(rig.ask(after=began)) == ["one"]
    rig.advance(feed.KEEPS_S - 1)
    assert rig.is_following
    assert rig.advance(2) is None
    assert [*rig.system.topics.of(RUNS)] == []
    again = rig.ask(after=began)
    assert again is not None
    assert (again.events, again.missed, rig.is_following) == ((), 2, True), "the one, and what nobody followed"


def test_who_comes_back_after_long_is_told_that_something_may_be_missing_once(rig: Rig) -> None:
    began = last(rig.ask())
    rig.advance(feed.KEEPS_S + 1)
    rig.happen("while nobody followed")
    again = rig.ask(after=began, wait_s=20)
    assert again is not None
    assert (again.events, again.missed) == ((), 1)
    rig.happen("one")
    answer = rig.ask(after=again.last)
    assert answer is not None
    assert (texts(answer), answer.missed) == (["one"], 0)


def test_who_comes_with_a_place_of_an_earlier_life_is_told_that_something_may_be_missing(rig: Rig) -> None:
    of_earlier_life = last(rig.ask())
    rig.happen("of the earlier life")
    rig.system.stop()
    later = Rig(rig.clock.now() + timedelta(seconds=1))
    began = last(later.ask())
    for number in range(9):
        later.happen(f"number {number}")
    answer = later.ask(after=of_earlier_life, wait_s=20)
    assert answer is not None
    assert (answer.events, answer.last, answer.missed) == ((), began + 9, 1)
    assert len(texts(later.ask(after=began))) == 9, "nobody else misses anything"
    later.system.stop()


def test_a_place_that_is_given_is_taken_back_for_as_long_as_anybody_may_run_this(rig: Rig) -> None:
    late = Rig(datetime(2250, 1, 1, tzinfo=UTC))
    place = last(late.ask())
    request = ReadEvents(request_id=RequestId("q"), reply_to=FEED, after=place)
    assert msgspec.convert(msgspec.to_builtins(request), ReadEvents) == request
    late.system.stop()


def test_too_many_push_the_oldest_out_and_the_reader_is_told_how_many(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.system.stop()
    monkeypatch.setattr(feed, "MOST_EVENTS", 2)
    small = Rig()
    began = last(small.ask())
    for text in ("one", "two", "three"):
        small.happen(text)
    answer = small.ask(after=began)
    assert answer is not None
    assert (texts(answer), answer.missed) == (["two", "three"], 1)
    small.system.stop()


@pytest.mark.req("X-250")
def test_what_happened_is_handed_out_no_more_once_something_is_forgotten(rig: Rig) -> None:
    first = rig.ask()
    assert first is not None
    rig.happen("quagmire")
    rig.system.tell(FEED, forget_request(rig.asker.address, WINDOW, "r"))
    rig.system.run()
    (answer,) = rig.asker.drain()
    assert isinstance(answer, DerivedForgotten)
    assert answer.count == 1

    rig.happen("later")
    after = rig.ask(first.last)

    assert texts(after) == ["later"]
    assert after is not None
    assert after.missed == 2
