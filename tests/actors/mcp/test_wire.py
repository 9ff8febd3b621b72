"""The wire as servers of all kinds have it, over stdio and over HTTP."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from lab.bench.mcp.harm import attack, end_of, visible_text
from lab.bench.mcp.hostile.http import DONE, Exchange, HttpServer
from lab.bench.mcp.hostile.row import End, command_of
from lab.bench.mcp.stage import McpStage, text_of
from messages.web import ServerAnswered
from tests.actors.mcp.wire import WIRES
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("require_sandbox")]

KEY = {"SITE_API_KEY": "operator-secret-0123456789"}


@pytest.mark.req("X-263")
def test_programs_that_keep_to_the_protocol_each_in_its_way(subtests: pytest.Subtests) -> None:
    named = {f"s{number}": wire for number, wire in enumerate(WIRES)}
    servers = {name: {"command": list(command_of(wire.code))} for name, wire in named.items()}
    with tempfile.TemporaryDirectory(prefix="m-") as root, McpStage(Path(root), servers) as stage:
        for name, wire in named.items():
            with subtests.test(name=wire.name):
                for _ in range(wire.calls - 1):
                    stage.call(name)
                outcome = attack(stage, name, wire.words)

                assert outcome.end == (End.REFUSED if wire.is_refused else End.ANSWERED), outcome.text
                assert [part for part in wire.shows if part not in outcome.text] == [], outcome.text


@pytest.mark.req("X-263")
def test_a_call_that_takes_too_long_is_cancelled_and_its_session_goes_on() -> None:
    """Of interaction protocol:timeout:sends-cancellation and :session-survives; nanobot 950 and others that hung."""
    code = """
for message in messages():
    method = message.get('method')
    if method == 'initialize':
        reply(message, welcome(message))
    elif method == 'tools/list':
        reply(message, {'tools': [TOOL]})
    elif method == 'tools/call' and message['params']['arguments'].get('answer'):
        asked = message
    elif method == 'notifications/cancelled':
        reply(asked, text_of(json.dumps(message)))
"""
    servers = {"slow": {"command": list(command_of(code)), "timeout_s": 5.0}}
    with (
        tempfile.TemporaryDirectory(prefix="m-") as root,
        McpStage(Path(root), servers) as stage,
        ThreadPoolExecutor(1) as pool,
    ):
        stage.do(("describe", "slow", "act"), "slow")
        late = pool.submit(stage.call, "slow")
        assert not wait([late], timeout=1).done
        asked = stage.call("slow", arguments='{"answer": true}', window=1)

    assert end_of(late.result()) is End.REFUSED
    assert "5 s" in visible_text(late.result())
    assert isinstance(asked, ServerAnswered)
    assert json.loads(text_of(asked.parts))["params"]["requestId"] is not None


@pytest.mark.req("X-263")
def test_calls_of_several_windows_share_one_session_and_find_their_own_answers() -> None:
    """Of interaction tools:call:concurrent; python-sdk 88 and 188 (answers that went astray)."""
    code = """
waiting = []
def call(request):
    waiting.append(request)
    if len(waiting) == 4:
        for each in reversed(waiting):
            reply(each, text_of(each['params']['arguments']['mine'] + f' of {len(waiting)}'))
serve(tools_call=call)
"""
    with (
        tempfile.TemporaryDirectory(prefix="m-") as root,
        McpStage(Path(root), {"many": {"command": list(command_of(code))}}) as stage,
        ThreadPoolExecutor(4) as pool,
    ):
        replies = [
            pool.submit(stage.call, "many", "act", json.dumps({"mine": f"mine-{number}"}), number)
            for number in range(4)
        ]
        texts = [visible_text(reply.result(PATIENCE_S)) for reply in replies]

    assert [text.strip() for text in texts] == [f"mine-{number} of 4" for number in range(4)]


def site(stage_of: Callable[[Exchange], bool | None], **settings: object) -> tuple[list[Any], list[Any]]:
    """Replies of two calls, and the requests that the site had."""
    with HttpServer(stage_of) as server, tempfile.TemporaryDirectory(prefix="m-") as root:
        servers = {"site": {"url": server.url, **settings}}
        with McpStage(Path(root), servers, KEY) as stage:
            replies: list[Any] = [stage.call("site"), stage.call("site")]
        return replies, server.requests


def headers_of(requests: list[tuple[str, str, Mapping[str, str]]], verb: str) -> list[Mapping[str, str]]:
    return [headers for each, _, headers in requests if each == verb]


@pytest.mark.req("X-263")
def test_requests_over_http_have_the_headers_that_the_protocol_wants() -> None:
    """Of interaction client-transport:http:accept-header-post, :protocol-version-header, :session-stored,
    :sse-405-tolerated, client-auth:bearer-header:every-request; conformance http-standard-headers."""
    replies, requests = site(lambda _exchange: None, key="SITE_API_KEY")

    assert [end_of(reply) for reply in replies] == [End.ANSWERED, End.ANSWERED]
    posts = headers_of(requests, "POST")
    assert {(each["accept"].replace(" ", ""), each["content-type"]) for each in posts} == {
        ("application/json,text/event-stream", "application/json")
    }
    assert {headers["authorization"] for _, _, headers in requests} == {f"Bearer {KEY['SITE_API_KEY']}"}
    assert "mcp-session-id" not in posts[0]
    assert {each.get("mcp-session-id") for each in posts[1:]} == {"session-1"}
    assert {each.get("mcp-protocol-version") for each in posts[1:]} == {"2025-11-25"}


@pytest.mark.req("X-263")
def test_an_answer_may_be_a_stream_of_events() -> None:
    """Of interaction transport:streamable-http:stateful, hosting:resume:priming; events as servers really write them."""

    def stream(exchange: Exchange) -> bool:
        if exchange.method != "tools/call":
            return False
        exchange.stream()
        answer = json.dumps({"jsonrpc": "2.0", "id": exchange.message["id"], "result": DONE}, indent=1)
        lines = "".join(f"data: {line}\r\n" for line in answer.splitlines())
        exchange.write(b": hello\r\n\r\nid: 0\r\nretry: 3000\r\ndata:\r\n\r\n")
        exchange.write(b'event: message\ndata: {"jsonrpc": "2.0", "method": "notifications/message", ')
        exchange.write(b'"params": {"level": "info", "data": "x"}}\n\n')
        exchange.write(f"id: 1\r\nevent: message\r\n{lines}\r\n".encode())
        exchange.connection.close()
        return True

    replies, _ = site(stream)

    assert [visible_text(reply).strip() for reply in replies] == ["done", "done"]


@pytest.mark.req("X-263")
def test_a_session_that_the_site_has_forgotten_is_begun_anew() -> None:
    """Of interaction client-transport:http:session-404-reinitialize; python-sdk 1676 and 3556, rust-sdk 733."""
    forgotten = threading.Event()

    def forget(exchange: Exchange) -> bool:
        is_old = exchange.method == "tools/call" and not forgotten.is_set() and len(calls) == 1
        if exchange.method == "tools/call":
            calls.append(1)
        if is_old:
            forgotten.set()
            exchange.answer(404)
        return is_old

    calls: list[int] = []
    with (
        HttpServer(forget) as server,
        tempfile.TemporaryDirectory(prefix="m-") as root,
        McpStage(Path(root), {"site": {"url": server.url}}) as stage,
    ):
        ends = [end_of(stage.call("site")) for _ in range(3)]

    assert ends[0] is End.ANSWERED
    assert ends[2] is End.ANSWERED
    assert forgotten.is_set()
