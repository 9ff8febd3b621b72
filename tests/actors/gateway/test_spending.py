"""Usage of clients' chat completions, as the gateway reports it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import web

from messages.model import SPENT, CallOutcome, CallSpent
from tests.actors.gateway.rig import ANSWER, ASK, DONE, GatewayRig, event, stream
from tests.patience import PATIENCE_S

STREAM = ASK | {"stream": True, "memory_id": "anne"}
USAGE = {"prompt_tokens": 1_234, "completion_tokens": 56, "prompt_tokens_details": {"cached_tokens": 1_000}}


@pytest.fixture
def rig() -> Iterator[GatewayRig]:
    rig = GatewayRig()
    rig.asker.follow(SPENT)
    yield rig
    rig.stop()


def take_usage(rig: GatewayRig) -> CallSpent:
    spent = rig.asker.receive(PATIENCE_S, lambda message: isinstance(message, CallSpent))
    assert isinstance(spent, CallSpent)
    return spent


def figures(spent: CallSpent) -> tuple[int, int, int, bool]:
    return spent.prompt_tokens, spent.cached_tokens, spent.completion_tokens, spent.is_estimated


def test_a_whole_answer_takes_what_the_server_says(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda _request: web.json_response(ANSWER | {"usage": USAGE})
    rig.send(ASK | {"memory_id": "anne"})

    spent = take_usage(rig)
    assert (spent.owner, spent.model, spent.outcome) == ("gateway/anne", "m", CallOutcome.ANSWERED)
    assert figures(spent) == (1_234, 1_000, 56, False)


def test_a_streamed_answer_takes_what_its_last_event_says(rig: GatewayRig) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        last = b'data: {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}\n\n'
        return await stream(request, event("In "), event(finish_reason="stop"), last, DONE)

    rig.upstream.handler = answer
    rig.send(STREAM)

    spent = take_usage(rig)
    assert (figures(spent), spent.outcome) == ((9, 0, 2, False), CallOutcome.ANSWERED)


def test_an_answer_without_figures_is_guessed_and_marked(rig: GatewayRig) -> None:
    rig.send(ASK)

    spent = take_usage(rig)
    assert (spent.completion_tokens, spent.is_estimated, spent.outcome) == (2, True, CallOutcome.ANSWERED)
    assert spent.prompt_tokens > 0


def test_a_refused_request_takes_nothing(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda _request: web.json_response({"error": {"message": "no"}}, status=429)
    rig.send(ASK)

    spent = take_usage(rig)
    assert (figures(spent), spent.outcome) == ((0, 0, 0, False), CallOutcome.FAILED)


def test_an_answer_that_breaks_off_is_guessed_and_marked(rig: GatewayRig) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return await stream(request, event("eight ch"), whole=False)

    rig.upstream.handler = answer
    _send_until_broken(rig, STREAM)

    spent = take_usage(rig)
    assert (spent.completion_tokens, spent.is_estimated, spent.outcome) == (2, True, CallOutcome.FAILED)


def _send_until_broken(rig: GatewayRig, body: dict[str, Any]) -> None:
    import http.client

    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        rig.send(body)
