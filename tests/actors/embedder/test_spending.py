"""Usage of calls to a provider of embeddings, as the embedder reports it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from actors.embedder.prices import price_of
from actors.embedder.spending import with_price
from actors.kernel import Edge
from domain.memory.space import Provider, Space
from messages.embedder import TextRole
from messages.model import SPENT, CallKind, CallOutcome, CallSpent
from tests.actors.embedder.loopback import LoopbackEmbeddings, Reply
from tests.actors.embedder.rig import EMBEDDER, Rig
from tests.crash import CRASH
from tests.patience import PATIENCE_S

SPACE = Space(Provider.OPENAI, "text-embedding-3-small", 0)


class Counting(LoopbackEmbeddings):
    """Counts 321 tokens a call."""

    def _vectors(self, *arguments: object) -> dict[str, object]:
        return super()._vectors(*arguments) | {"usage": {"prompt_tokens": 321, "total_tokens": 321}}  # type: ignore[arg-type]


@pytest.fixture
def server() -> Iterator[Counting]:
    with Counting() as made:
        yield made


@pytest.fixture
def rig(server: Counting) -> Iterator[Rig]:
    made = Rig(server, SPACE)
    yield made
    made.system.stop()


def ear_in(rig: Rig) -> Edge:
    ear: Edge = rig.system.edge("ear")
    ear.follow(SPENT)
    return ear


def take_usage(ear: Edge) -> CallSpent:
    heard = ear.receive(PATIENCE_S, lambda message: isinstance(message, CallSpent))
    assert isinstance(heard, CallSpent)
    return heard


def test_a_call_takes_what_the_provider_counts(rig: Rig) -> None:
    ear = ear_in(rig)
    rig.vectors(rig.ask("one", "two", role=TextRole.QUERY))

    spent = take_usage(ear)
    assert (spent.kind, spent.owner, spent.purpose) == (CallKind.EMBEDDING, "embedder", "query")
    assert (spent.model, spent.prompt_tokens, spent.is_estimated) == ("text-embedding-3-small", 321, False)
    assert spent.cost_usd == pytest.approx(321 * price_of("text-embedding-3-small").per_token)
    assert spent.cost_usd > 0


def test_a_refused_call_takes_nothing_and_the_next_is_told_too(rig: Rig, server: Counting) -> None:
    ear = ear_in(rig)
    server.script = [Reply(status=500, body={"error": "no"})]
    asked = rig.ask("one")
    refused = take_usage(ear)
    rig.pass_time(5)
    rig.vectors(asked)
    answered = take_usage(ear)

    assert (refused.prompt_tokens, refused.is_estimated, refused.outcome) == (0, False, CallOutcome.FAILED)
    assert refused.cost_usd == 0 < answered.cost_usd
    assert (answered.prompt_tokens, answered.outcome) == (321, CallOutcome.ANSWERED)


def test_what_was_carried_out_and_cannot_be_read_is_guessed(rig: Rig, server: Counting) -> None:
    ear = ear_in(rig)
    server.script = [Reply(body=b"<html>")]
    rig.ask("e" * 40)

    spent = take_usage(ear)
    assert (spent.prompt_tokens, spent.is_estimated, spent.outcome) == (10, True, CallOutcome.FAILED)


def test_what_this_machine_computes_itself_does_not_go_out(server: Counting) -> None:
    rig = Rig(server, Space(Provider.HASHED, "hashed-words-v1", 384))
    ear = ear_in(rig)
    rig.vectors(rig.ask("one"))
    rig.figures()
    rig.system.stop()

    assert ear.drain() == []


@pytest.mark.crashes
def test_a_call_that_a_crash_leaves_is_told_as_cancelled(rig: Rig, server: Counting) -> None:
    ear = ear_in(rig)
    server.script = [Reply(held=True)]
    rig.ask("e" * 40)
    server.wait_for_calls(1)
    rig.system.tell(EMBEDDER, CRASH)

    spent = take_usage(ear)
    assert (spent.prompt_tokens, spent.is_estimated, spent.outcome) == (10, True, CallOutcome.CANCELLED)


def test_a_search_of_a_reranking_service_costs_unless_it_was_refused(subtests: pytest.Subtests) -> None:
    for counted, outcome, is_estimated, has_cost in [
        (0, CallOutcome.FAILED, False, False),
        (0, CallOutcome.ANSWERED, False, True),
        (7, CallOutcome.CANCELLED, True, True),
    ]:
        with subtests.test(counted=counted, outcome=outcome, is_estimated=is_estimated, has_cost=has_cost):
            spent = CallSpent(
                at=datetime(2026, 1, 1, tzinfo=UTC),
                kind=CallKind.RERANKING,
                owner="reranker",
                purpose="",
                call_id="c",
                attempt=1,
                model="cohere/rerank-v3.5",
                prompt_tokens=counted,
                outcome=outcome,
                is_estimated=is_estimated,
                took_s=0.1,
            )
            assert (with_price(spent).cost_usd > 0) is has_cost
