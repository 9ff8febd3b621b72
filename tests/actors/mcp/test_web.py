"""Servers on the web, before a site on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aiohttp import web

from actors.mcp.config import ServerConfig
from actors.mcp.part import server_config
from actors.settings.mcp import McpServer
from messages.web import CallTool, ListTools
from tests.actors.mcp.bench import Bench
from tests.actors.mcp.small_server import answer
from tests.actors.web.site import Site
from tests.patience import PATIENCE_S

KEY = "not-a-real-key-0123456789"
MakeBench = Callable[..., Bench]


class McpSite(Site):
    """A server of the protocol at `/mcp`."""

    def __init__(self) -> None:
        super().__init__()
        self.pages["/mcp"] = self._serve
        self.sessions: set[str] = set()
        self.streams = False
        """True to answer by events."""
        self.bodies: list[dict[str, Any]] = []
        self.failing = ""
        """Method that is answered by HTTP 500."""

    def config(self, **more: Any) -> ServerConfig:
        """The server, as the actor knows it."""
        usual: dict[str, Any] = {"name": "web", "url": f"{self.base}/mcp", "key": KEY, "timeout_s": PATIENCE_S}
        return ServerConfig(**usual | more)

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        name = request.headers.get("Mcp-Session-Id", "")
        if request.method == "DELETE":
            self.sessions.discard(name)
            return web.Response(status=204)
        body = await request.json()
        self.bodies.append(body)
        if "id" not in body:
            return web.Response(status=202)
        headers = {}
        if body["method"] == "initialize":
            name = headers["Mcp-Session-Id"] = f"s{len(self.asked)}"
            self.sessions.add(name)
        elif name not in self.sessions:
            return web.Response(status=404)
        if body["method"] == self.failing:
            return web.Response(status=500)
        result = answer(body["method"], body.get("params") or {})
        said = {"jsonrpc": "2.0", "id": body["id"], "result": result}
        if not self.streams:
            return web.json_response(said, headers=headers)
        noise = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
        events = "".join(f"event: message\ndata: {json.dumps(each)}\n\n" for each in (noise, said))
        return web.Response(text=events, content_type="text/event-stream", headers=headers)


@pytest.fixture
def site() -> Iterator[McpSite]:
    with McpSite() as site:
        yield site


@pytest.mark.req("X-261")
@pytest.mark.parametrize("streams", [False, True])
def test_a_server_on_the_web_is_called_by_json_and_by_events(
    make_bench: MakeBench, site: McpSite, streams: bool
) -> None:
    site.streams = streams
    bench = make_bench(site.config())

    assert bench.get(ListTools).servers[0].title == "small 1"
    assert bench.call("say", '{"text": "hello"}', server="web") == "hello"
    assert {request.headers["Authorization"] for request in site.asked} == {f"Bearer {KEY}"}
    assert {request.headers["Mcp-Session-Id"] for request in site.asked[1:]} == site.sessions


@pytest.mark.req("X-261")
def test_a_session_that_the_server_has_ended_is_begun_anew_by_the_next_call(
    make_bench: MakeBench, site: McpSite
) -> None:
    bench = make_bench(site.config())
    assert bench.call("say", '{"text": "a"}', server="web") == "a"

    site.sessions.clear()
    assert "HTTP 404" in bench.refusal(CallTool, server="web", tool="say", arguments='{"text": "b"}')
    assert bench.call("say", '{"text": "c"}', server="web") == "c"


def test_tools_that_could_not_be_listed_anew_are_asked_for_again(make_bench: MakeBench, site: McpSite) -> None:
    bench = make_bench(site.config())
    assert bench.call("say", '{"text": "a"}', server="web") == "a"

    site.sessions.clear()
    bench.refusal(CallTool, server="web", tool="say", arguments='{"text": "b"}')
    assert bench.call("say", '{"text": "c"}', server="web") == "c"  # in a new session, with the tools of the old one
    site.failing = "tools/list"
    assert "HTTP 500" in bench.refusal(CallTool, server="web", tool="say", arguments='{"text": "d"}')
    assert "HTTP 500" in bench.refusal(CallTool, server="web", tool="say", arguments='{"text": "e"}')
    site.failing = ""
    assert bench.call("say", '{"text": "f"}', server="web") == "f"


def test_a_page_in_place_of_an_answer_fails_its_call_at_once(make_bench: MakeBench, site: McpSite) -> None:
    async def page(_request: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>Sign in.</html>", content_type="text/html")

    site.pages["/mcp"] = page
    bench = make_bench(site.config())
    refusal = bench.refusal(CallTool, server="web", tool="say", arguments='{"text": "a"}')
    assert "its answer (text/html) is not a message of the protocol" in refusal


def test_an_answer_never_shows_a_secret_of_the_agent(make_bench: MakeBench, site: McpSite) -> None:
    bench = make_bench(site.config(), secrets=(KEY,))

    said = bench.call("say", json.dumps({"text": f"your key is {KEY}"}), server="web")
    assert said == "your key is [secret removed]"


def test_no_request_follows_a_redirection(make_bench: MakeBench, site: McpSite) -> None:
    async def lead(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=307, headers={"Location": f"{site.base}/elsewhere"})

    site.pages["/mcp"] = lead
    bench = make_bench(site.config())

    assert "where no request is sent on" in bench.refusal(CallTool, server="web", tool="say")
    assert "/elsewhere" not in site.paths()


def test_no_private_address_is_reached_but_the_loopback_one_that_the_settings_name(
    make_bench: MakeBench, site: McpSite
) -> None:
    other = f"https://127.0.0.2:{site.port}/mcp"
    bench = make_bench(
        site.config(name="private", url="https://10.0.0.1/mcp"),
        site.config(name="named", url=f"https://localhost:{site.port}/mcp"),
        site.config(name="web"),
    )

    assert "10.0.0.1 is not a public address" in bench.refusal(CallTool, server="private", tool="say")
    assert "is not a public address" in bench.refusal(CallTool, server="named", tool="say")
    assert bench.call("say", '{"text": "a"}', server="web") == "a"
    assert other not in site.paths()


def test_an_answer_without_end_fails_its_call(make_bench: MakeBench, site: McpSite) -> None:
    async def flood(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        while True:
            await response.write(b"data: " + b"x" * 65_536)

    site.pages["/mcp"] = flood
    bench = make_bench(site.config())

    assert "a message of more than" in bench.refusal(CallTool, server="web", tool="say")


def test_a_secret_that_is_not_set_makes_its_server_unusable_and_says_so(make_bench: MakeBench) -> None:
    server = McpServer(url="https://example.org/mcp", key="EXAMPLE_API_KEY")
    bench = make_bench(server_config("web", server, {}))

    reason = "the secret EXAMPLE_API_KEY is not set"
    assert bench.refusal(CallTool, server="web", tool="say") == f"server 'web' cannot be used: {reason}"
    assert [each.fault for each in bench.get(ListTools).servers] == [reason]
    assert server_config("web", server, {"EXAMPLE_API_KEY": "word"}).key == "word"
