from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aiohttp import web

from messages.facts import GATEWAY
from tests.actors.gateway.raw import STREAM_BODY, answer_on, post, unpack_chunks
from tests.actors.gateway.rig import GatewayRig, event, stream
from tests.crash import CRASH
from tests.patience import PATIENCE_S, eventually

Make = Callable[..., GatewayRig]


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes gateways."""
    made: list[GatewayRig] = []

    def rig(**given: Any) -> GatewayRig:
        made.append(GatewayRig(**given))
        return made[-1]

    yield rig
    for each in made:
        each.stop()


@pytest.fixture
def taken_port() -> Iterator[socket.socket]:
    with socket.socket() as taken_port:
        taken_port.bind(("127.0.0.1", 0))
        taken_port.listen()
        yield taken_port


@pytest.mark.req("S2-03")
def test_it_serves_while_it_lives_and_lets_go_of_its_address(make: Make) -> None:
    rig = make()
    assert rig.send().status == 200
    rig.system.stop(5.0)

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", rig.port), timeout=2)


def test_it_listens_on_its_address_alone(make: Make) -> None:
    rig = make(address="127.0.0.2", host="127.0.0.2")

    assert rig.send(None, "/health", "GET").status == 200
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", rig.port), timeout=2)


def test_it_tells_where_it_can_be_used(make: Make) -> None:
    places: list[str] = []
    rig = make(on_up=places.append)

    assert places == [f"http://127.0.0.1:{rig.port}/v1"]


def test_it_serves_no_client_before_the_memory_is_open(make: Make) -> None:
    places: list[str] = []
    rig = make(on_up=places.append, waits=False, facts_start=False)
    eventually(lambda: rig.facts.awaited)
    assert (rig.figures()["state"], places) == ("starting", [])

    rig.facts.describe(rig.system.tell)
    eventually(lambda: places)


def test_an_address_of_version_6_is_written_as_one(make: Make) -> None:
    places: list[str] = []
    rig = make(address="::1", host="::1", on_up=places.append)

    assert places == [f"http://[::1]:{rig.port}/v1"]
    assert rig.send(None, "/health", "GET").status == 200


def test_an_address_that_is_taken_is_named_and_tried_again_and_ends_nothing(
    make: Make, taken_port: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    port = taken_port.getsockname()[1]
    rig = make(port=port, waits=False)
    eventually(lambda: str(port) in str(rig.figures()["trouble"]))
    assert rig.figures()["state"] == "in trouble"
    assert f"127.0.0.1:{port}: it cannot be listened on" in str(rig.figures()["trouble"])
    taken_port.close()
    eventually(lambda: rig.figures()["port"] == port)

    rig.port = port
    assert rig.send().status == 200
    assert rig.figures()["state"] == "listening"
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == 1
    assert errors[0].exc_info is None
    assert f"127.0.0.1:{port}" in errors[0].getMessage()


def test_a_name_that_is_none_is_said(make: Make) -> None:
    rig = make(address="a..b", waits=False)
    eventually(lambda: "a..b" in str(rig.figures()["trouble"]))

    assert "Traceback" not in str(rig.figures()["trouble"])


@pytest.mark.crashes
def test_it_listens_again_behind_a_crash(make: Make, taken_port: socket.socket) -> None:
    port = taken_port.getsockname()[1]
    taken_port.close()
    rig = make(port=port)
    assert rig.send().status == 200
    rig.system.tell(GATEWAY, CRASH)
    eventually(lambda: bool(rig.system.supervisor.restarts()))
    eventually(lambda: rig.figures()["port"] == port)

    assert rig.send().status == 200


def test_a_request_under_way_ends_before_its_end(make: Make) -> None:
    rig = make()
    asked, goes_on = threading.Event(), threading.Event()

    async def slow(_request: web.Request) -> web.StreamResponse:
        asked.set()
        await asyncio.get_running_loop().run_in_executor(None, goes_on.wait, 20)
        return web.Response(body=b"{}")

    rig.upstream.handler = slow
    with rig.raw(post()) as connection:
        assert asked.wait(PATIENCE_S)
        stopping = threading.Thread(target=rig.system.stop, args=(5.0,))
        stopping.start()
        eventually(lambda: not is_open(rig.port))
        goes_on.set()
        head, body, ended = answer_on(connection)
        stopping.join(PATIENCE_S)

    assert head.startswith(b"HTTP/1.1 200 ")
    assert (body, ended) == (b"{}", "whole")


def test_an_answer_without_end_is_broken_off_at_the_end_and_its_turn_is_over(make: Make) -> None:
    rig = make(shutdown_s=0.1)
    goes_on = threading.Event()

    async def endless(request: web.Request) -> web.StreamResponse:
        answer = await stream(request, event("Hel"))
        await asyncio.get_running_loop().run_in_executor(None, goes_on.wait, 20)
        return answer

    rig.upstream.handler = endless
    with rig.raw(post(STREAM_BODY)) as connection:
        eventually(lambda: len(rig.facts.stored) == 1)
        rig.system.stop(10.0)
        _, body, _ = answer_on(connection)
    goes_on.set()

    assert not unpack_chunks(body)[1]
    assert [(each.is_over, each.answer_text) for each in rig.facts.stored] == [(False, ""), (True, "")]


def is_open(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
    except ConnectionError:
        return False
    return True
