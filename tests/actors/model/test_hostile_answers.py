"""Answers of a hostile server, called directly and by litellm: each is given up at a bound, and the failure names it."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from lab.loopback_model.messages_form import messages_address
from lab.loopback_model.server import LoopbackModel, Wire
from tests.actors.model.bench import Bench, window
from tests.actors.model.hostile_answers import (
    ATTACKS,
    BOMBS,
    HEAD,
    MIB,
    always,
    delta_event,
    many,
    redirection,
)

KEYS = {"OPENAI_API_KEY": "sk-secret", "ANTHROPIC_API_KEY": "sk-ant-secret"}
WAYS = ("openai/test", "anthropic/claude-sonnet-4-5")
"""Called directly, and by litellm."""


@pytest.fixture
def ask_of(make_bench: Callable[..., Bench], server: LoopbackModel) -> Callable[..., Bench]:
    """Benches of a model that is called in one of the ways."""

    def make(name: str, **more: object) -> Bench:
        base = server.api_base if name.startswith("openai/") else messages_address(server.api_base)
        return make_bench(name=name, api_base=base, api_keys=KEYS, retries=0, **more)

    return make


@pytest.mark.req("X-235")
def test_each_attack_is_one_request_and_a_failure_that_names_the_rule(
    make_bench: Callable[..., Bench], subtests: pytest.Subtests
) -> None:
    for name, attack in ATTACKS.items():
        if name in ("names", "rounds") or not attack.told:
            continue
        with subtests.test(name=name):
            bench = make_bench(retries=3)
            bench.server.behave = attack.behave
            before = bench.server.request_count
            if attack.told in ("x", "`"):
                assert attack.told in bench.reply(bench.ask()).text
                continue

            failure = bench.failure(bench.ask())

            assert attack.told in failure.reason
            assert bench.server.request_count - before == (4 if name == "a short body" else 1)


def _text_event(text: str) -> bytes:
    return (
        b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, '
        b'"delta": {"type": "text_delta", "text": "' + text.encode() + b'"}}\n\n'
    )


@pytest.mark.req("X-235")
def test_answers_that_litellm_reads_have_bounds_too(ask_of: Callable[..., Bench], subtests: pytest.Subtests) -> None:
    interim = ATTACKS["interim"].behave
    cases = {
        "deltas": (
            always(many(_text_event("x" * 5_000) + _text_event("y" * 5_000), 80 * MIB)),
            "more than 1,000,000 characters",
        ),
        "comments": (always(many(b": still here\n" + b"x" * 5_000 + b"\n\n", 80 * MIB)), "more than 67108864 bytes"),
        "interim": (interim, "more than 16 interim answers"),
        **{name: (bomb, "a packed answer") for name, bomb in BOMBS.items()},
    }
    for name, (behave, told) in cases.items():
        with subtests.test(name=name):
            bench = ask_of(WAYS[1])
            bench.server.behave = behave

            assert told in bench.failure(bench.ask()).reason


@pytest.mark.req("X-235")
def test_neither_key_nor_words_follow_a_redirection_to_another_server(
    ask_of: Callable[..., Bench], subtests: pytest.Subtests
) -> None:
    for name in WAYS:
        for status in (301, 302, 303, 307, 308):
            with subtests.test(name=name, status=status), LoopbackModel() as other:
                bench = ask_of(name)
                bench.server.behave = redirection(status, f"{other.api_base}/chat/completions")

                failure = bench.failure(bench.ask("precious words"))

                assert other.request_count == 0
                if name == WAYS[1] or status > 303:
                    assert "127.0.0.1" in failure.reason


@pytest.mark.req("X-235")
def test_a_redirection_on_the_same_server_is_followed_with_the_key_three_times(ask_of: Callable[..., Bench]) -> None:
    bench = ask_of(WAYS[0])
    there = redirection(307, f"{bench.server.api_base}/chat/completions")
    bench.server.script(*[there(bench.server)] * 3)  # type: ignore[arg-type]

    assert bench.reply(bench.ask("hello")).text == "echo: hello"
    assert {each.headers["authorization"] for each in bench.server.requests()} == {"Bearer sk-secret"}

    bench.server.behave = there
    assert "redirects more than 3 times" in bench.failure(bench.ask()).reason


@pytest.mark.req("X-235")
def test_no_other_host_port_scheme_or_odd_address_counts_as_the_same_server(
    ask_of: Callable[..., Bench], subtests: pytest.Subtests
) -> None:
    bench = ask_of(WAYS[0])
    port = int(bench.server.api_base.split(":")[2].partition("/")[0])
    for place in (
        f"http://localhost:{port}/v1",
        "http://127.0.0.1:9/v1",
        "https://127.0.0.1:9/v1",
        f"//evil@127.0.0.1:{port}/",
        "http://[",
        "",
    ):
        with subtests.test(place=place):
            before = bench.server.request_count
            bench.server.script(redirection(307, place)(bench.server))  # type: ignore[arg-type]

            assert "neither key nor conversation is sent" in bench.failure(bench.ask()).reason
            assert bench.server.request_count == before + 1


@pytest.mark.req("X-235")
@pytest.mark.parametrize("name", WAYS)
def test_a_stream_that_drips_without_end_is_ended_and_others_are_answered_meanwhile(
    ask_of: Callable[..., Bench], name: str
) -> None:
    bench = ask_of(name, answer_timeout_s=1.5)
    event = delta_event(content="a") if name == WAYS[0] else _text_event("a")
    drip = Wire(lambda: [(0.0, HEAD), *[(0.05, event)] * 2_000])
    bench.server.script(drip)

    dripping = bench.ask("drip")
    others = [bench.ask(f"other {number}", of=window(number + 1)) for number in range(3)] if name == WAYS[0] else []

    assert [bench.reply(each).text for each in others] == [f"echo: other {number}" for number in range(len(others))]
    assert "did not end its answer within 1.5 s" in bench.failure(dripping).reason
    bench.server.wait_for_disconnects(1)


@pytest.mark.req("X-235")
def test_no_attack_takes_much_memory(make_bench: Callable[..., Bench], ask_of: Callable[..., Bench]) -> None:
    bench, by_litellm = make_bench(retries=0), ask_of(WAYS[1])
    bench.reply(bench.ask())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for attack in ATTACKS.values():
        bench.server.behave = attack.behave
        bench.end(bench.ask())
    for bomb in BOMBS.values():
        by_litellm.server.behave = bomb
        by_litellm.failure(by_litellm.ask())

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400 * 1024  # KiB, the server's part included
