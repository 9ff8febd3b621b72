"""What calls of a provider of embeddings took, as the embedder tells it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

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


def told(ear: Edge) -> CallSpent:
    heard = ear.receive(PATIENCE_S, lambda message: isinstance(message, CallSpent))
    assert isinstance(heard, CallSpent)
    return heard


def test_a_call_takes_what_the_provider_counts(rig: Rig) -> None:
    ear = ear_in(rig)
    rig.vectors(rig.ask("one", "two", role=TextRole.QUERY))

    spent = told(ear)
    assert (spent.kind, spent.owner, spent.purpose) == (CallKind.EMBEDDING, "embedder", "query")
    assert (spent.model, spent.prompt_tokens, spent.is_estimated) == ("text-embedding-3-small", 321, False)


def test_a_refused_call_takes_nothing_and_the_next_is_told_too(rig: Rig, server: Counting) -> None:
    ear = ear_in(rig)
    server.script = [Reply(status=500, body={"error": "no"})]
    asked = rig.ask("one")
    refused = told(ear)
    rig.clock.advance(5)
    rig.vectors(asked)
    answered = told(ear)

    assert (refused.prompt_tokens, refused.is_estimated, refused.outcome) == (0, False, CallOutcome.FAILED)
    assert (answered.prompt_tokens, answered.outcome) == (321, CallOutcome.ANSWERED)


def test_what_was_carried_out_and_cannot_be_read_is_guessed(rig: Rig, server: Counting) -> None:
    ear = ear_in(rig)
    server.script = [Reply(body=b"<html>")]
    rig.ask("e" * 40)

    spent = told(ear)
    assert (spent.prompt_tokens, spent.is_estimated, spent.outcome) == (10, True, CallOutcome.FAILED)


@pytest.mark.crashes
def test_a_call_that_a_crash_leaves_is_told_as_cancelled(rig: Rig, server: Counting) -> None:
    ear = ear_in(rig)
    server.script = [Reply(held=True)]
    rig.ask("e" * 40)
    server.wait_for_calls(1)
    rig.system.tell(EMBEDDER, CRASH)

    spent = told(ear)
    assert (spent.prompt_tokens, spent.is_estimated, spent.outcome) == (10, True, CallOutcome.CANCELLED)
