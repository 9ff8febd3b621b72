from __future__ import annotations

import contextlib
import json
import select
import threading
from collections import Counter
from collections.abc import Iterator

import pytest

from actors.gateway.body import BodyBounds, BodyBudget, refusal_of
from actors.gateway.errors import GatewayError
from tests.actors.gateway.raw import BODY, OK, RawUpstream, answer_on, chunks, request
from tests.actors.gateway.rig import GatewayRig
from tests.patience import PATIENCE_S, eventually

PATHS = ["/v1/chat/completions", "/v1/embeddings"]


@pytest.fixture
def upstream() -> Iterator[RawUpstream]:
    upstream = RawUpstream(OK)
    yield upstream
    upstream.stop()


@pytest.fixture
def rig(upstream: RawUpstream) -> Iterator[GatewayRig]:
    rig = GatewayRig(base_url=upstream.base_url, max_body_bytes=1_000)
    yield rig
    rig.stop()


def refusal(rig: GatewayRig, data: bytes) -> tuple[bytes, dict[str, object]]:
    with rig.raw(data) as connection:
        head, body, _ = answer_on(connection)
    return head.split(b"\r\n")[0], json.loads(body)["error"]


@pytest.mark.parametrize("path", PATHS)
def test_a_body_that_says_that_it_is_too_long_is_refused_before_it_is_read(
    rig: GatewayRig, upstream: RawUpstream, path: str
) -> None:
    line, error = refusal(rig, request("POST", path, b"", "Content-Length: 1001"))

    assert line == b"HTTP/1.1 413 Request Entity Too Large"
    assert error["type"] == "request_too_large"
    assert "1000 bytes (facts.max_body_mib)" in str(error["message"])
    assert upstream.heard == []


@pytest.mark.parametrize("path", PATHS)
def test_a_body_in_chunks_is_refused_as_soon_as_it_is_too_long(
    rig: GatewayRig, upstream: RawUpstream, path: str
) -> None:
    head = request("POST", path, b"", "Transfer-Encoding: chunked")
    line, error = refusal(rig, head + chunks([b"x" * 400] * 3) + b"0\r\n\r\n")

    assert line == b"HTTP/1.1 413 Request Entity Too Large"
    assert error["type"] == "request_too_large"
    eventually(lambda: rig.figures()["in_flight"] == 0)
    assert not any(heard.endswith(b"0\r\n\r\n") for heard in upstream.heard)


@pytest.mark.parametrize("path", PATHS)
def test_the_longest_body_passes(rig: GatewayRig, upstream: RawUpstream, path: str) -> None:
    start = b'{"messages":[{"role":"user","content":"'
    body = start + b"x" * (1_000 - len(start) - 4) + b'"}]}'
    with rig.raw(request("POST", path, body)) as connection:
        head, _, _ = answer_on(connection)

    assert head.startswith(b"HTTP/1.1 200 ")
    assert upstream.body == body


def test_a_connection_goes_on_behind_a_refusal_whose_body_was_read(rig: GatewayRig) -> None:
    with rig.raw(request("POST", PATHS[0], b"no JSON")) as connection:
        assert answer_on(connection)[0].startswith(b"HTTP/1.1 400 ")
        connection.sendall(request("GET", "/health"))
        assert answer_on(connection)[0].startswith(b"HTTP/1.1 200 ")


def test_a_client_that_waits_for_a_word_to_go_on_gets_it(rig: GatewayRig, upstream: RawUpstream) -> None:
    body = b'{"messages":[{"role":"user","content":"x"}]}'
    head = request("POST", PATHS[0], b"", "Expect: 100-continue", f"Content-Length: {len(body)}")
    with rig.raw(head) as connection:
        assert connection.recv(4_096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert answer_on(connection)[0].startswith(b"HTTP/1.1 200 ")
    assert b"Expect" not in upstream.head


def test_a_refusal_is_found_behind_the_errors_that_it_caused() -> None:
    refused = GatewayError(413, "too long")
    outer, inner = OSError("outer"), ValueError("inner")
    outer.__cause__, inner.__cause__ = inner, refused

    assert refusal_of(outer) is refused
    assert refusal_of(OSError()) is None


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("start", [b"", b"{"])
def test_a_body_that_does_not_come_is_given_up(upstream: RawUpstream, path: str, start: bytes) -> None:
    rig = GatewayRig(base_url=upstream.base_url, body_grace_s=0.2)
    try:
        line, error = refusal(rig, request("POST", path, b"", "Content-Length: 900") + start)
    finally:
        rig.stop()

    assert line.startswith(b"HTTP/1.1 408 ")
    assert "at most 0.2 s may pass without 8192 bytes a second, and 600 s in all" in str(error["message"])


def test_a_body_that_comes_slowly_but_at_the_rate_is_taken(upstream: RawUpstream) -> None:
    rig = GatewayRig(base_url=upstream.base_url, body_grace_s=0.3, least_body_bytes_per_s=20)
    body = b'{"messages":[{"role":"user","content":"a question"}]}'
    try:
        with rig.raw(request("POST", PATHS[0], b"", f"Content-Length: {len(body)}") + body[:20]) as connection:
            for start in range(20, len(body), 10):
                threading.Event().wait(0.1)
                connection.sendall(body[start : start + 10])
            assert answer_on(connection)[0].startswith(b"HTTP/1.1 200 ")
    finally:
        rig.stop()


def test_bodies_that_would_not_fit_beside_one_another_are_refused_and_the_room_is_given_back(
    upstream: RawUpstream,
) -> None:
    rig = GatewayRig(base_url=upstream.base_url, max_body_bytes=1_000, most_held_bodies=2)
    try:
        half = request("POST", PATHS[0], b"", "Content-Length: 1000") + b"{"
        with rig.raw(half) as first, rig.raw(half) as second, rig.raw(half) as third:
            (refused, *_), _, _ = select.select([first, second, third], [], [], PATIENCE_S)
            head, body, _ = answer_on(refused)
        eventually(lambda: rig.figures()["in_flight"] == 0)

        assert head.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: 1" in head
        assert "fill the 2000 bytes" in json.loads(body)["error"]["message"]
        assert rig.send().status == 200
    finally:
        rig.stop()


def test_one_owner_has_only_its_part_of_the_room() -> None:
    budget = BodyBudget(
        BodyBounds(most_bytes=50, most_held_bytes=100, most_of_one_bytes=50, grace_s=1, least_bytes_per_s=1, most_s=1)
    )
    with budget.hold("alice/") as alice, budget.hold("alice/") as again, budget.hold("bob/") as bob:
        alice.grow_to(50)
        with pytest.raises(GatewayError, match="one key may hold") as refused:
            again.grow_to(1)
        assert refused.value.status == 429
        bob.grow_to(50)
        with budget.hold("carol/") as carol, pytest.raises(GatewayError, match="fill the 100 bytes") as full:
            carol.grow_to(1)
        assert full.value.status == 503
    with budget.hold("alice/") as later:
        later.grow_to(50)


def test_a_burst_earns_no_right_to_be_silent(upstream: RawUpstream) -> None:
    rig = GatewayRig(base_url=upstream.base_url, body_grace_s=0.3, least_body_bytes_per_s=10)
    try:
        line, _ = refusal(rig, request("POST", PATHS[0], b"", "Content-Length: 100000") + b"x" * 99_000)
    finally:
        rig.stop()

    assert line.startswith(b"HTTP/1.1 408 ")


def test_a_body_that_never_ends_is_ended_though_it_keeps_the_rate(upstream: RawUpstream) -> None:
    rig = GatewayRig(base_url=upstream.base_url, body_grace_s=5.0, least_body_bytes_per_s=1, most_body_s=0.4)
    try:
        head = request("POST", PATHS[0], b"", "Content-Length: 1000")
        with rig.raw(head) as connection:
            for _ in range(10):
                with contextlib.suppress(ConnectionError):
                    connection.sendall(b"xxxx")
                threading.Event().wait(0.1)
            assert answer_on(connection)[0].startswith(b"HTTP/1.1 408 ")
    finally:
        rig.stop()


WAITS = "Expect: 100-continue"
KEY = "alice-key-0123456789"


@pytest.fixture
def guarded_rig(upstream: RawUpstream) -> Iterator[GatewayRig]:
    rig = GatewayRig(base_url=upstream.base_url, max_body_bytes=1_000, most_held_bodies=1, keys={KEY: "alice/"})
    yield rig
    rig.stop()


@pytest.mark.parametrize("path", [*PATHS, "/metrics"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (["Content-Length: 20"], 401),
        (["Content-Length: 20", "Authorization: Bearer wrong"], 401),
        (["Transfer-Encoding: chunked", "Authorization: Bearer wrong"], 401),
        (["Content-Length: 1001", f"Authorization: Bearer {KEY}"], 413),
        (["Content-Length: 20", f"Authorization: Bearer {KEY}", "Expect: 200-maybe"], 417),
    ],
)
def test_a_client_that_is_refused_gets_no_word_to_go_on(
    guarded_rig: GatewayRig, upstream: RawUpstream, path: str, headers: list[str], status: int
) -> None:
    """The body stays with the client, and the connection ends: the next bytes on it would count as the body."""
    with guarded_rig.raw(request("POST", path, b"", WAITS, *headers)) as connection:
        head, body, _ = answer_on(connection)

    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"Connection: close" in head
    assert json.loads(body)["error"]["message"]
    assert upstream.heard == []


def test_a_client_for_whose_body_there_is_no_room_gets_no_word_to_go_on(guarded_rig: GatewayRig) -> None:
    head = request("POST", PATHS[0], b"", WAITS, "Content-Length: 1000", f"Authorization: Bearer {KEY}")
    with guarded_rig.raw(head) as first:
        assert first.recv(4_096).startswith(b"HTTP/1.1 100 ")
        with guarded_rig.raw(head) as second:
            assert answer_on(second)[0].startswith(b"HTTP/1.1 503 ")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("expect", ["200-maybe", "100-continue, 200-maybe", "100-continue;q=1", "x" * 4_000])
def test_an_unknown_expectation_is_refused_in_the_form_of_all_refusals(
    rig: GatewayRig, upstream: RawUpstream, path: str, expect: str
) -> None:
    line, error = refusal(rig, request("POST", path, b"", f"Expect: {expect}", "Content-Length: 20"))

    assert line == b"HTTP/1.1 417 Expectation Failed"
    assert error["type"] == "invalid_request_error"
    assert "only 100-continue is known" in str(error["message"])
    assert len(str(error["message"])) < 200
    assert upstream.heard == []


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("expect", [WAITS, "Expect: 100-Continue", "Expect: 100-continue, 100-continue"])
def test_the_word_to_go_on_is_sent_once_in_whatever_form_it_is_asked_for(
    rig: GatewayRig, upstream: RawUpstream, path: str, expect: str
) -> None:
    with rig.raw(request("POST", path, b"", expect, f"Content-Length: {len(BODY)}")) as connection:
        assert connection.recv(4_096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(BODY)
        head, _, _ = answer_on(connection)

    assert head.startswith(b"HTTP/1.1 200 ")
    assert upstream.body == BODY


def test_no_word_to_go_on_is_sent_where_none_is_waited_for(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[str], bytes]] = [
        ("1.0", [WAITS], BODY),
        ("1.0", ["Expect: 200-maybe"], BODY),
        ("1.1", ["Expect:"], BODY),
        ("1.1", [WAITS], b""),
    ]
    for version, headers, body in cases:
        with (
            subtests.test(version=version, headers=headers, body=body),
            rig.raw(request("POST", "/v1/embeddings", body, *headers, version=version)) as connection,
        ):
            assert connection.recv(4_096).partition(b"\r\n")[0].endswith(b" 200 OK")


def test_a_connection_ends_behind_an_answer_for_which_no_body_was_read(guarded_rig: GatewayRig) -> None:
    head = request("GET", "/metrics", b"", WAITS, "Content-Length: 20", f"Authorization: Bearer {KEY}")
    with guarded_rig.raw(head) as connection:
        answer, _, _ = answer_on(connection)

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"Connection: close" in answer


@pytest.mark.parametrize("framing", ["Content-Length: 1000", "Transfer-Encoding: chunked"])
def test_of_sixty_bodies_sent_at_once_only_those_are_held_for_which_there_is_room(
    upstream: RawUpstream, framing: str
) -> None:
    rig = GatewayRig(base_url=upstream.base_url, max_body_bytes=1_000, most_held_bodies=4)
    start = b'{"messages":[{"role":"user","content":"'
    body = start + b"x" * (1_000 - len(start) - 4) + b'"}]}'
    is_chunked = framing.endswith("chunked")
    first, last = (
        (chunks([body[:900]]), chunks([body[900:]]) + b"0\r\n\r\n") if is_chunked else (body[:900], body[900:])
    )
    try:
        with contextlib.ExitStack() as opened:
            head = request("POST", PATHS[0], b"", framing) + first
            clients = [opened.enter_context(rig.raw(head)) for _ in range(60)]
            eventually(lambda: rig.figures()["requests"] >= 56)
            for each in clients:
                with contextlib.suppress(ConnectionError):
                    each.sendall(last)
            answers = Counter(answer_on(each)[0].split()[1] for each in clients)
    finally:
        rig.stop()

    assert answers == {b"200": 4, b"503": 56}
