from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from actors.gateway.config import GatewayConfig
from actors.gateway.errors import GatewayError
from actors.gateway.passing import Upstream
from tests.actors.gateway.raw import (
    BODY,
    EVENTS,
    EVENTS_TO_THE_END,
    OK,
    STREAM_BODY,
    RawUpstream,
    answer_on,
    chunks,
    post,
    request,
    unpack_chunks,
)
from tests.actors.gateway.rig import DONE, GatewayRig, event
from tests.patience import eventually

ODD_BODIES = [
    b'{"model":"m","messages":[{"role":"user","content":"\\u00e4\\ud83d\\ude00 \xc3\xa4"}],"n":123456789012345678901234567890}',
    b'{ "messages" : [ {"content":"a","role":"user","content":"b"} ] ,\n\t"x":1.0e+0,"x":1.50, "model":"m" }\n',
    b'{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:,"}}]}],"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":"auto"}',
    b'{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}]}',
    b'{"model":"m","messages":[{"role":"user","content":"' + b"x" * 200_000 + b'"}]}',
]


@pytest.fixture
def between() -> Iterator[Callable[..., tuple[GatewayRig, RawUpstream]]]:
    """Makes a gateway in front of a server that answers in bytes."""
    made: list[Any] = []

    def make(*pieces: bytes, config: dict[str, Any] | None = None, **server: Any) -> tuple[GatewayRig, RawUpstream]:
        upstream = RawUpstream(*pieces, **server)
        rig = GatewayRig(**{"base_url": upstream.base_url} | (config or {}))
        made.extend((rig, upstream))
        return rig, upstream

    yield make
    for each in made:
        each.stop()


Between = Callable[..., tuple[GatewayRig, RawUpstream]]


def get(rig: GatewayRig, data: bytes) -> tuple[bytes, bytes, str]:
    """Answer to these bytes."""
    with rig.raw(data) as connection:
        return answer_on(connection)


def lines_of(head: bytes) -> list[bytes]:
    """Of the head of an answer in no order, names of headers in lower case."""
    lines = [line.partition(b": ") for line in head.split(b"\r\n") if line]
    return sorted(name.lower() + colon + value for name, colon, value in lines)


def test_a_request_gets_no_headers_but_its_own(between: Between) -> None:
    rig, upstream = between(OK)
    get(rig, request("GET", "/v1/models", b"", "X-Odd: 1", "X-Odd: 2"))

    assert (
        upstream.head
        == (
            f"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:{upstream.port}\r\n"
            "X-Odd: 1\r\nX-Odd: 2\r\nAccept-Encoding: identity\r\n"
        ).encode()
    )


@pytest.mark.parametrize("body", ODD_BODIES)
def test_a_completion_goes_on_byte_for_byte(between: Between, body: bytes) -> None:
    rig, upstream = between(OK)
    get(rig, post(body))

    assert upstream.body == body
    assert f"Content-Length: {len(body)}".encode() in upstream.head


@pytest.mark.parametrize("body", ODD_BODIES)
def test_all_but_the_block_and_our_fields_goes_on_byte_for_byte(between: Between, body: bytes) -> None:
    rig, upstream = between(OK)
    rig.facts.block = "BLOCK"
    get(rig, post(body.replace(b"{", b'{"memory_id":"a",', 1)))

    heard, whole = json.loads(upstream.body), json.loads(body)
    assert heard["messages"] == [{"role": "system", "content": "BLOCK"}, *whole["messages"]]
    for raw in re.findall(rb'"tools":.*"tool_choice"|"n":\d+', body):
        assert raw in upstream.body
    assert {**heard, "messages": None} == {**whole, "messages": None}


@pytest.mark.parametrize(
    "head",
    [
        "200 OK\r\nX-Request-Id: r\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n",
        "299 \r\nServer: theirs\r\nDate: then\r\n",
        "429 Slow Down, Please\r\nRetry-After: 7\r\nx-ratelimit-remaining-tokens: 0\r\n",
        "600 Odd\r\nContent-Type: text/odd; charset=latin-1\r\n",
        "200 OK\r\nX-Long: " + "y" * 20_000 + "\r\n",
    ],
)
@pytest.mark.parametrize("path", ["/v1/models", "/other"])
def test_an_answer_gets_no_headers_but_its_own(between: Between, head: str, path: str) -> None:
    told = f"HTTP/1.1 {head}Content-Length: 3\r\n\r\n".encode()
    rig, _ = between(told + b"\0\xff\n")
    came, body, _ = get(rig, request("GET", path))

    assert body == b"\0\xff\n"
    wanted = lines_of(told)
    assert [line for line in lines_of(came) if not line.startswith(b"date: ") or line in wanted] == wanted


def test_headers_of_the_connection_stay_on_it(between: Between) -> None:
    rig, _ = between(
        b"HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n"
    )
    head, _, _ = get(rig, request("GET", "/v1/models"))

    assert not {b"Connection", b"X-Hop", b"Keep-Alive"} & {line.split(b":")[0] for line in head.split(b"\r\n")}


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"),
        ("HEAD", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"),
    ],
)
def test_an_answer_without_a_body_has_none_and_the_connection_goes_on(
    between: Between, method: str, told: bytes
) -> None:
    rig, _ = between(told)
    with rig.raw(request(method, "/v1/models")) as connection:
        seen = b""
        while b"\r\n\r\n" not in seen:
            seen += connection.recv(4_096)
        connection.sendall(request("GET", "/health"))
        head, body, _ = answer_on(connection)

    assert seen.endswith(b"\r\n\r\n")
    assert (head.split(b"\r\n")[0], body) == (b"HTTP/1.1 200 OK", b'{"status": "ok"}')


def test_a_body_passes_with_its_length_where_that_is_known(between: Between) -> None:
    rig, upstream = between(OK)
    get(rig, request("POST", "/v1/embeddings", b"\0\xff raw", "Content-Type: x/y"))

    assert upstream.body == b"\0\xff raw"
    assert b"Content-Length: 6" in upstream.head
    assert b"Transfer-Encoding" not in upstream.head


def test_a_body_in_chunks_passes_in_chunks(between: Between) -> None:
    rig, upstream = between(OK)
    body = chunks([b"abc", b"defg"]) + b"0\r\n\r\n"
    get(rig, request("POST", "/v1/audio", b"", "Transfer-Encoding: chunked") + body)

    assert unpack_chunks(upstream.body) == (b"abcdefg", True)


def test_a_packed_body_of_another_path_stays_packed(between: Between) -> None:
    rig, upstream = between(OK)
    packed = gzip.compress(b"{}" * 100)
    get(rig, request("POST", "/v1/embeddings", packed, "Content-Encoding: gzip"))

    assert upstream.body == packed
    assert b"Content-Encoding: gzip" in upstream.head


def test_a_body_that_the_client_breaks_off_is_never_whole_for_the_server(between: Between) -> None:
    rig, upstream = between(OK)
    with rig.raw(request("POST", "/v1/files", b"", "Content-Length: 100") + b"half") as connection:
        eventually(lambda: upstream.begun == 1)
        connection.close()
    eventually(lambda: rig.figures()["in_flight"] == 0)

    eventually(lambda: upstream.broken_off == 1)
    assert upstream.body == b"half"


def test_a_completion_is_asked_for_once_though_the_server_hangs_up(between: Between) -> None:
    rig, upstream = between(ends="close")
    head, body, _ = get(rig, post())

    assert head.startswith(b"HTTP/1.1 502 ")
    assert json.loads(body)["error"]["code"] == "upstream_unreachable"
    assert len(upstream.heard) == 1


def test_connections_to_the_server_are_kept(between: Between) -> None:
    rig, upstream = between(OK)
    for data in (post(), request("GET", "/v1/models"), request("POST", "/v1/embeddings", b"{}"), post()):
        assert get(rig, data)[0].startswith(b"HTTP/1.1 200 ")

    assert (len(upstream.heard), upstream.connections) == (4, 1)


@pytest.mark.parametrize("junk", [b"junk\r\n\r\n", b"HTTP/1.1 abc OK\r\n\r\n", b"\0" * 100_000])
def test_a_server_that_speaks_no_http_is_told_in_openai_s_form(between: Between, junk: bytes) -> None:
    rig, _ = between(junk, ends="close")
    head, body, _ = get(rig, post())

    assert head.startswith(b"HTTP/1.1 502 ")
    assert json.loads(body)["error"]["type"] == "upstream_error"


STREAM = [
    event("Hel"),
    event("l\u00f6"),
    event(finish_reason="stop"),
    b'data: {"choices":[],"usage":{"x":1}}\n\n',
    DONE,
]


@pytest.mark.parametrize("size", [1, 2, 7, 64, 4_096])
def test_events_pass_wherever_they_are_cut(between: Between, size: int) -> None:
    whole = b": comment\r\n\r\n" + b"".join(STREAM).replace(b"\n", b"\r\n")
    cut = [whole[at : at + size] for at in range(0, len(whole), size)]
    rig, _ = between(EVENTS, *(chunks([piece]) for piece in cut), b"0\r\n\r\n")
    head, body, ended = get(rig, post(STREAM_BODY))

    assert (unpack_chunks(body), ended) == ((whole, True), "whole")
    assert b"Content-Type: text/event-stream\r\n" in head
    assert rig.stored_turns(2)[-1].answer_text == "Hell\u00f6"


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("ends", ["close", "reset"])
def test_events_that_break_off_have_no_clean_end(between: Between, version: str, ends: str) -> None:
    rig, _ = between(EVENTS, chunks([STREAM[0]]), ends=ends)
    _, body, ended = get(rig, post(STREAM_BODY, version=version))

    if version == "1.0":
        assert ended == "reset"
    else:
        assert ended in ("close", "reset")
        assert not unpack_chunks(body)[1]
    assert [(each.is_over, each.answer_text) for each in rig.stored_turns(2)] == [(False, ""), (True, "")]


def test_a_body_that_breaks_off_behind_its_head_has_no_clean_end(between: Between) -> None:
    rig, _ = between(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", ends="close")
    _, body, ended = get(rig, request("GET", "/v1/files/1"))

    assert ended in ("close", "reset")
    assert body in (b"", b"half")


def test_events_that_end_with_their_connection_are_kept_where_they_say_that_they_are_whole(between: Between) -> None:
    for pieces, answer in ((STREAM, "Hell\u00f6"), (STREAM[:2], "")):
        rig, _ = between(EVENTS_TO_THE_END, *pieces, ends="close")
        _, body, _ = get(rig, post(STREAM_BODY))

        assert unpack_chunks(body) == (b"".join(pieces), True)
        assert rig.stored_turns(2)[-1].answer_text == answer


def test_a_client_that_goes_once_it_has_all_leaves_a_whole_turn(between: Between) -> None:
    rig, _ = between(EVENTS, chunks(STREAM))
    with rig.raw(post(STREAM_BODY)) as connection:
        seen = b""
        while DONE not in seen:
            seen += connection.recv(4_096)

    last = rig.stored_turns(2)[-1]
    assert (last.is_over, last.answer_text) == (True, "Hell\u00f6")


def test_events_that_nobody_asked_for_pass_as_they_come(between: Between) -> None:
    rig, _ = between(EVENTS, chunks(STREAM[:1]))
    with rig.raw(post(BODY[:-1] + b',"stream":"true"}')) as connection:
        seen = b""
        while b"Hel" not in seen:
            seen += connection.recv(4_096)
    assert rig.facts.stored == []

    rig, _ = between(EVENTS, chunks(STREAM), b"0\r\n\r\n")
    get(rig, post(BODY[:-1] + b',"stream":"true"}'))
    (stored,) = rig.stored_turns()
    assert (stored.user_text, stored.answer_text, stored.is_over) == ("Who am I?", "Hell\u00f6", True)


def test_a_path_goes_on_below_the_server_s(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("/v1", "http://h:1/api/v1"),
        ("/v1/models", "http://h:1/api/v1/models"),
        ("/v1/models?a=%2e&b=/../", "http://h:1/api/v1/models?a=%2e&b=/../"),
        ("/v1?x", "http://h:1/api/v1?x"),
        ("/v1models", "http://h:1/v1models"),
        ("/chat/completionsX", "http://h:1/chat/completionsX"),
        ("/api/tags", "http://h:1/api/tags"),
        ("//evil.example/v1", "http://h:1//evil.example/v1"),
        ("http://evil.example/v1/models?x=1", "http://h:1/api/v1/models?x=1"),
        ("/v1/a..b/...", "http://h:1/api/v1/a..b/..."),
    ]
    for target, address in cases:
        with subtests.test(target=target, address=address):
            assert str(Upstream(GatewayConfig(base_url="http://h:1/api/v1/")).address(target)) == address


def test_no_path_leads_out_of_the_server(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "/v1/../admin",
        "/v1/%2e%2E/admin",
        "/./v1",
        "/v1/..",
        "@evil.example/",
        ".evil.example",
        "",
        "*",
        "http://evil",
    ]
    for target in cases:
        with subtests.test(target=target):
            with pytest.raises(GatewayError) as refused:
                Upstream(GatewayConfig(base_url="https://h")).address(target)

            assert refused.value.status == 400


@pytest.mark.parametrize(
    "path",
    [
        "/v1/chat/completions",
        "/chat/completions",
        "/v1/chat/completions/",
        "/v1/chat%2Fcompletions",
        "/v1/chat/%63ompletions",
    ],
)
def test_a_completion_is_one_however_its_path_is_written(between: Between, path: str) -> None:
    rig, upstream = between(OK)
    get(rig, request("POST", f"{path}?a=%20", BODY))

    assert upstream.head.startswith(b"POST /v1/chat/completions?a=%20 HTTP/1.1\r\n")
    assert len(rig.facts.asked) == 1


def test_of_two_keys_none_goes_on(between: Between) -> None:
    key = "k" * 16
    rig, upstream = between(OK, config={"keys": {key: ""}})
    get(rig, request("GET", "/v1/models", b"", f"Authorization: Bearer {key}", f"Authorization: Bearer {key}"))

    assert b"Authorization" not in upstream.head
    assert key.encode() not in upstream.heard[-1]
