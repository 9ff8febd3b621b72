"""Entry of each attempt: counts of the provider, or estimates that are marked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actors.kernel import Actor, ActorSpec, Edge, ManualClock
from actors.model.actor import ENTERED_S
from lab.loopback_model.server import Answer, CutOff, Delayed, Raw, Refusal, Stall
from messages.base import Message, RequestId
from messages.model import (
    LEDGER,
    SPENT,
    CallOutcome,
    CallSpent,
    CancelModel,
    ConfirmEntries,
    EntriesConfirmed,
    ModelReply,
)
from messages.status import DescribeYourself
from tests.actors.model.bench import Bench
from tests.crash import CRASH
from tests.patience import PATIENCE_S


class Ear:
    """Hears what calls took."""

    def __init__(self, bench: Bench) -> None:
        self._edge: Edge = bench.system.edge("ear")
        self._edge.follow(SPENT)

    def next(self) -> CallSpent:
        heard = self._edge.receive(PATIENCE_S, lambda message: isinstance(message, CallSpent))
        assert isinstance(heard, CallSpent)
        return heard

    def all(self, ends: int) -> list[tuple[str, int]]:
        """Outcome and attempt of so many ends; nothing else is told after them."""
        heard = [self.next() for _ in range(ends)]
        assert self._edge.drain() == []
        return [(spent.outcome.value, spent.attempt) for spent in heard]


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


def test_a_request_that_the_server_sends_elsewhere_is_one_attempt(bench: Bench) -> None:
    ear = Ear(bench)
    bench.server.script(Refusal(307, headers=(("Location", f"{bench.server.api_base}/chat/completions"),)), Answer("a"))
    bench.reply(bench.ask("hi"))

    assert ear.all(1) == [("answered", 1)]


def test_a_call_of_the_offline_model_is_told_and_takes_nothing(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(name="offline", api_base="")
    ear = Ear(bench)
    bench.reply(bench.ask("hi"))

    assert ear.all(1) == [("answered", 1)]


@pytest.mark.crashes
def test_calls_that_end_with_their_actor_are_told(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench()
    ear = Ear(bench)
    bench.server.script(Delayed(Answer("never")))
    bench.ask("hi")
    bench.server.wait_for_requests(1)
    bench.tell(CRASH)

    assert ear.next().outcome is CallOutcome.CANCELLED


class SlowLedger(Actor):
    """A ledger that confirms entries when the test wants it."""

    def __init__(self, heard: Edge) -> None:
        super().__init__()
        self._heard = heard

    def on_start(self) -> None:
        self.follow(SPENT)

    def handle(self, message: Message) -> None:
        self.tell(self._heard.address, message)


def with_slow_ledger(bench: Bench) -> Edge:
    """Hears what the ledger of the bench hears."""
    heard = bench.system.edge("ledger")
    bench.system.register(ActorSpec(LEDGER.kind, lambda _key: SlowLedger(heard)))
    bench.system.tell(LEDGER, DescribeYourself(request_id=RequestId("d"), reply_to=heard.address))
    heard.receive(PATIENCE_S)  # it is there, and follows
    return heard


@pytest.mark.req("X-190")
@pytest.mark.parametrize("is_late", [False, True])
def test_a_reply_waits_until_the_ledger_has_its_call_or_is_late(
    make_bench: Callable[..., Bench], is_late: bool
) -> None:
    clock = ManualClock()
    bench = make_bench(clock=clock, name="offline", api_base="")
    heard = with_slow_ledger(bench)
    request_id = bench.ask("hi")
    spent, question = heard.receive(PATIENCE_S), heard.receive(PATIENCE_S)

    assert isinstance(spent, CallSpent)
    assert isinstance(question, ConfirmEntries)
    clock.advance(ENTERED_S - 1)
    bench.rest()
    assert not [message for message in bench.edge.drain() if isinstance(message, ModelReply)]
    if is_late:
        clock.advance(1)
    else:
        bench.tell(EntriesConfirmed(request_id=question.request_id))
    bench.reply(request_id)


def test_a_reply_whose_call_is_cancelled_before_its_entry_is_told_to_nobody(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(name="offline", api_base="")
    heard = with_slow_ledger(bench)
    request_id = bench.ask("hi")
    heard.receive(PATIENCE_S)
    question = heard.receive(PATIENCE_S)
    assert isinstance(question, ConfirmEntries)
    bench.tell(CancelModel(request_id=request_id))
    bench.tell(EntriesConfirmed(request_id=question.request_id))
    bench.rest()

    assert not [message for message in bench.edge.drain() if isinstance(message, ModelReply)]
