from __future__ import annotations

import asyncio
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from aiohttp import web

from messages.base import Address
from messages.facts import EntryRole, FactHit
from tests.actors.gateway.raw import post, request
from tests.actors.gateway.rig import ANSWER, ASK, DONE, GatewayRig, event, stream
from tests.patience import PATIENCE_S, eventually

STREAM = ASK | {"stream": True}
HIT = FactHit(
    id="id-1",
    role=EntryRole.MEMORY,
    conversation="default",
    content="The user is Anne",
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    relevance=0.5,
    recency=1.0,
    score=0.6,
)
TOOLS: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be kind."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Weather?"}, {"type": "image_url", "image_url": {"url": "data:x"}}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "w", "arguments": '{"a": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    ],
    "tools": [{"type": "function", "function": {"name": "w", "parameters": {"type": "object"}}}],
    "tool_choice": "auto",
    "stream_options": {"include_usage": True},
    "some_new_field": {"deep": [1, 2.50, None]},
}


@pytest.fixture
def rig() -> Iterator[GatewayRig]:
    rig = GatewayRig()
    yield rig
    rig.stop()


@pytest.mark.req("S2-01", "S2-06", "S2-55")
def test_a_request_goes_on_with_what_is_remembered_and_is_kept(rig: GatewayRig) -> None:
    rig.facts.block, rig.facts.hits = "BLOCK", (HIT,)
    reply = rig.send(ASK | {"memory_id": "alice", "memory_top_k": 3})

    assert (reply.status, reply.json) == (200, ANSWER)
    (heard,) = rig.upstream.heard
    assert (heard.method, heard.path) == ("POST", "/v1/chat/completions")
    assert heard.json == {"model": "m", "messages": [{"role": "system", "content": "BLOCK"}, *ASK["messages"]]}
    (asked,) = rig.facts.asked
    assert (asked.conversation, asked.shared, asked.question, asked.top_k) == ("alice", "global", "Who am I?", 3)
    (stored,) = rig.stored_turns()
    assert (stored.conversation, stored.user_text, stored.answer_text, stored.is_over) == (
        "alice",
        "Who am I?",
        "Hello",
        True,
    )
    assert (stored.turn_id, stored.model) == (asked.turn_id, "m")


def test_what_was_shown_is_told_in_headers_and_where_it_is_asked_for(rig: GatewayRig) -> None:
    rig.facts.block, rig.facts.hits, rig.facts.note = "BLOCK", (HIT,), "half of it:\r\n ä"
    plain, asked_for = rig.send(), rig.send(ASK | {"memory_hits": True})

    assert plain.json == ANSWER
    assert plain.headers["X-Memory-Injected"] == "1"
    assert plain.headers["X-Memory-Ids"] == "id-1"
    assert plain.headers["X-Memory-Note"] == "half of it:?? ?"
    assert [hit["content"] for hit in asked_for.json["memory_hits"]] == ["The user is Anne"]
    assert {name: value for name, value in asked_for.json.items() if name != "memory_hits"} == ANSWER
    assert "memory_hits" not in rig.upstream.heard[-1].json


def test_a_request_without_memories_goes_on_byte_for_byte(rig: GatewayRig) -> None:
    tools = json.dumps(TOOLS, indent=3).encode()
    bodies = [tools, tools + b" " * (65_536 - len(tools)), tools + b" " * 65_536, b" " * 1_000_000 + tools]
    for body in bodies:
        rig.send(body)

    assert [heard.body for heard in rig.upstream.heard] == bodies


def test_tools_results_parts_and_fields_survive_beside_memories(rig: GatewayRig) -> None:
    rig.facts.block = "BLOCK"
    rig.send(TOOLS | {"memory_id": "x"})

    heard = rig.upstream.heard[0].json
    assert heard["messages"][0] == {"role": "system", "content": "Be kind.\n\nBLOCK"}
    assert heard["messages"][1:] == TOOLS["messages"][1:]
    assert {name: heard[name] for name in heard if name != "messages"} == {
        name: TOOLS[name] for name in TOOLS if name != "messages"
    }


def test_a_tool_s_result_is_no_word_of_the_user_s(rig: GatewayRig) -> None:
    rig.send(TOOLS)

    assert rig.facts.asked[0].question == "Weather?"
    assert (rig.stored_turns()[0].user_text, rig.stored_turns()[0].answer_text) == ("", "Hello")


def test_no_memories_are_asked_for_where_none_are_wanted(rig: GatewayRig) -> None:
    rig.send(ASK | {"memory_top_k": 0})

    assert rig.facts.asked == []
    assert len(rig.stored_turns()) == 1


def test_what_the_client_sends_along_is_told_to_the_memory(rig: GatewayRig) -> None:
    rig.send(TOOLS)

    assert rig.facts.asked[0].seen == ("Be kind.", "Weather?", "sunny")


@pytest.mark.req("S2-54", "X-92")
def test_a_stream_passes_piece_by_piece_and_is_kept_in_two_halves(rig: GatewayRig) -> None:
    pieces = [
        event("Hel"),
        event("lo"),
        event(finish_reason="stop"),
        b'data: {"choices": [], "usage": {"total_tokens": 3}}\n\n',
        DONE,
    ]
    rig.upstream.handler = lambda request: stream(request, *pieces)
    reply = rig.send(STREAM)

    assert reply.body == b"".join(pieces)
    assert reply.headers["Content-Type"] == "text/event-stream"
    assert reply.headers["X-Request-ID"] == "r1"
    first, second = rig.stored_turns(2)
    assert (first.user_text, first.answer_text, first.is_over) == ("Who am I?", "", False)
    assert (second.answer_text, second.is_over, second.turn_id) == ("Hello", True, first.turn_id)


def test_a_stream_s_words_are_kept_behind_the_recall_also_where_the_memory_does_not_answer() -> None:
    for is_silent in (False, True):
        rig = GatewayRig(read_deadline_s=0.05)
        try:
            rig.facts.is_silent = is_silent
            rig.upstream.handler = lambda request: stream(request, event("Hello", finish_reason="stop"), DONE)
            rig.send(STREAM)
            first = rig.stored_turns(2)[0]
            assert (first.user_text, first.is_over, rig.facts.order) == (
                "Who am I?",
                False,
                ["recall", "store", "store"],
            )
        finally:
            rig.stop()


def test_an_answer_is_kept_before_the_client_can_know_that_it_is_whole(rig: GatewayRig) -> None:
    goes_on = threading.Event()

    async def hold_end(request: web.Request) -> web.StreamResponse:
        import asyncio

        answer = await stream(request, event("Hello"), event(finish_reason="stop"))
        await asyncio.get_running_loop().run_in_executor(None, goes_on.wait, 20)
        await answer.write(DONE)
        return answer

    rig.upstream.handler = hold_end
    body = json.dumps(STREAM).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with rig.raw(head + body) as connection:
        seen = b""
        while b"stop" not in seen:
            seen += connection.recv(4_096)
        assert [(each.answer_text, each.is_over) for each in rig.facts.stored] == [("", False), ("Hello", True)]
        goes_on.set()
        while DONE not in seen:
            seen += connection.recv(4_096)
    assert len(rig.facts.stored) == 2


def test_the_first_piece_does_not_wait_for_the_second(rig: GatewayRig) -> None:
    goes_on = threading.Event()

    async def slow(request: web.Request) -> web.StreamResponse:
        answer = await stream(request, event("Hel"))
        await asyncio.get_running_loop().run_in_executor(None, goes_on.wait, 20)
        await answer.write(event("lo") + DONE)
        return answer

    rig.upstream.handler = slow
    body = json.dumps(STREAM).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with rig.raw(head + body) as connection:
        seen = b""
        while b"Hel" not in seen:
            seen += connection.recv(4_096)
        assert b'"lo"' not in seen
        assert [each.is_over for each in rig.stored_turns()] == [False]
        goes_on.set()
        while DONE not in seen:
            seen += connection.recv(4_096)


@pytest.mark.req("S2-54")
def test_a_client_that_goes_leaves_a_turn_without_an_answer_and_ends_the_call(rig: GatewayRig) -> None:
    ended = threading.Event()

    async def endless(request: web.Request) -> web.StreamResponse:
        answer = await stream(request, event("Hel"))
        try:
            for _ in range(10_000):
                await answer.write(event("x"))
                await asyncio.sleep(0.01)
        finally:
            ended.set()
        return answer

    rig.upstream.handler = endless
    body = json.dumps(STREAM).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with rig.raw(head + body) as connection:
        assert connection.recv(4_096)

    last = rig.stored_turns(2)[-1]
    assert (last.is_over, last.answer_text) == (True, "")
    assert ended.wait(PATIENCE_S)


def test_a_stream_that_breaks_off_is_broken_off_for_the_client_too(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda request: stream(request, event("Hel"), whole=False)
    body = json.dumps(STREAM).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    seen = b""
    with rig.raw(head + body) as connection:
        try:
            while piece := connection.recv(4_096):
                seen += piece
        except ConnectionError:
            pass
    assert b"Hel" in seen
    assert not seen.endswith(b"0\r\n\r\n")
    last = rig.stored_turns(2)[-1]
    assert (last.is_over, last.answer_text) == (True, "")


def handler_of(status: int, body: bytes, headers: dict[str, str]) -> Callable[[web.Request], web.Response]:
    """A server that answers always alike."""
    return lambda _: web.Response(status=status, body=body, headers=headers, content_type="application/json")


def test_an_error_of_the_server_comes_back_as_it_is(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases_1: list[tuple[int, dict[str, str]]] = [
        (400, {}),
        (401, {}),
        (429, {"Retry-After": "7"}),
        (500, {}),
        (503, {"Retry-After": "1"}),
    ]
    cases_2: list[bool] = [False, True]
    for status, headers in cases_1:
        for streams in cases_2:
            with subtests.test(status=status, headers=headers, streams=streams):
                error = b'{"error": {"message": "no", "type": "x", "code": null},   "odd": 1}'
                rig.facts.stored.clear()
                rig.upstream.handler = handler_of(status, error, headers)
                reply = rig.send(STREAM if streams else ASK)

                assert (reply.status, reply.body) == (status, error)
                assert reply.headers.get("Retry-After") == headers.get("Retry-After")
                if streams:
                    assert [(each.is_over, each.answer_text) for each in rig.stored_turns(2)] == [
                        (False, ""),
                        (True, ""),
                    ]
                else:
                    assert rig.facts.stored == []


def test_a_server_that_is_not_there_is_told_in_openai_s_form(rig: GatewayRig) -> None:
    gone = GatewayRig(base_url="http://127.0.0.1:9/v1")
    try:
        reply = gone.send()
    finally:
        gone.stop()

    assert reply.status == 502
    assert set(reply.error) == {"message", "type", "param", "code"}
    assert reply.error["type"] == "upstream_error"


def test_a_server_that_breaks_off_a_whole_answer_is_an_error(rig: GatewayRig) -> None:
    async def half(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Length": "100", "Content-Type": "application/json"})
        await answer.prepare(request)
        await answer.write(b'{"half": ')
        assert request.transport is not None
        request.transport.close()
        return answer

    rig.upstream.handler = half

    assert rig.send().status == 502


@pytest.mark.req("S2-53")
def test_a_memory_that_does_not_answer_delays_an_answer_only_so_far(subtests: pytest.Subtests) -> None:
    cases: list[bool] = [False, True]
    for streams in cases:
        with subtests.test(streams=streams):
            rig = GatewayRig(read_deadline_s=0.2)
            rig.facts.is_silent, rig.facts.stores = True, False
            if streams:
                rig.upstream.handler = lambda request: stream(request, event("Hello"), DONE)
            try:
                reply = rig.send(STREAM if streams else ASK)
                assert reply.status == 200
                assert "0.2 s" in reply.headers["X-Memory-Note"]
                assert b"Hello" in reply.body
                assert rig.figures()["recalls_failed"] == 1
            finally:
                rig.stop()


def test_a_memory_that_refuses_is_no_matter(rig: GatewayRig) -> None:
    rig.facts.refusal = "too much"
    reply = rig.send()

    assert (reply.status, reply.json) == (200, ANSWER)
    assert reply.headers["X-Memory-Note"] == "too much"


@pytest.mark.req("S2-02")
def test_what_is_no_request_is_refused_in_openai_s_form(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, str | None]] = [
        (b"no JSON", None),
        ({"model": "m"}, "messages"),
        (ASK | {"memory_id": 3}, "memory_id"),
        (ASK | {"memory_top_k": "x"}, "memory_top_k"),
    ]
    for body, param in cases:
        with subtests.test(body=body, param=param):
            reply = rig.send(body)

            assert reply.status == 400
            assert (reply.error["type"], reply.error["param"]) == ("invalid_request_error", param)
            assert rig.upstream.heard == []


def test_a_packed_body_is_refused(rig: GatewayRig) -> None:
    assert rig.send(Content_Encoding="gzip").status == 415


def test_a_body_that_is_too_long_is_refused_however_it_comes() -> None:
    rig = GatewayRig(max_body_bytes=1_000)
    long = ASK | {"x": "y" * 2_000}
    try:
        assert rig.send(long).status == 413
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        with rig.raw(head + (b"3e8\r\n" + b"x" * 1_000 + b"\r\n") * 3 + b"0\r\n\r\n") as connection:
            assert b" 413 " in connection.recv(4_096).split(b"\r\n")[0]
        assert rig.upstream.heard == []
    finally:
        rig.stop()


def test_sixteen_at_once_are_served_side_by_side(rig: GatewayRig) -> None:
    replies: list[int] = []
    threads = [threading.Thread(target=lambda: replies.append(rig.send().status)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)

    assert replies == [200] * 16
    assert len({each.turn_id for each in rig.stored_turns(16)}) == 16


def test_a_server_is_asked_for_plain_text_and_what_it_packs_all_the_same_passes_and_is_counted(rig: GatewayRig) -> None:
    # Servers that pack whatever was asked: dillo-browser/dillo#377; a client's br passed on: sseshachala/conductai#1320.
    packed = {"br": b"\x1b\x2f\x00words", "zstd": b"\x28\xb5\x2f\xfdwords"}
    for encoding, data in packed.items():
        headers = {"Content-Encoding": encoding}
        rig.upstream.handler = handler_of(200, data, headers)
        reply = rig.send(Accept_Encoding="br, zstd;q=0.9, gzip;q=0.5")
        assert (reply.status, reply.body, reply.headers["Content-Encoding"]) == (200, data, encoding)

    assert {heard.headers["Accept-Encoding"] for heard in rig.upstream.heard} == {"identity"}
    assert [(each.user_text, each.answer_text) for each in rig.stored_turns(2)] == [("Who am I?", "")] * 2
    assert b"gateway_answers_not_read_total 2" in rig.send(None, "/metrics", "GET").body


def test_a_null_content_is_kept_as_nothing(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda _: web.json_response(
        {"choices": [{"message": {"content": None, "tool_calls": [{}]}}]}
    )
    rig.send()

    assert rig.stored_turns()[0].answer_text == ""


def test_an_answer_that_is_no_stream_though_one_was_asked_for_is_kept_whole(rig: GatewayRig) -> None:
    reply = rig.send(STREAM)

    assert reply.json == ANSWER
    assert [each.answer_text for each in rig.stored_turns(2)] == ["", "Hello"]
    eventually(lambda: rig.figures()["in_flight"] == 0)


def test_a_memory_that_is_not_there_is_no_matter() -> None:
    rig = GatewayRig(recall=Address("nobody"), facts=Address("nobody"), read_deadline_s=0.1)
    try:
        reply = rig.send()
        assert (reply.status, reply.json) == (200, ANSWER)
        assert (reply.headers["X-Memory-Injected"], "0.1 s" in reply.headers["X-Memory-Note"]) == ("0", True)
    finally:
        rig.stop()


def test_what_a_memory_says_fits_into_headers(rig: GatewayRig) -> None:
    long = msgspec.structs.replace(HIT, id="i" * 199)
    rig.facts.hits, rig.facts.note = (long, msgspec.structs.replace(HIT, id="\r\nX: \u00e4"), *[long] * 20), "n" * 9_000
    headers = rig.send().headers

    assert headers["X-Memory-Injected"] == "22"
    ids = headers["X-Memory-Ids"].split(",")
    assert (ids[0], ids[1], len(ids[-1])) == (long.id, "??X: ?", 199)
    assert len(headers["X-Memory-Ids"]) <= 2_000
    assert len(headers["X-Memory-Note"]) <= 2_000


def test_hits_are_told_in_an_answer_whose_length_is_right(rig: GatewayRig) -> None:
    rig.facts.hits = (HIT,)
    plain, told = rig.send(), rig.send(ASK | {"memory_hits": True})

    assert int(plain.headers["Content-Length"]) == len(plain.body) < len(told.body)
    assert int(told.headers["Content-Length"]) == len(told.body)


def test_a_request_without_a_word_of_the_user_s_is_served(rig: GatewayRig) -> None:
    rig.send({"messages": [{"role": "system", "content": "Be kind."}]})

    assert (rig.facts.asked[0].question, rig.stored_turns()[0].user_text, rig.stored_turns()[0].answer_text) == (
        "",
        "",
        "Hello",
    )


@pytest.mark.parametrize("streams", [False, True])
def test_tool_calls_without_words_are_kept_as_nothing(rig: GatewayRig, streams: bool) -> None:
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    if streams:
        pieces = (event(delta={"tool_calls": [call]}), event(finish_reason="tool_calls"), DONE)
        rig.upstream.handler = lambda request: stream(request, *pieces)
    else:
        rig.upstream.handler = lambda _: web.json_response(
            {"choices": [{"index": 0, "message": {"content": None, "tool_calls": [call]}}]}
        )
    rig.send(STREAM if streams else ASK)

    last = rig.stored_turns(1 + streams)[-1]
    assert (last.user_text, last.answer_text, last.is_over) == ("Who am I?", "", True)


def test_a_stream_that_goes_on_with_a_tool_s_result_is_kept_at_its_end(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda request: stream(request, event("Sunny"), event(finish_reason="stop"), DONE)
    rig.send(TOOLS | {"stream": True})

    (stored,) = rig.stored_turns()
    assert (stored.user_text, stored.answer_text, stored.is_over) == ("", "Sunny", True)


def test_a_stream_that_breaks_off_behind_a_tool_s_result_leaves_nothing(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda request: stream(request, event("Sun"), whole=False)
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        rig.send(TOOLS | {"stream": True})
    rig.upstream.handler = lambda _: web.json_response(ANSWER)
    rig.send()

    assert [each.user_text for each in rig.stored_turns()] == ["Who am I?"]


@pytest.mark.parametrize(("streams", "status"), [(False, 504), (True, 504)])
def test_a_server_that_does_not_begin_in_time_is_told_in_openai_s_form(streams: bool, status: int) -> None:
    rig = GatewayRig(silence_s=0.2)
    goes_on = threading.Event()

    async def silent(_request: web.Request) -> web.StreamResponse:
        await asyncio.get_running_loop().run_in_executor(None, goes_on.wait, 20)
        return web.Response()

    rig.upstream.handler = silent
    try:
        reply = rig.send(STREAM if streams else ASK)
        assert (reply.status, reply.error["code"]) == (status, "upstream_timeout")
        if streams:
            assert [(each.is_over, each.answer_text) for each in rig.stored_turns(2)] == [(False, ""), (True, "")]
        else:
            assert rig.facts.stored == []
    finally:
        goes_on.set()
        rig.stop()


@pytest.mark.parametrize("streams", [False, True])
def test_a_server_that_falls_silent_within_its_answer_is_told_or_broken_off(
    streams: bool,
) -> None:
    rig = GatewayRig(silence_s=0.2)
    goes_on = threading.Event()

    async def silent(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream" if streams else "application/json"})
        await answer.prepare(request)
        await answer.write(event("Hel") if streams else b'{"choices": [')
        await asyncio.get_running_loop().run_in_executor(None, goes_on.wait, 20)
        return answer

    rig.upstream.handler = silent
    try:
        if streams:
            with pytest.raises((http.client.HTTPException, ConnectionError)):
                rig.send(STREAM)
            assert [(each.is_over, each.answer_text) for each in rig.stored_turns(2)] == [(False, ""), (True, "")]
        else:
            assert (reply := rig.send()).status == 504
            assert reply.error["code"] == "upstream_timeout"
            assert rig.facts.stored == []
    finally:
        goes_on.set()
        rig.stop()


def test_a_document_that_is_longer_than_may_be_held_passes_and_is_not_kept() -> None:
    rig = GatewayRig(most_answer_bytes=10)
    try:
        reply = rig.send(ASK | {"memory_hits": True})

        assert (reply.status, reply.json) == (200, ANSWER)
        (stored,) = rig.stored_turns()
        assert (stored.user_text, stored.answer_text, stored.is_over) == ("Who am I?", "", True)
        assert b"gateway_answers_not_read_total 1\n" in rig.send(None, "/metrics", method="GET").body
    finally:
        rig.stop()


def test_a_client_that_goes_before_a_whole_answer_ends_the_call_and_leaves_nothing(rig: GatewayRig) -> None:
    asked, ended = threading.Event(), threading.Event()

    async def slow(_request: web.Request) -> web.StreamResponse:
        asked.set()
        try:
            await asyncio.sleep(20)
        finally:
            ended.set()
        return web.Response()

    rig.upstream.handler = slow
    with rig.raw(post()):
        assert asked.wait(PATIENCE_S)
    eventually(lambda: rig.figures()["in_flight"] == 0)

    assert ended.wait(PATIENCE_S)
    assert rig.facts.stored == []


def test_an_answer_is_kept_before_its_end_is_there(rig: GatewayRig, subtests: pytest.Subtests) -> None:
    cases: list[bool] = [False, True]
    for streams in cases:
        with subtests.test(streams=streams):
            rig.facts.stores = False
            if streams:
                rig.upstream.handler = lambda request: stream(
                    request, event("Hello"), event(finish_reason="stop"), DONE
                )
            for _ in range(3):
                before = len(rig.facts.stored)
                rig.send(STREAM if streams else ASK)
                assert len(rig.facts.stored) - before == 1 + streams


def test_what_is_asked_for_twice_on_one_connection_is_answered_in_order(rig: GatewayRig) -> None:
    rig.upstream.handler = lambda request: web.json_response({"path": request.path})
    with rig.raw(post() + request("GET", "/v1/models") + request("GET", "/health")) as connection:
        seen = b""
        while b'"status"' not in seen:
            seen += connection.recv(65_536)

    assert 0 < seen.index(b"/v1/chat/completions") < seen.index(b"/v1/models") < seen.index(b'"ok"')
