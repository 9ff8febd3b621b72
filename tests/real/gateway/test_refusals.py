"""Servers that refuse a request for the memories in it, through the real gateway, as public reports tell of them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from aiohttp import web

from tests.actors.gateway.rig import ANSWER, ASK, DONE, GatewayRig, event

BLOCK = "Notes: [memory] The user lives in Oslo"
TURNS = [
    {"role": "user", "content": "I live in Oslo"},
    {"role": "assistant", "content": "Nice"},
    {"role": "user", "content": [{"type": "text", "text": "Who am I?"}]},
]
ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."
TOO_LONG = "This model's maximum context length is 8192 tokens"
RATE = "Request too large for m on tokens per minute (TPM): Limit 6000, Requested 7012, please reduce your message size"
ERROR = b'data: {"error": {"code": "server_error", "message": "Jinja Exception"}}\n\n'
Refuses = Callable[[Any], bool]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def has_system(body: Any) -> bool:
    return any(message["role"] == "system" for message in body["messages"])


def has_block(body: Any) -> bool:
    return "[memory]" in json.dumps(body)


@pytest.fixture
def rig() -> Iterator[GatewayRig]:
    rig = GatewayRig()
    rig.facts.block = BLOCK
    yield rig
    rig.stop()


def server(refuses: Refuses, status: int, told: bytes, kind: str = "application/json") -> Handler:
    """Server that refuses some requests and answers all others in the form that they ask for."""

    async def serve(request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        if not refuses(body):
            if not body.get("stream"):
                return web.json_response(ANSWER)
            return web.Response(
                body=event("Hello") + event(finish_reason="stop") + DONE, content_type="text/event-stream"
            )
        answer = web.StreamResponse(status=status, headers={"Content-Type": kind})
        await answer.prepare(request)
        for at in range(0, len(told), 20):
            await answer.write(told[at : at + 20])
        return answer

    return serve


CASES: tuple[tuple[str, Refuses, int, bytes, str], ...] = (
    ("huggingface/chat-ui#1386, vllm-project/vllm#2964", has_system, 400, b"System role not supported", "text/plain"),
    ("vllm-project/vllm#2080, infiniflow/ragflow#11021", has_system, 400, ALTERNATE.encode(), "text/plain"),
    ("EricLBuehler/mistral.rs#506", has_system, 500, b"", "text/plain"),
    ("sgl-project/sglang#892, arcee-ai/fastmlx#22", has_system, 500, b"Internal Server Error", "text/plain"),
    (
        "janhq/jan#6254, mistralai/mistral-vibe#1006",
        has_system,
        500,
        b'{"error": {"message": "Jinja"}}',
        "application/json",
    ),
    ("tailcallhq/forgecode#1177", has_system, 400, b'{"error": {"param": "messages[0].role"}}', "application/json"),
    ("sterlp/eclipse-peon-ai#75", has_system, 200, ERROR + DONE, "text/event-stream"),
    ("an error within a document", has_block, 200, b'{"error": {"message": "no system role"}}', "application/json"),
    ("a limit of length", has_block, 413, TOO_LONG.encode(), "text/plain"),
    ("a limit of length, told as a rate", has_block, 429, RATE.encode(), "text/plain"),
    ("a filter of requests before the server", has_block, 403, b"<html>blocked</html>", "text/html"),
    ("a check of forms", has_block, 422, b'{"detail": []}', "application/json"),
)


@pytest.mark.req("X-224")
@pytest.mark.parametrize("streams", [False, True])
def test_a_memory_that_a_server_refuses_never_breaks_a_chat(
    rig: GatewayRig, caplog: pytest.LogCaptureFixture, streams: bool
) -> None:
    failures = []
    for number, (source, refuses, status, told, kind) in enumerate(CASES):
        rig.upstream.heard.clear()
        rig.facts.stored.clear()
        rig.upstream.handler = server(refuses, status, told, kind)
        ask = ASK | {"model": f"m{number}", "stream": streams}
        reply = rig.send(ask)
        asked = [has_block(heard.json) for heard in rig.upstream.heard]
        note = reply.headers.get("X-Memory-Note", "")
        is_told = note.startswith(f"the model's server answered {status} to") or (streams and status == 200)
        if (reply.status, b"Hello" in reply.body, asked, is_told) != (200, True, [True, False], True):
            failures.append(f"{source}: {reply} {asked} {note!r}")
        if [each.answer_text for each in rig.stored_turns() if each.is_over] != ["Hello"]:
            failures.append(f"{source}: {rig.facts.stored}")
    assert not failures
    metrics = rig.send(None, "/metrics", method="GET").body.decode()
    assert f"gateway_memories_refused_total {len(CASES)}\n" in metrics
    assert caplog.text.count("was asked without them") + caplog.text.count("answered it without them") == 1


@pytest.mark.req("X-224")
def test_a_model_that_knows_no_system_message_is_given_memories_in_the_question_from_then_on(rig: GatewayRig) -> None:
    rig.upstream.handler = server(has_system, 400, b"System role not supported")
    for _ in range(2):
        assert rig.send().status == 200
    first, second, third = (heard.json["messages"] for heard in rig.upstream.heard)
    assert [message["role"] for message in first] == ["system", "user"]
    assert second == ASK["messages"]
    assert third == [{"role": "user", "content": f"{BLOCK}\n\nCurrent message:\nWho am I?"}]


@pytest.mark.req("X-224")
def test_other_refusals_and_those_of_requests_without_memories_come_back_at_once(rig: GatewayRig) -> None:
    cases: list[tuple[int, bytes, str]] = [
        (401, b'{"error": "key"}', BLOCK),
        (402, b"pay", BLOCK),
        (429, b"Too many requests", BLOCK),
        (502, b"bad", BLOCK),
        (503, b"busy", BLOCK),
        (400, b"System role not supported", ""),
        (200, b'{"error": "no"}', ""),
    ]
    failures = []
    for status, told, block in cases:
        rig.upstream.heard.clear()
        rig.facts.block = block
        rig.upstream.handler = server(lambda _body: True, status, told)
        reply = rig.send()
        if (reply.status, reply.body, len(rig.upstream.heard)) != (status, told, 1):
            failures.append(f"{status}: {reply}, {len(rig.upstream.heard)} requests")
    assert not failures


@pytest.mark.req("X-224")
def test_a_request_that_is_refused_without_memories_too_is_told_as_it_is(rig: GatewayRig) -> None:
    for streams in (False, True):
        rig.upstream.handler = server(lambda _body: True, 400, b'{"error": "wrong"}')
        reply = rig.send(ASK | {"stream": streams})
        assert (reply.status, reply.body) == (400, b'{"error": "wrong"}')
        rig.upstream.handler = server(lambda _body: True, 200, ERROR + DONE, "text/event-stream")
        assert rig.send(ASK | {"stream": streams}).body == ERROR + DONE
    assert b"gateway_memories_refused_total 0\n" in rig.send(None, "/metrics", method="GET").body


@pytest.mark.req("X-224")
@pytest.mark.parametrize(("place", "roles"), [("auto", ["user"]), ("question", ["user"]), ("system", ["system"])])
def test_later_turns_have_memories_where_the_provider_s_cache_keeps_what_came_before(
    place: str, roles: list[str]
) -> None:
    """As NousResearch/hermes-agent#25971, nextlevelbuilder/goclaw#1506 and EasyMetaAu/helm-api#231 report."""
    rig = GatewayRig(block_place=place)
    try:
        rig.facts.block = BLOCK
        rig.send(ASK | {"messages": TURNS})
        messages = rig.upstream.heard[0].json["messages"]
        assert [each["role"] for each in messages if has_block({"messages": [each]})] == roles
        assert [each for each in messages if not has_block(each)][:2] == TURNS[:2]
    finally:
        rig.stop()
