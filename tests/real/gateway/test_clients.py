"""Clients of public reports at the real gateway: browsers, apps, and programs that cannot add fields."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from aiohttp import web

from tests.actors.gateway.rig import ASK, GatewayRig

KEY, OPERATOR = "alice-key-0123456789", "sk-operator-0123456789abcdef"
TASK = "### Task:\nGenerate a concise title.\n<chat_history>\nUSER: hello\n</chat_history>"
PREFLIGHT = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "authorization,x-stainless-os"}


@pytest.fixture
def rig() -> Iterator[GatewayRig]:
    rig = GatewayRig(origins=("app://obsidian.md", "http://tauri.localhost"))
    yield rig
    rig.stop()


@pytest.fixture
def keyed_rig() -> Iterator[GatewayRig]:
    rig = GatewayRig(keys={KEY: "alice/"}, upstream_key=OPERATOR, open_paths=("/api/tags",))
    yield rig
    rig.stop()


@pytest.mark.req("X-218")
def test_a_preflight_needs_no_key_and_the_request_behind_it_does(keyed_rig: GatewayRig) -> None:
    """As dphnAI/sonar#434, vllm-project/vllm#4862 and jhofker/obsidian-hoarder#12 report."""
    page = "https://chat.example"
    allowed = keyed_rig.send(None, method="OPTIONS", Origin=page, **PREFLIGHT)
    refused = keyed_rig.send(Origin=page)
    served = keyed_rig.send(Origin=page, Authorization=f"Bearer {KEY}")

    assert (allowed.status, refused.status, served.status) == (204, 401, 200)
    assert allowed.headers["Access-Control-Allow-Headers"] == "authorization,x-stainless-os"
    assert "POST" in allowed.headers["Access-Control-Allow-Methods"]
    assert {each.headers["Access-Control-Allow-Origin"] for each in (allowed, refused, served)} == {page}
    assert [heard.method for heard in keyed_rig.upstream.heard] == ["POST"]


@pytest.mark.req("X-218")
def test_apps_that_the_operator_names_are_served_and_others_told_how(rig: GatewayRig) -> None:
    """As ollama/ollama#4385, ollama/ollama#10507 and logancyang/obsidian-copilot#333 report."""
    for origin in ("app://obsidian.md", "http://tauri.localhost"):
        assert rig.send(None, method="OPTIONS", Origin=origin, **PREFLIGHT).status == 204
        assert rig.send(Origin=origin).headers["Access-Control-Allow-Origin"] == origin
    refused = rig.send(Origin="vscode-webview://abc")
    assert refused.status == 403
    assert "facts.origins = ['vscode-webview://abc']" in refused.error["message"]
    assert rig.send(None, method="OPTIONS", Origin="https://evil.example", **PREFLIGHT).status == 403


@pytest.mark.req("X-218")
def test_a_conversation_has_its_name_from_the_path_or_a_header(rig: GatewayRig, keyed_rig: GatewayRig) -> None:
    cases: tuple[tuple[str, dict[str, str], str], ...] = (
        ("/v1/bob%2Fx/chat/completions", {}, "bob/x"),
        ("/v1/chat/completions", {"X_Memory_Id": "h"}, "h"),
        ("/v1/chat/completions", {"X_OpenWebUI_Chat_Id": "w"}, "w"),
        ("/v1/p/chat/completions", {"X_Memory_Id": "h"}, "p"),
        ("/v1/chat/completions", {}, "default"),
    )
    failures = []
    for path, headers, conversation in cases:
        rig.facts.stored.clear()
        reply = rig.send(ASK, path, **headers)
        kept = [each.conversation for each in rig.stored_turns()]
        seen = rig.upstream.heard[-1].path
        if (reply.status, kept, seen) != (200, [conversation], "/v1/chat/completions"):
            failures.append(f"{path} {headers}: {reply.status} {kept} {seen}")
    assert not failures
    rig.send(None, "/v1/bob/models", method="GET")
    rig.send(None, "/v1/models/llama", method="GET")
    assert [heard.path for heard in rig.upstream.heard[-2:]] == ["/v1/models", "/v1/models/llama"]
    assert keyed_rig.send(ASK, "/v1/bob/chat/completions", Authorization=f"Bearer {KEY}").status == 403


@pytest.mark.req("X-218")
def test_odd_requests_are_answered_and_kept_as_the_person_meant(rig: GatewayRig) -> None:
    user = {"role": "user", "content": "I live in Oslo"}
    begun = {"role": "assistant", "content": "You live"}
    cases: tuple[tuple[str, bytes, list[str]], ...] = (
        # huggingface/text-generation-inference#2733, vllm-project/vllm#9446: a begun answer is the last message.
        ("prefill", json.dumps({"model": "m", "messages": [user, begun]}).encode(), ["I live in Oslo"]),
        # Badgerati/Pode#1604: a byte order mark before the body.
        ("mark", b"\xef\xbb\xbf" + json.dumps({"model": "m", "messages": [user]}).encode(), ["I live in Oslo"]),
        ("asked", json.dumps({"model": "m", "messages": [user], "memory_keep": False}).encode(), []),
        ("task", json.dumps({"model": "m", "messages": [{"role": "user", "content": TASK}]}).encode(), []),
    )
    failures = []
    for name, body, kept in cases:
        rig.facts.stored.clear()
        status = rig.send(body).status
        if (status, [each.user_text for each in rig.facts.stored]) != (200, kept):
            failures.append(f"{name}: {status} {rig.facts.stored}")
        if b"memory_" in rig.upstream.heard[-1].body:
            failures.append(f"{name}: a field of the gateway went on")
    assert not failures


@pytest.mark.req("X-218")
def test_the_original_s_fields_count_and_stay(rig: GatewayRig) -> None:
    rig.send(ASK | {"memory_recency_weight": 0.5, "memory_score_threshold": 0})
    (asked,) = rig.facts.asked
    assert (asked.recency_weight, asked.score_threshold) == (0.5, 0.0)
    assert b"memory_" not in rig.upstream.heard[0].body
    wrong = rig.send(ASK | {"memory_score_threshold": 2})
    assert (wrong.status, wrong.error["param"]) == (400, "memory_score_threshold")
    assert "memory_score_threshold 2: a number from 0 to 1" in wrong.error["message"]


@pytest.mark.req("X-218")
def test_large_headers_pass_and_websockets_are_told(rig: GatewayRig) -> None:
    """As mathworks/matlab-proxy#94 and comfyanonymous/ComfyUI#5699 report of cookies of other programs."""
    assert rig.send(Cookie="x" * 12_000).status == 200
    told = rig.send(None, "/v1/realtime", method="GET", Upgrade="websocket", Connection="Upgrade")
    assert (told.status, "WebSockets" in told.error["message"]) == (426, True)


@pytest.mark.req("X-218")
def test_keys_stay_on_their_side(keyed_rig: GatewayRig) -> None:
    """As nyroway/nyro#67 reports of a server that repeats the operator's key in its error."""
    told = {"error": {"message": f"Incorrect API key provided: {OPERATOR}"}}
    keyed_rig.upstream.handler = lambda _request: web.json_response(told, status=401)
    bearer = {"Authorization": f"Bearer {KEY}"}
    for path, method in (("/v1/chat/completions", "POST"), ("/v1/models", "GET")):
        reply = keyed_rig.send(ASK if method == "POST" else None, path, method=method, X_Api_Key=KEY, **bearer)
        assert reply.status == 401
        assert OPERATOR.encode() not in reply.body
        assert b"Incorrect API key provided: ***" in reply.body
    assert not any(KEY in value for heard in keyed_rig.upstream.heard for value in heard.headers.values())
    count = len(keyed_rig.upstream.heard)
    refused = keyed_rig.send(None, "/key/generate", method="POST", **bearer)
    assert (refused.status, len(keyed_rig.upstream.heard)) == (403, count)
    assert keyed_rig.send(None, "/api/tags", method="GET", **bearer).status == 401
    assert keyed_rig.upstream.heard[-1].path == "/api/tags"
