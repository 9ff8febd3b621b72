from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from aiohttp import web

from tests.actors.gateway.raw import answer_on
from tests.actors.gateway.rig import ASK, GatewayRig

ALICE, OPS = "alice-key-0123456789", "operator-key-0123456789"


@pytest.fixture
def rig() -> Iterator[GatewayRig]:
    rig = GatewayRig()
    yield rig
    rig.stop()


@pytest.fixture
def guarded_rig() -> Iterator[GatewayRig]:
    rig = GatewayRig(keys={ALICE: "alice/", OPS: ""}, upstream_key="upstream-key")
    yield rig
    rig.stop()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_all_else_passes_through(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("GET", "/v1/models", "/v1/models"),
        ("GET", "/v1/models/a%2Fb?x=1&y=%20", "/v1/models/a%2Fb?x=1&y=%20"),
        ("POST", "/v1/embeddings", "/v1/embeddings"),
        ("DELETE", "/v1/files/1", "/v1/files/1"),
        ("GET", "/api/tags", "/api/tags"),
        ("GET", "/v10/x", "/v10/x"),
    ]
    for method, path, passed in cases:
        with subtests.test(method=method, path=path, passed=passed):
            rig.upstream.handler = lambda _: web.Response(status=207, body=b"\0raw", headers={"X-Odd": "1"})
            reply = rig.send(b"some body" if method != "GET" else None, path, method, Content_Type="application/x-odd")

            assert (reply.status, reply.body, reply.headers["X-Odd"]) == (207, b"\0raw", "1")
            heard = rig.upstream.heard.pop()
            assert (heard.method, heard.path) == (method, passed)
            assert rig.upstream.heard == []
            assert heard.body == (b"some body" if method != "GET" else b"")
            assert heard.headers["Content-Type"] == "application/x-odd"
            assert rig.facts.asked == []
            assert rig.facts.stored == []


def test_a_packed_answer_of_another_path_stays_packed(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda _: web.Response(body=b"\x1f\x8bpacked", headers={"Content-Encoding": "gzip"})
    reply = rig.send(None, "/v1/models", "GET", Accept_Encoding="gzip")

    assert (reply.body, reply.headers["Content-Encoding"]) == (b"\x1f\x8bpacked", "gzip")
    assert rig.upstream.heard[0].headers["Accept-Encoding"] == "gzip"


def test_a_redirect_is_passed_on_and_not_followed(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda _: web.Response(status=302, headers={"Location": "http://127.0.0.1:9/"})

    assert rig.send(None, "/v1/models", "GET").status == 302


@pytest.mark.req("X-235")
def test_interim_answers_without_end_are_a_failure_that_says_so(rig: GatewayRig) -> None:
    def flood(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.write(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1_000)
        return web.json_response({})

    rig.upstream.handler = flood
    reply = rig.send(None, "/v1/models", "GET")

    assert reply.status == 502
    assert "the model's server sent more than 16 interim answers" in reply.error["message"]


def test_headers_pass_but_those_of_the_connection(rig: GatewayRig) -> None:
    rig.send(OpenAI_Organization="o", X_Odd="1", Connection="close, X-Hop", X_Hop="no", TE="trailers", Cookie="c=1")
    heard = rig.upstream.heard[0].headers

    assert (heard["OpenAI-Organization"], heard["X-Odd"]) == ("o", "1")
    assert not {"X-Hop", "TE", "Cookie"} & set(heard)
    assert heard["Host"] == f"127.0.0.1:{rig.upstream.port}"


def test_without_keys_the_client_s_own_goes_on(rig: GatewayRig) -> None:
    rig.send(**bearer("clients-own"))

    assert rig.upstream.heard[0].headers["Authorization"] == "Bearer clients-own"


def test_without_any_key_none_goes_on_and_ours_where_there_is_one() -> None:
    for ours, wanted in (("", None), ("our-key", "Bearer our-key")):
        rig = GatewayRig(upstream_key=ours)
        rig.send()
        rig.stop()
        assert rig.upstream.heard[0].headers.get("Authorization") == wanted


def test_with_keys_nobody_is_served_without_one(guarded_rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases_1: list[str] = ["/v1/chat/completions", "/v1/models", "/metrics", "/anything"]
    cases_2: list[str | None] = [
        None,
        "",
        "Bearer",
        "Bearer wrong",
        f"Basic {ALICE}",
        f"Bearer {ALICE}x",
        "Bearer \xe4",
    ]
    for path in cases_1:
        for authorization in cases_2:
            with subtests.test(path=path, authorization=authorization):
                headers = {} if authorization is None else {"Authorization": authorization}
                method = "POST" if "chat" in path else "GET"
                reply = guarded_rig.send(ASK if method == "POST" else None, path, method, **headers)

                assert reply.status == 401
                assert reply.headers["Connection"] == "close", "who shows no key keeps no place"
                assert reply.error["code"] == "invalid_api_key"
                assert guarded_rig.upstream.heard == []


def test_a_key_of_ours_never_goes_on(guarded_rig: GatewayRig) -> None:
    guarded_rig.send(**bearer(ALICE))
    guarded_rig.send(None, "/v1/models", "GET", **bearer(OPS))

    assert [heard.headers["Authorization"] for heard in guarded_rig.upstream.heard] == ["Bearer upstream-key"] * 2


def test_a_key_names_only_conversations_of_its_own(guarded_rig: GatewayRig) -> None:
    for memory_id, status in (("alice/x", 200), ("bob/x", 403), ("global", 403), ("alice", 403), ("Alice/x", 403)):
        assert guarded_rig.send(ASK | {"memory_id": memory_id}, **bearer(ALICE)).status == status
    guarded_rig.send(**bearer(ALICE))
    guarded_rig.send(ASK | {"memory_id": "bob/x"}, **bearer(OPS))

    assert [(each.conversation, each.shared) for each in guarded_rig.facts.asked] == [
        ("alice/x", "alice/global"),
        ("alice/default", "alice/global"),
        ("bob/x", "global"),
    ]


def test_without_keys_only_names_of_this_machine_are_served(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["evil.example", "169.254.169.254", "localhost.evil.example", "", "10.0.0.1:80"]
    for host in cases:
        with subtests.test(host=host):
            assert rig.send(Host=host).status in (400, 403)
            assert rig.upstream.heard == []


def test_every_name_of_this_machine_is(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["localhost", "127.0.0.1:8100", "[::1]:8100", "127.0.0.2"]
    for host in cases:
        with subtests.test(host=host):
            assert rig.send(Host=host).status == 200


def test_a_web_page_of_another_place_cannot_write_into_a_memory(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, int]] = [
        ("http://evil.example", 403),
        ("null", 403),
        ("http://localhost:3000", 200),
        ("http://127.0.0.1", 200),
        ("http://[", 403),
    ]
    for origin, status in cases:
        with subtests.test(origin=origin, status=status):
            assert rig.send(Origin=origin).status == status


def test_with_keys_any_name_is_served(guarded_rig: GatewayRig) -> None:
    assert guarded_rig.send(Host="memory.example", **bearer(OPS)).status == 200


def test_health_needs_no_key_and_says_nothing_private(guarded_rig: GatewayRig) -> None:
    reply = guarded_rig.send(None, "/health", "GET")

    assert (reply.status, reply.json) == (200, {"status": "ok"})


def test_metrics_count(rig: GatewayRig) -> None:
    rig.send()
    rig.send(b"bad")
    text = rig.send(None, "/metrics", "GET").body.decode()

    assert 'gateway_requests_total{kind="chat",status="200"} 1' in text
    assert 'gateway_requests_total{kind="chat",status="400"} 1' in text
    assert 'gateway_recalls_total{outcome="ok"} 1' in text
    assert "gateway_requests_in_flight 1" in text


def test_what_is_no_post_is_no_completion_and_passes(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["GET", "OPTIONS", "DELETE"]
    for method in cases:
        with subtests.test(method=method):
            rig.upstream.handler = lambda _: web.Response(status=405)

            assert rig.send(None, method=method).status == 405
            assert rig.upstream.heard.pop().method == method
            assert rig.upstream.heard == []
            assert rig.facts.asked == []


def test_junk_on_the_socket_harms_nobody(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [
        b"\0\1\2\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ]
    for junk in cases:
        with subtests.test(junk=junk):
            with rig.raw(junk) as connection:
                connection.settimeout(20)
                assert b" 400 " in connection.recv(4_096)

            assert rig.send().status == 200


@pytest.mark.parametrize("path", ["//v1/chat/completions", "/v1//chat/completions", "/v1/chat/completions/"])
def test_a_path_with_slashes_too_many_is_remembered_too(rig: GatewayRig, path: str) -> None:
    assert rig.send(path=path).status == 200
    assert rig.upstream.heard[0].path == "/v1/chat/completions"
    assert len(rig.stored_turns()) == 1


def test_a_request_without_a_path_passes_the_guard_and_is_refused_in_the_form_of_all_refusals(
    guarded_rig: GatewayRig, subtests: pytest.Subtests
) -> None:
    cases: list[tuple[str, int]] = [
        ("OPTIONS *", 401),
        ("CONNECT a.test:443", 401),
        ("OPTIONS *", 400),
        ("CONNECT a.test:443", 400),
    ]
    for start, status in cases:
        with subtests.test(start=start, status=status):
            key = f"Authorization: Bearer {OPS}\r\n" if status == 400 else ""
            with guarded_rig.raw(f"{start} HTTP/1.1\r\nHost: a.test\r\n{key}\r\n".encode()) as connection:
                head, body, _ = answer_on(connection)

            assert head.startswith(f"HTTP/1.1 {status} ".encode())
            assert json.loads(body)["error"]["message"]
            assert guarded_rig.upstream.heard == []
