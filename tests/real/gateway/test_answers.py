"""Streamed answers of public reports, through the real gateway."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import threading
from collections.abc import Awaitable, Callable, Iterator

import pytest
from aiohttp import web

from tests.actors.gateway.rig import ASK, GatewayRig, event, stream
from tests.patience import eventually
from tests.real.gateway.reports import DOCUMENT, STREAMS, StreamReport


@pytest.fixture
def rig() -> Iterator[GatewayRig]:
    rig = GatewayRig()
    yield rig
    rig.stop()


def handler_of(report: StreamReport, most: int | None) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Handler that answers with a report's bytes, in pieces of at most so many."""

    async def serve(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers=dict(report.headers))
        await answer.prepare(request)
        for at in range(0, len(report.events), most or len(report.events)):
            await answer.write(report.events[at : at + (most or len(report.events))])
        return answer

    return serve


@pytest.mark.req("X-218", "X-224")
@pytest.mark.parametrize("most", [None, 7])
def test_half_an_answer_is_never_kept_as_whole_and_passes_as_it_came(
    rig: GatewayRig, caplog: pytest.LogCaptureFixture, most: int | None
) -> None:
    failures = []
    for report in STREAMS:
        rig.facts.stored.clear()
        rig.upstream.handler = handler_of(report, most)
        reply = rig.send(ASK | {"stream": report.asks_for_stream})
        eventually(lambda: any(each.is_over for each in rig.facts.stored))
        kept = [(each.user_text, each.answer_text) for each in rig.facts.stored if each.is_over]
        if reply.body != report.events or kept != [("Who am I?", report.kept)]:
            failures.append(f"{report.source}: {report.case}: {kept}")
    assert not failures
    broken = sum(not report.kept for report in STREAMS)
    assert f"gateway_answers_not_read_total {broken}\n" in rig.send(None, "/metrics", method="GET").body.decode()
    assert caplog.text.count("an answer passed and is not kept") == 1


@pytest.mark.req("X-224")
def test_pieces_reach_the_client_as_they_come_whatever_they_are_called(rig: GatewayRig) -> None:
    """As vllm-project/vllm-ascend#6985, ollama/ollama#8991 and SillyTavern/SillyTavern#4351 report of held bytes."""
    line = b'{"message": {"content": "Hel"}, "done": false}\n'
    cases: list[tuple[str, bytes, bool]] = [
        ("application/json", event("Hel"), True),
        ("text/plain", event("Hel"), False),
        ("application/octet-stream", event("Hel").replace(b"\n", b"\r"), True),
        ("application/json", line, True),
        ("application/json", line, False),
        ("application/json", b"\n\n", False),
        ("text/html", b"<html>", True),
    ]
    failures = []
    for kind, piece, asks_for_stream in cases:
        goes_on = threading.Event()

        async def slow(request: web.Request, kind: str = kind, piece: bytes = piece) -> web.StreamResponse:
            answer = web.StreamResponse(headers={"Content-Type": kind})
            await answer.prepare(request)
            await answer.write(piece)
            await asyncio.get_running_loop().run_in_executor(None, goes_on.wait, 20)  # noqa: B023 - within its case
            return answer

        rig.upstream.handler = slow
        body = json.dumps(ASK | {"stream": asks_for_stream}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
        with rig.raw(head.encode() + body) as connection:
            connection.settimeout(5)
            got = b""
            try:
                while piece not in got:
                    got += connection.recv(4_096)
            except TimeoutError:
                failures.append(f"{kind} {piece!r}: {got!r}")
            goes_on.set()
    assert not failures


@pytest.mark.req("X-224")
def test_the_head_of_a_stream_does_not_wait_for_its_first_piece(rig: GatewayRig) -> None:
    goes_on = threading.Event()

    async def think(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        await asyncio.get_running_loop().run_in_executor(None, goes_on.wait, 20)
        return answer

    rig.upstream.handler = think
    body = json.dumps(ASK | {"stream": True}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
    with rig.raw(head.encode() + body) as connection:
        connection.settimeout(10)
        try:
            assert connection.recv(4_096).startswith(b"HTTP/1.1 200")
        finally:
            goes_on.set()


@pytest.mark.req("X-224")
def test_an_answer_that_the_server_breaks_off_is_counted(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda request: stream(request, event("Hel"), whole=False)
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        rig.send(ASK | {"stream": True})
    assert b"gateway_answers_not_read_total 1\n" in rig.send(None, "/metrics", method="GET").body


@pytest.mark.req("X-224")
def test_memories_are_told_in_a_packed_document_which_is_plain_then(rig: GatewayRig) -> None:
    packed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    rig.upstream.handler = lambda _request: web.Response(body=gzip.compress(DOCUMENT), headers=packed)
    reply = rig.send(ASK | {"memory_hits": True})
    assert (reply.json["memory_hits"], reply.headers.get("Content-Encoding")) == ([], None)
    assert [each.answer_text for each in rig.stored_turns()] == ["All of it"]
