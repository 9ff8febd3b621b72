"""Faults of a model server, through real litellm from a loopback server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from actors.model.backend import AttemptProgress, OfflineBackend
from lab.loopback_model.server import Answer, Behaviour, Call, CutOff, Delayed, LoopbackModel, Raw, Refusal, Stall
from messages.model import Completion, ModelRequest, StopReason
from tests.actors.model.bench import Bench

MODELS = pytest.mark.parametrize("name", ["hosted_vllm/test", "openai/test"])

PASSING: list[tuple[str, Behaviour, str]] = [
    ("429", Refusal(429), "answered 429 (rate limit)"),
    ("500", Refusal(500), "answered 500 (server error)"),
    ("503", Refusal(503), "answered 503 (server error)"),
    ("cut before the header", CutOff(), "broke off its answer"),
    ("cut after text", CutOff("half an ans"), "broke off its answer"),
    ("cut after a tool call", CutOff(calls=(Call("bash", "{}"),)), "broke off its answer"),
    ("a proxy's page", Raw(b"<html>Bad gateway</html>"), "not a model's answer"),
    ("a proxy's 502 page", Raw(b"<html>Bad gateway</html>", status=502), "answered 502 (server error)"),
    ("broken events", Raw(b"data: {broken\n\n", "text/event-stream"), "not a model's answer"),
    ("nothing", Raw(b"", "text/event-stream"), "not a model's answer"),
]
FINAL: list[tuple[str, Behaviour, str]] = [
    ("400", Refusal(400, "bad"), "refused the request (400)"),
    ("401", Refusal(401, "Incorrect API key provided: sk-secret"), "key for the model's server"),
    ("403", Refusal(403), "key for the model's server"),
    ("404", Refusal(404), "is unknown (404)"),
    ("context", Refusal(400, "maximum context length is 8192 tokens"), "longer than the model accepts"),
    ("quota", Refusal(429, "You exceeded your current quota", code="insufficient_quota"), "no quota or credit"),
]


@MODELS
@pytest.mark.parametrize(("behaviour", "words"), [case[1:] for case in PASSING], ids=[case[0] for case in PASSING])
def test_what_may_pass_is_tried_four_times_and_then_told(
    make_bench: Callable[..., Bench], name: str, behaviour: Behaviour, words: str
) -> None:
    bench = make_bench(name=name)
    bench.server.script(*[behaviour] * 4)

    failure = bench.failure(bench.ask())

    assert words in failure.reason
    assert "4 times" in failure.reason
    assert failure.attempts == bench.server.request_count == 4


@MODELS
@pytest.mark.parametrize(("behaviour", "words"), [case[1:] for case in FINAL], ids=[case[0] for case in FINAL])
def test_what_cannot_pass_is_told_at_once(
    make_bench: Callable[..., Bench], name: str, behaviour: Behaviour, words: str
) -> None:
    bench = make_bench(name=name)
    bench.server.script(behaviour)

    failure = bench.failure(bench.ask("the text of the request"))

    assert words in failure.reason
    assert "secret" not in failure.reason
    assert "text of the request" not in failure.reason
    assert failure.attempts == bench.server.request_count == 1


def test_a_failure_that_passes_leaves_no_trace_in_the_reply(bench: Bench, subtests: pytest.Subtests) -> None:
    for behaviour in [case[1] for case in PASSING]:
        with subtests.test(behaviour=behaviour):
            bench.server.script(behaviour, Answer("whole"))

            reply = bench.reply(bench.ask())

            assert (reply.text, reply.tool_calls, reply.stop_reason) == ("whole", (), StopReason.STOP)


def test_waits_double_from_two_seconds(bench: Bench) -> None:
    bench.server.script(*[Refusal(500)] * 3)

    bench.reply(bench.ask())

    assert [least <= wait <= least + 0.5 for wait, least in zip(bench.waits, (2, 4, 8), strict=True)] == [True] * 3


@MODELS
def test_the_wait_that_a_server_asks_for_is_kept(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench(name=name)
    bench.server.script(Refusal(429, headers=(("Retry-After", "17"),)))

    bench.reply(bench.ask())

    assert bench.waits == [17.0]


@MODELS
def test_a_server_that_asks_for_an_hour_is_given_up_at_once(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench(name=name)
    bench.server.script(Refusal(429, headers=(("Retry-After", "3600"),)))

    failure = bench.failure(bench.ask())

    assert "asks to wait 3600 s" in failure.reason
    assert (failure.attempts, bench.waits) == (1, [])


@MODELS
@pytest.mark.parametrize("text", ["", "half an ans"])
def test_a_silent_server_is_given_up(make_bench: Callable[..., Bench], name: str, text: str) -> None:
    bench = make_bench(name=name, idle_timeout_s=0.2, retries=1)
    bench.server.script(Stall(text), Stall(text))

    failure = bench.failure(bench.ask())

    assert failure.reason == "the model's server did not answer in time 2 times"
    bench.server.wait_for_disconnects(2)


@pytest.mark.slow
def test_a_slow_stream_that_is_never_silent_for_long_is_not(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(idle_timeout_s=2.0, retries=0)
    bench.server.script(Answer("0123456789", pieces=10, piece_delay_s=0.22))

    assert bench.reply(bench.ask()).text == "0123456789"


@MODELS
def test_a_server_that_is_not_there_is_told(make_bench: Callable[..., Bench], server: LoopbackModel, name: str) -> None:
    bench = make_bench(name=name, retries=1)
    server.stop()

    assert bench.failure(bench.ask()).reason == "the model's server could not be reached 2 times"


def test_a_model_that_litellm_does_not_know_is_told(bench: Bench) -> None:
    request = bench.request(model="nobody-knows-this")

    bench.tell(request)

    assert "is unknown" in bench.failure(request.request_id).reason
    assert bench.server.request_count == 0


def test_deltas_start_over_after_a_broken_answer(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(delta_interval_s=0.0)
    bench.server.script(Delayed(CutOff("first")), Delayed(CutOff("second")), Answer("third"))

    request_id = bench.ask()
    first = bench.delta(request_id)
    bench.server.release()
    second = bench.delta(request_id)
    bench.server.release()

    assert (first, second, bench.reply(request_id).text) == ("first", "second", "third")


@MODELS
def test_a_failed_call_does_not_hurt_the_next(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench(name=name, retries=0)
    bench.server.script(CutOff("x"), Refusal(401))

    ids = [bench.ask("a"), bench.ask("b"), bench.ask("c")]

    assert [type(bench.end(i)).__name__ for i in ids] == ["ModelFailed", "ModelFailed", "ModelReply"]


def test_a_call_that_a_library_cancels_by_itself_is_a_failure(make_bench: Callable[..., Bench]) -> None:
    class Withdrawn(OfflineBackend):
        """Cancels its own work."""

        async def complete(self, model: str, request: ModelRequest, say: AttemptProgress) -> Completion:
            raise asyncio.CancelledError

    bench = make_bench(backend_of=lambda _config: Withdrawn())
    first, second = bench.ask(), bench.ask()

    assert "CancelledError" in bench.failure(first).reason
    assert bench.failure(second).request_id == second
