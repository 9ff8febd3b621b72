"""Ends of the actor, and calls that wait for a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from actors.kernel import Actor, ActorSpec
from messages.base import Message
from messages.shell import APPROVAL, ApprovalGranted, ApprovalKind, ApprovalRefused, AskApproval
from messages.socket import Refused
from messages.web import CallTool, ListTools, ServerAnswered
from tests.actors.mcp.bench import Bench, small
from tests.patience import eventually

MakeBench = Callable[..., Bench]


class Probe(Actor):
    """Keeps the messages that it is told; a test answers."""

    def __init__(self, kept: list[Message]) -> None:
        super().__init__()
        self._kept = kept

    def handle(self, message: Message) -> None:
        self._kept.append(message)


@pytest.mark.req("X-261")
def test_a_call_under_way_at_the_end_is_told_that_it_may_have_had_an_effect_and_is_not_made_again(
    bench: Bench,
) -> None:
    assert bench.call("say", '{"text": "a"}') == "a"
    hanging = bench.ask(CallTool, server="small", tool="hang")
    eventually(lambda: bench.figures()["waiting"] == 1)

    bench.system.stop()
    answer = bench.reply(hanging)
    assert isinstance(answer, Refused)
    assert "may or may not have had an effect" in answer.reason


def approving(make_bench: MakeBench, kept: list[Message], **server: Any) -> Bench:
    """A bench before a person who is asked."""
    bench = make_bench(small(**server), asks_outside=True)
    bench.system.register(ActorSpec(APPROVAL.kind, lambda _key: Probe(kept)))
    return bench


def open_question(kept: list[Message]) -> AskApproval:
    """The one question."""
    eventually(lambda: any(isinstance(each, AskApproval) for each in kept))
    (question,) = [each for each in kept if isinstance(each, AskApproval)]
    return question


@pytest.mark.req("X-236")
def test_a_call_that_leaves_the_sandbox_is_made_only_after_a_grant(make_bench: MakeBench) -> None:
    kept: list[Message] = []
    bench = approving(make_bench, kept, has_network=True)
    assert bench.get(ListTools).servers[0].fault == ""

    waiting = bench.ask(CallTool, server="small", tool="say", arguments='{"text": "a"}')
    question = open_question(kept)
    assert (question.kind, question.text) == (ApprovalKind.TOOL, 'small: call say {"text": "a"}')
    assert bench.figures()["calls"] == 0
    bench.system.tell(question.reply_to, ApprovalGranted(request_id=question.request_id))
    assert isinstance(bench.reply(waiting), ServerAnswered)


@pytest.mark.req("X-236")
def test_a_refused_call_is_not_made(make_bench: MakeBench) -> None:
    kept: list[Message] = []
    bench = approving(make_bench, kept, has_network=True)

    waiting = bench.ask(CallTool, server="small", tool="say", arguments='{"text": "a"}')
    question = open_question(kept)
    bench.system.tell(question.reply_to, ApprovalRefused(request_id=question.request_id, reason="no"))
    assert bench.reply(waiting).reason == "no"
    assert bench.figures()["calls"] == 0


def test_a_call_within_the_sandbox_asks_nobody(make_bench: MakeBench) -> None:
    kept: list[Message] = []
    bench = approving(make_bench, kept)

    assert bench.call("say", '{"text": "a"}') == "a"
    assert kept == []
