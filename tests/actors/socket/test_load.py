"""Cost of a door: room, memory and descriptors, whatever its clients send, and whether or not they stay."""

from __future__ import annotations

import socket
import tracemalloc
from collections.abc import Callable

import msgspec
import pytest

from actors.part import Verb
from actors.socket.door import IN_FLIGHT, Patience
from actors.socket.verb import RequestContext, message_of
from actors.socket.wire import LONGEST_LINE_BYTES, RequestError, parse
from messages.base import RequestId, Surface, Window
from tests.actors.socket.rig import ALICE, BOB, OWNER, SOCKET, Client, Look, Rig
from tests.actors.socket.test_actor import held

Keep = Callable[[Client], Client]
MakeRig = Callable[..., Rig]


@pytest.fixture
def rig(make_rig: MakeRig) -> Rig:
    return make_rig(describers=(OWNER,))


def fill(client: Client, operator: Client) -> None:
    """Take all the room there is at a door, until a client asks for `go`."""
    for number in range(IN_FLIGHT):
        client.send("look", {"query": "hold"}, name=number)
    while held(operator) < IN_FLIGHT:
        pass


def test_what_a_client_asked_that_has_gone_is_never_carried_out(rig: Rig, keep: Keep) -> None:
    operator, client = keep(rig.operator()), keep(rig.client(ALICE))
    fill(client, operator)
    for _ in range(4):
        rude = rig.client(ALICE)
        for _ in range(5):
            rude.send("look", {"query": "hold"})
        rude.close()

    assert keep(rig.client(BOB)).ask("look", {"query": "go"})["ok"]

    assert keep(rig.client(ALICE)).ask("look", {"query": "q"})["ok"], "comes after all of theirs"
    assert held(operator) == 0


def test_who_only_sends_no_more_is_answered_though_there_was_no_room_yet(rig: Rig, keep: Keep) -> None:
    operator, client, patient = keep(rig.operator()), keep(rig.client(ALICE)), keep(rig.client(ALICE))
    fill(client, operator)
    patient.send("look", {"query": "q"}, name="patient")
    patient.socket.shutdown(socket.SHUT_WR)

    assert keep(rig.client(BOB)).ask("look", {"query": "go"})["ok"]

    assert patient.answer()["id"] == "patient"


def test_coming_back_gives_nobody_more_room(rig: Rig, keep: Keep) -> None:
    operator, client = keep(rig.operator()), rig.client(ALICE)
    fill(client, operator)
    client.close()
    again = keep(rig.client(ALICE))
    again.send("look", {"query": "hold"}, name="again")
    assert keep(rig.client(BOB)).ask("look", {"query": "q"})["ok"]

    assert held(operator) == IN_FLIGHT

    assert keep(rig.client(BOB)).ask("look", {"query": "go"})["ok"]
    while held(operator) < 1:
        pass
    assert keep(rig.client(BOB)).ask("look", {"query": "go"})["ok"]
    assert again.answer()["id"] == "again"


def test_of_what_no_verb_takes_nothing_is_built(subtests: pytest.Subtests) -> None:
    values: list[bytes] = [
        b"[%s[]]" % (b"[]," * 20_000),
        b"{%s}" % b",".join(b'"%d":[]' % n for n in range(5_000)),
        b"9" * 60_000,
    ]
    places: list[bytes] = [b'{"query":%s}', b'{"query":"q","limit":%s}', b'{"zzz":%s}', b"%s"]
    for value in values:
        for place in places:
            with subtests.test(value=value, place=place):
                line = b'{"verb":"look","arguments":' + place % value + b"}"
                asked = RequestContext(RequestId("1"), SOCKET, Window(surface=Surface.CLI, id="x"))
                assert len(line) <= LONGEST_LINE_BYTES

                tracemalloc.start()
                try:
                    with pytest.raises(RequestError) as refused:
                        message_of(Verb(OWNER, Look), "look", parse(line).arguments, asked)
                    _, peak = tracemalloc.get_traced_memory()
                finally:
                    tracemalloc.stop()

                assert peak < 6 * LONGEST_LINE_BYTES
                assert len(str(refused.value)) < 400


def test_a_request_holds_its_arguments_as_they_came() -> None:
    assert isinstance(parse(b'{"verb":"look","arguments":{"query":[[]]}}').arguments, msgspec.Raw)


def test_of_clients_that_never_read_the_one_that_left_most_is_cut_off(make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(patience=Patience(unread_bytes=400_000))
    deaf, other = keep(rig.client(ALICE)), keep(rig.client(ALICE))
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        speak_without_end(deaf, other)


def speak_without_end(deaf: Client, other: Client) -> None:
    while True:
        deaf.send("look", {"query": "x" * 60_000})
        assert other.ask("look", {"query": "x" * 60_000})["ok"]


def test_doors_that_nobody_uses_leave_descriptors_to_others(make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(open_files=40)
    first, in_use = rig.door(thread_of(0)), keep(rig.client(thread_of(1)))
    assert in_use.ask("look", {"query": "q"})["ok"]

    paths = [rig.door(thread_of(number)) for number in range(2, 30)]

    assert len(list(rig.folder.iterdir())) == 10
    assert not first.exists()
    assert in_use.ask("look", {"query": "q"})["ok"], "a door with a client goes last"
    assert all(keep(Client(path)).ask("look", {"query": "q"})["ok"] for path in paths[-9:])
    assert keep(rig.client(thread_of(0))).ask("look", {"query": "q"})["ok"]


def test_connections_leave_descriptors_to_others_and_every_door_keeps_one(make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(open_files=40)
    path = rig.door(ALICE)
    served = [keep(Client(path)) for _ in range(5)]
    assert all(client.ask("look", {"query": "q"})["ok"] for client in served)
    waiting = keep(Client(path))
    waiting.send("look", {"query": "q"}, name="waiting")

    assert keep(rig.client(BOB)).ask("look", {"query": "q"})["ok"]
    waiting.socket.settimeout(0.2)
    with pytest.raises(TimeoutError):
        waiting.socket.recv(1, socket.MSG_PEEK)

    waiting.socket.settimeout(5)
    for client in served[:2]:
        client.close()
    assert waiting.answer()["id"] == "waiting"


def thread_of(number: int) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(300000000000000000 + number))
