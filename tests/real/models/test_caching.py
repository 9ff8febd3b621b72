"""Public reports about caches that were asked for wrongly or not at all, tried on the model actor."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest

from lab.loopback_model.messages_form import charged_answer, messages_address
from lab.loopback_model.prefix_cache import Charge, PrefixCache
from lab.loopback_model.server import Answer, Behaviour, LoopbackModel, Received, Refusal
from messages.model import SPENT, CallSpent, ChatMessage, ModelReply, Role, ToolCall
from tests.actors.model.bench import Bench, user
from tests.actors.model.conftest import litellm as litellm
from tests.patience import PATIENCE_S

KEYS = {"ANTHROPIC_API_KEY": "no key", "OPENAI_API_KEY": "no key"}
LONG = "You are an agent. " + "Rules of the house. " * 300
CALL = ToolCall(id="functions.bash:0", name="bash", arguments_json='{"command": "ls"}')
CLAUDE = "anthropic/claude-sonnet-4-5"
IGNORED = pytest.mark.filterwarnings("ignore:.* `ReadOnly` qualifier:UserWarning", "ignore::ResourceWarning")
pytestmark = [IGNORED]


class Provider:
    """A server that keeps what it is asked to keep, and the charges of its answers."""

    def __init__(self, refuses: Callable[[str], Refusal | None] = lambda _body: None) -> None:
        self.cache = PrefixCache()
        self.charges: list[Charge] = []
        self._refuses = refuses

    def behave(self, received: Received) -> Behaviour:
        if (refusal := self._refuses(received.raw.decode())) is not None:
            return refusal
        answered = charged_answer(Answer("fine"), received, self.cache, float(len(self.charges)))
        if isinstance(answered, Refusal):
            return answered
        raw, charge = answered
        self.charges.append(charge)
        return raw


def refuse_marks(refusal: Refusal, body: str) -> Refusal | None:
    return refusal if "cache_control" in body else None


def bench_of(server: LoopbackModel, **settings: Any) -> Bench:
    given: dict[str, Any] = {
        "name": CLAUDE,
        "api_base": messages_address(server.api_base),
        "api_keys": KEYS,
        "retries": 0,
    }
    return Bench(server, **given | settings)


def ask(bench: Bench, *messages: ChatMessage, turn: int = 1, recent: int = 3) -> ModelReply:
    request = bench.request(*messages, system_prompt=LONG)
    request = msgspec.structs.replace(request, run_id="t", turn_messages=turn, recent_messages=recent)
    bench.tell(request)
    return bench.reply(request.request_id)


def assistant(text: str, *calls: ToolCall) -> ChatMessage:
    return ChatMessage(role=Role.ASSISTANT, text=text, tool_calls=calls)


def result(text: str) -> ChatMessage:
    return ChatMessage(role=Role.TOOL, text=text, tool_call_id=CALL.id)


def test_a_conversation_pays_for_each_part_once(litellm: None) -> None:
    """RooCodeInc/Roo-Code#2071, pensarai/apex#943: caching that was off, or on for the system prompt alone."""
    provider = Provider()
    with LoopbackModel(provider.behave) as server:
        bench = bench_of(server)
        bench.edge.follow(SPENT)
        try:
            told = [user("one " * 400)]
            replies = [ask(bench, *told, turn=1, recent=1)]
            for number in range(2, 5):
                told += [assistant("fine"), user(f"{number} " * 400)]
                replies.append(ask(bench, *told))
            told += [assistant("", CALL), result("a.txt " * 300)]
            replies.append(ask(bench, *told, turn=3, recent=5))
            spent = [bench.edge.receive(PATIENCE_S, lambda m: isinstance(m, CallSpent)) for _ in replies]
        finally:
            bench.system.stop()

    first, *later = provider.charges
    assert (first.read, first.fresh) == (0, 0)
    for before, charge in zip(provider.charges, later, strict=False):
        assert charge.read == before.total, "the next request reads all of the request before"
        assert charge.fresh == 0
    for reply, took, charge in zip(replies, spent, provider.charges, strict=True):
        assert isinstance(took, CallSpent)
        counted = (charge.total, charge.read, charge.stored)
        assert (reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.stored_tokens) == counted
        assert (took.prompt_tokens, took.cached_tokens, took.stored_tokens) == counted
        written = reply.usage.completion_tokens * 15e-6
        price = (charge.fresh + 1.25 * charge.stored + 0.1 * charge.read) * 3e-6 + written
        assert took.cost_usd == pytest.approx(price)


def test_memories_that_are_gone_in_the_next_turn_cost_the_turn_and_not_the_history(litellm: None) -> None:
    """openclaw/openclaw#91223: memories that change with each request brought the cached share from 99.9 to 22 %."""
    provider = Provider()
    with LoopbackModel(provider.behave) as server:
        bench = bench_of(server)
        try:
            told = [user("long ago " * 800), assistant("fine"), user("then " * 100)]
            ask(bench, *told[:-1], user("INJECTED\n\n" + told[-1].text))
            for number in range(12):  # more blocks than a provider looks back
                told += [assistant(f"step {number}", CALL), result(f"result {number}")]
            ask(bench, *told[:-1], result("last"), turn=25, recent=27)
            ask(bench, *told, assistant("fine"), user("INJECTED\n\nnow"), turn=1, recent=26)
        finally:
            bench.system.stop()

    history = provider.charges[0]
    assert provider.charges[2].read > history.total * 0.8
    assert provider.charges[2].fresh == 0


def test_a_round_of_many_calls_is_found_again(litellm: None) -> None:
    """redpanda-data/ai-sdk-go#205, anthropics/claude-code#63930: more blocks than a provider looks back."""
    provider = Provider()
    calls = tuple(ToolCall(id=f"call_{number}", name="bash", arguments_json="{}") for number in range(30))
    results = [ChatMessage(role=Role.TOOL, text="done", tool_call_id=call.id) for call in calls]
    with LoopbackModel(provider.behave) as server:
        bench = bench_of(server)
        try:
            ask(bench, user("all of them"), recent=1)
            ask(bench, user("all of them"), assistant("", *calls), *results, turn=32, recent=32)
        finally:
            bench.system.stop()

    assert provider.charges[1].read == provider.charges[0].total


@pytest.mark.req("X-217")
def test_a_server_that_refuses_the_marks_is_asked_without_from_then_on(litellm: None) -> None:
    """Each refusal is a report's: no caching on this model, no such field, too many marks of a relay's own."""
    refusals = {
        "earendil-works/pi#7938": Refusal(400, "tools.3.cache_control: Extra inputs are not permitted"),
        "cg-dot/vertexai-cf-workers#21": Refusal(400, "messages.0.cache_control: Extra inputs are not permitted"),
        "Wei-Shaw/sub2api#176": Refusal(400, "A maximum of 4 blocks with cache_control may be provided. Found 5."),
        "anthropics/claude-code#55302": Refusal(
            400, "messages.0.text: cache_control cannot be set for empty text blocks"
        ),
        "earendil-works/pi#2053": Refusal(400, "#/messages/6/content/0: extraneous key [cachePoint] is not permitted"),
        "BerriAI/litellm#39210": Refusal(
            403, "You invoked an unsupported model or your request did not allow prompt caching"
        ),
    }
    failures = []
    for source, refusal in refusals.items():
        provider = Provider(partial(refuse_marks, refusal))
        with LoopbackModel(provider.behave) as server:
            bench = bench_of(server)
            try:
                first = ask(bench, user("one"), recent=1)
                ask(bench, user("one"), assistant("fine"), user("two"))
                if (server.request_count, first.text, first.left_out) != (3, "fine", ""):
                    failures.append((source, server.request_count, first))
            finally:
                bench.system.stop()
    assert not failures


def test_requests_of_other_providers_ask_for_no_cache(litellm: None) -> None:
    """anomalyco/opencode#4386, #45113, zed-industries/zed#52000: servers refuse fields that are OpenAI's alone."""
    with LoopbackModel(lambda _received: Answer("fine")) as server:
        for name in ("hosted_vllm/test", "openai/gpt-4o"):
            bench = bench_of(server, name=name, api_base=server.api_base)
            try:
                ask(bench, user("one"), assistant("", CALL), result("done"), turn=3, recent=3)
            finally:
                bench.system.stop()
        for received in server.requests():
            assert set(received.body) <= {"model", "messages", "tools", "stream", "stream_options"}
            assert "cache" not in json.dumps(received.body)
