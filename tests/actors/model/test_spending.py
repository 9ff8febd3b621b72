"""What is told of each attempt: what the provider counted, or else a guess that is marked as one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actors.kernel import Edge
from lab.loopback_model.server import Answer, CutOff, Held, Raw, Refusal, Stall
from messages.model import BEGUN, SPENT, CallBegun, CallOutcome, CallSpent, CancelModel
from tests.actors.model.bench import Bench, user
from tests.crash import CRASH
from tests.patience import PATIENCE_S


class Ear:
    """Hears what calls begin, and what they took."""

    def __init__(self, bench: Bench) -> None:
        self._edge: Edge = bench.system.edge("ear")
        self._edge.follow(BEGUN)
        self._edge.follow(SPENT)

    def next(self) -> CallSpent:
        heard = self._edge.receive(PATIENCE_S, lambda message: isinstance(message, CallSpent))
        assert isinstance(heard, CallSpent)
        return heard

    def begun(self) -> CallBegun:
        heard = self._edge.receive(PATIENCE_S, lambda message: isinstance(message, CallBegun))
        assert isinstance(heard, CallBegun)
        return heard

    def all(self, ends: int) -> list[tuple[str, int]]:
        """Each begin and end, with its attempt, until there are so many ends; nothing else is told after them."""
        heard: list[CallBegun | CallSpent] = []
        while sum(isinstance(message, CallSpent) for message in heard) < ends:
            message = self._edge.receive(PATIENCE_S)
            assert isinstance(message, CallBegun | CallSpent)
            heard.append(message)
        assert self._edge.drain() == []
        return [
            (message.outcome.value if isinstance(message, CallSpent) else "begun", message.attempt) for message in heard
        ]


def figures(spent: CallSpent) -> tuple[int, int, bool]:
    return spent.prompt_tokens, spent.completion_tokens, spent.is_estimated


def test_an_answer_takes_what_the_provider_says(bench: Bench) -> None:
    ear = Ear(bench)
    bench.server.script(Answer("hello", usage=(1_234, 56)))
    request_id = bench.ask("hi")
    bench.reply(request_id)

    spent = ear.next()
    assert (spent.call_id, spent.attempt, spent.outcome) == (request_id, 1, CallOutcome.ANSWERED)
    assert figures(spent) == (1_234, 56, False)


@pytest.mark.req("X-191")
def test_every_attempt_is_told_and_a_refused_one_takes_nothing(bench: Bench) -> None:
    ear = Ear(bench)
    bench.server.script(Refusal(500), CutOff("some words that were written"), Answer("hello", usage=(7, 8)))
    request_id = bench.ask("hi")
    bench.reply(request_id)

    refused, cut, answered = (ear.next() for _ in range(3))
    assert [spent.attempt for spent in (refused, cut, answered)] == [1, 2, 3]
    assert [spent.call_id for spent in (refused, cut, answered)] == [request_id] * 3
    assert (refused.outcome, figures(refused)) == (CallOutcome.FAILED, (0, 0, False))
    assert (cut.outcome, cut.completion_tokens, cut.is_estimated) == (CallOutcome.FAILED, 7, True)
    assert cut.prompt_tokens > 0
    assert (answered.outcome, figures(answered)) == (CallOutcome.ANSWERED, (7, 8, False))


def test_a_cancelled_call_is_told_with_a_guess_that_says_so(bench: Bench) -> None:
    ear = Ear(bench)
    bench.server.script(Stall("twelve chars"))
    request_id = bench.ask("hi")
    bench.server.wait_for_requests(1)
    bench.tell(CancelModel(request_id=request_id))

    spent = ear.next()
    assert (spent.outcome, spent.is_estimated) == (CallOutcome.CANCELLED, True)
    assert spent.prompt_tokens > 0


def test_what_a_provider_said_before_it_was_cancelled_is_no_guess(bench: Bench) -> None:
    ear = Ear(bench)
    event = (
        b'data: {"choices": [{"delta": {"content": "a"}}], "usage": {"prompt_tokens": 90, "completion_tokens": 1}}\n\n'
    )
    bench.server.script(Raw(event, "text/event-stream"), Answer("hello", usage=(7, 8)))
    bench.reply(bench.ask("hi"))

    cut = ear.next()
    assert (cut.outcome, figures(cut)) == (CallOutcome.FAILED, (90, 1, False))


def test_tokens_that_the_provider_had_kept_are_told(bench: Bench) -> None:
    ear = Ear(bench)
    body = (
        b'{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 90, '
        b'"completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 64}}}'
    )
    bench.server.script(Raw(body, "application/json", 200))
    bench.reply(bench.ask("hi"))

    assert ear.next().cached_tokens == 64


@pytest.mark.parametrize("is_direct", [False, True])
def test_each_attempt_that_goes_out_is_told_once_before_its_end(bench: Bench, is_direct: bool) -> None:
    ear = Ear(bench)
    bench.server.script(Refusal(500), Raw(b"{", "application/json"), Answer("hello"), Stall("held"))
    more = {"api_base": bench.server.api_base, "model": "small"} if is_direct else {}
    answered, cancelled = (bench.request(user("hi"), **more) for _ in range(2))  # type: ignore[arg-type]
    bench.tell(answered)
    bench.reply(answered.request_id)

    begun = [("begun", 1), ("failed", 1), ("begun", 2), ("failed", 2), ("begun", 3), ("answered", 3)]
    assert ear.all(3) == begun
    bench.tell(cancelled)
    bench.server.wait_for_requests(4)
    bench.tell(CancelModel(request_id=cancelled.request_id))
    assert ear.all(1) == [("begun", 1), ("cancelled", 1)]


def test_a_begin_says_what_would_be_told_of_a_cancelled_call(bench: Bench) -> None:
    ear = Ear(bench)
    bench.server.script(Stall(""))
    request_id = bench.ask("hi", purpose="a purpose")
    bench.server.wait_for_requests(1)
    begun = ear.begun()
    bench.tell(CancelModel(request_id=request_id))
    spent = ear.next()

    assert begun.at <= spent.at
    names = ("kind", "owner", "run_id", "purpose", "call_id", "attempt", "model", "prompt_tokens", "cost_usd")
    assert [getattr(begun, name) for name in names] == [getattr(spent, name) for name in names]
    assert begun.prompt_tokens > 0


def test_what_the_server_sends_elsewhere_goes_out_once(bench: Bench) -> None:
    ear = Ear(bench)
    bench.server.script(Refusal(307, headers=(("Location", f"{bench.server.api_base}/chat/completions"),)), Answer("a"))
    bench.reply(bench.ask("hi"))

    assert ear.all(1) == [("begun", 1), ("answered", 1)]


def test_the_offline_model_sends_nothing_out(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(name="offline", api_base="")
    ear = Ear(bench)
    bench.reply(bench.ask("hi"))

    assert ear.all(1) == [("answered", 1)]


@pytest.mark.crashes
def test_calls_that_end_with_their_actor_are_told(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench()
    ear = Ear(bench)
    bench.server.script(Held(Answer("never")))
    bench.ask("hi")
    bench.server.wait_for_requests(1)
    bench.tell(CRASH)

    assert ear.next().outcome is CallOutcome.CANCELLED
