"""Order, limits, cancellation and restarts of the ModelActor."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from actors.model.actor import ModelActor
from actors.model.config import ModelConfig
from lab.loopback_model.server import Answer, CutOff, Delayed, LoopbackModel, Received, Refusal, Stall, echo
from messages.model import ModelDelta, ModelFailed
from tests.actors.model.bench import Bench, window
from tests.crash import CRASH
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


def texts(server: LoopbackModel) -> list[str]:
    return [request.last_text for request in server.requests()]


def test_a_window_has_one_call_in_flight_and_the_others_in_order(holding: Callable[..., Bench]) -> None:
    bench = holding()
    ids = [bench.ask(text) for text in "abc"]

    for number, request_id in enumerate(ids, 1):
        bench.server.wait_for_requests(number)
        assert bench.server.open_count == 1
        bench.server.release(1)
        assert bench.reply(request_id).text == f"echo: {'abc'[number - 1]}"

    assert texts(bench.server) == ["a", "b", "c"]


def test_windows_do_not_wait_for_each_other(holding: Callable[..., Bench]) -> None:
    bench = holding()
    ids = [bench.ask("x", of=window(number)) for number in range(20)]

    bench.server.wait_for_requests(20)
    bench.server.release()

    assert [bench.reply(i).text for i in ids] == ["echo: x"] * 20


@pytest.mark.req("X-127")
def test_no_more_calls_than_the_limit_and_the_windows_take_turns(holding: Callable[..., Bench]) -> None:
    bench = holding(concurrency=1)
    first = bench.ask("a1", of=window(1))
    bench.server.wait_for_requests(1)
    rest = [bench.ask(f"{name}", of=window(int(name[1:]) + 10 * (name[0] == "b"))) for name in ("a1", "a1", "b1", "b2")]

    for number, request_id in enumerate([first, rest[2], rest[3], rest[0], rest[1]], 1):
        bench.server.wait_for_requests(number)
        assert bench.server.open_count == 1
        bench.server.release(1)
        bench.reply(request_id)

    assert texts(bench.server) == ["a1", "b1", "b2", "a1", "a1"]


def test_the_same_request_again_is_called_once(holding: Callable[..., Bench]) -> None:
    bench = holding()
    running, waiting = bench.request(), bench.request()
    for request in (running, running, waiting, waiting):
        bench.tell(request)
    bench.server.wait_for_requests(1)
    bench.tell(running)

    bench.server.release(1)
    bench.server.wait_for_requests(2)
    bench.server.release(1)
    bench.reply(running.request_id)
    bench.reply(waiting.request_id)
    last = bench.ask("last")
    bench.server.wait_for_requests(3)
    bench.server.release(1)
    bench.reply(last)

    assert bench.server.request_count == 3
    assert bench.edge.drain() == []


@pytest.mark.parametrize("name", ["hosted_vllm/test", "openai/test"])
@pytest.mark.parametrize("text", ["", "some text"])
def test_cancelling_a_call_drops_its_connection_and_says_nothing(
    make_bench: Callable[..., Bench], name: str, text: str
) -> None:
    bench = make_bench(name=name, delta_interval_s=0.01)
    bench.server.script(Stall(text))
    request_id = bench.ask()
    bench.server.wait_for_requests(1)
    if text:
        assert bench.delta(request_id) == text

    bench.cancel(request_id)
    bench.server.wait_for_disconnects(1)

    assert bench.reply(bench.ask("next")).text == "echo: next"
    assert [m for m in bench.edge.drain() if not isinstance(m, ModelDelta)] == []


def test_cancelling_a_waiting_request_takes_it_out(holding: Callable[..., Bench]) -> None:
    bench = holding()
    first, second, third = (bench.ask(text) for text in "abc")
    bench.server.wait_for_requests(1)

    bench.cancel(second)
    bench.server.release(1)
    bench.server.wait_for_requests(2)
    bench.server.release(1)

    assert (bench.reply(first).text, bench.reply(third).text) == ("echo: a", "echo: c")
    assert bench.edge.drain() == []


def test_cancelling_between_two_tries_ends_the_wait(make_bench: Callable[..., Bench]) -> None:
    asleep = threading.Event()

    async def sleep(_seconds: float) -> None:
        asleep.set()
        await asyncio.Event().wait()

    bench = make_bench(sleep=sleep)
    bench.server.script(Refusal(500))
    request_id = bench.ask()
    assert asleep.wait(PATIENCE_S)

    bench.cancel(request_id)

    assert bench.reply(bench.ask("next")).text == "echo: next"
    assert bench.server.request_count == 2
    assert bench.edge.drain() == []


def test_cancelling_what_is_not_known_changes_nothing(bench: Bench) -> None:
    request = bench.request()
    bench.cancel(request.request_id)

    bench.tell(request)

    assert bench.reply(request.request_id).text == "echo: hello"
    bench.cancel(request.request_id)
    assert bench.reply(bench.ask()).text == "echo: hello"


def test_a_failed_call_frees_its_place(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(concurrency=1, retries=0)
    bench.server.script(CutOff(), Refusal(401))

    ids = [bench.ask(of=window(number)) for number in range(3)]

    assert [type(bench.end(i)) is ModelFailed for i in ids] == [True, True, False]


def test_who_waits_when_the_system_stops_is_told(holding: Callable[..., Bench]) -> None:
    bench = holding()
    ids = [bench.ask(), bench.ask()]
    bench.server.wait_for_requests(1)

    bench.system.stop()

    assert {bench.failure(i).reason for i in ids} == {"the model service restarted"}
    bench.server.wait_for_disconnects(1)


@pytest.mark.slow
@pytest.mark.crashes
def test_after_a_crash_who_waited_is_told_and_the_next_is_served(holding: Callable[..., Bench]) -> None:
    bench = holding()
    lost = bench.ask("lost")
    bench.server.wait_for_requests(1)

    bench.tell(CRASH)
    failure = bench.failure(lost)
    served = bench.ask("served")
    bench.server.wait_for_requests(2)
    bench.server.release()

    assert failure.reason == "the model service restarted"
    assert bench.reply(served).text == "echo: served"


def test_a_drain_waits_for_calls_in_flight(holding: Callable[..., Bench]) -> None:
    bench = holding()
    request_id = bench.ask()
    bench.server.wait_for_requests(1)

    during = bench.system.drain(0.05)
    bench.server.release()
    bench.reply(request_id)
    after = bench.system.drain(PATIENCE_S)

    assert (during.quiet, after.quiet) == (False, True)


def test_settings_that_cannot_work_are_refused(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, Any]] = [
        {"name": " "},
        {"concurrency": 0},
        {"retries": -1},
        {"idle_timeout_s": 0.0},
        {"delta_interval_s": -1.0},
    ]
    for broken in cases:
        with subtests.test(broken=broken), pytest.raises(ValueError, match="must"):
            ModelActor(ModelConfig(**broken))
