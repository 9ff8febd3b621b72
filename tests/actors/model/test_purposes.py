"""Model calls beside a window's turn, and calls whose caller does not wait."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actors.model.actor import BACKGROUND_CALLS
from lab.loopback_model.server import Answer, Delayed, LoopbackModel, Received, echo
from messages.status import DescribeYourself, SelfDescription
from tests.actors.model.bench import Bench, window
from tests.patience import PATIENCE_S


def held_echo(request: Received) -> Delayed:
    answer = echo(request)
    assert isinstance(answer, Answer)
    return Delayed(answer)


@pytest.fixture
def holding(make_bench: Callable[..., Bench], server: LoopbackModel) -> Callable[..., Bench]:
    """Benches before a server that answers when it is told to."""
    server.behave = held_echo
    return make_bench


def figures(bench: Bench) -> dict[str, str | int | float]:
    bench.tell(DescribeYourself(request_id=bench.request().request_id, reply_to=bench.edge.address))
    said = bench.edge.receive(PATIENCE_S, lambda message: isinstance(message, SelfDescription))
    assert isinstance(said, SelfDescription)
    return dict(said.figures)


@pytest.mark.req("S4-186")
def test_calls_of_one_purpose_follow_one_another_and_those_of_two_do_not_wait(holding: Callable[..., Bench]) -> None:
    bench = holding()
    bench.ask("turn")
    for text in ("one", "two"):
        bench.ask(text, purpose="subagent r1")
    bench.ask("other", purpose="subagent r2")
    bench.server.wait_for_requests(3)
    assert sorted(each.last_text for each in bench.server.requests()) == ["one", "other", "turn"]
    bench.server.release()
    bench.server.wait_for_requests(4)
    assert bench.server.requests()[-1].last_text == "two"
    bench.server.release()


@pytest.mark.req("S4-99")
def test_what_hangs_in_the_background_takes_no_place_of_an_answer(holding: Callable[..., Bench]) -> None:
    bench = holding(concurrency=1)
    hanging = [
        bench.ask(f"b{number}", of=window(number), purpose="work", is_background=True)
        for number in range(BACKGROUND_CALLS + 2)
    ]
    bench.server.wait_for_requests(BACKGROUND_CALLS)
    bench.ask("answer me", of=window(9))
    bench.server.wait_for_requests(BACKGROUND_CALLS + 1)
    assert bench.server.requests()[-1].last_text == "answer me"
    told = figures(bench)
    assert (told["in_flight"], told["waiting"]) == (1, 0)
    assert (told["background_in_flight"], told["background_waiting"]) == (BACKGROUND_CALLS, 2)
    bench.cancel(hanging[-1])
    bench.cancel(hanging[0])
    bench.server.wait_for_requests(BACKGROUND_CALLS + 2)
    assert bench.server.requests()[-1].last_text == f"b{BACKGROUND_CALLS}"
    assert figures(bench)["background_waiting"] == 0
    bench.server.release()
