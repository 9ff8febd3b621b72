"""Clients that flood, dribble, do not read or go away; none of them may hurt another."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actors.socket.door import CONNECTIONS, IN_FLIGHT, Patience
from tests.actors.socket.rig import ALICE, BOB, Client, Rig

Keep = Callable[[Client], Client]
MakeRig = Callable[..., Rig]


def test_an_owner_that_does_not_answer_costs_the_client_the_time_out(make_rig: MakeRig, keep: Keep) -> None:
    answer = keep(make_rig(answer_s=0.05).client()).ask("silence", {"query": "q"})

    assert answer["error"] == "silence was not answered within 0.05 s; it may still be done"


def test_a_client_that_goes_away_before_its_answer_hurts_nobody(rig: Rig, keep: Keep) -> None:
    rude = rig.client()
    rude.send("look", {"query": "hold"})
    rude.close()

    assert keep(rig.client()).ask("look", {"query": "go"})["ok"]


def test_a_flood_on_one_door_leaves_the_others_quick(rig: Rig, keep: Keep) -> None:
    flood, other = keep(rig.client(ALICE)), keep(rig.client(BOB))
    flood.socket.setblocking(False)
    try:
        while True:
            flood.socket.send(b"nonsense\n" * 1000)
    except BlockingIOError:
        pass  # the door is as full as it gets

    for _ in range(20):
        assert other.ask("look", {"query": "q"})["ok"]


def test_a_client_that_dribbles_or_reads_nothing_leaves_the_others_alone(rig: Rig, keep: Keep) -> None:
    dribbling, deaf = keep(rig.client()), keep(rig.client())
    dribbling.raw(b'{"verb": "lo')
    for _ in range(25):
        deaf.send("look", {"query": "x" * 10_000})

    assert keep(rig.client()).ask("look", {"query": "q"})["ok"]
    dribbling.raw(b'ok", "arguments": {"query": "q"}}\n')
    assert dribbling.answer()["ok"]


def test_connections_beyond_the_limit_wait_until_one_ends(rig: Rig, keep: Keep) -> None:
    clients = [keep(rig.client()) for _ in range(CONNECTIONS)]
    assert all(client.ask("look", {"query": "q"})["ok"] for client in clients)
    waiting = keep(rig.client())
    waiting.send("look", {"query": "q"})
    assert keep(rig.client(BOB)).ask("look", {"query": "q"})["ok"]

    clients[0].close()

    assert waiting.answer()["ok"]


def test_clients_that_connect_and_go_leave_the_others_quick(rig: Rig, keep: Keep) -> None:
    path, other = rig.door(ALICE), keep(rig.client(BOB))
    for _ in range(100):
        Client(path).close()

    assert other.ask("look", {"query": "q"})["ok"]
    assert keep(Client(path)).ask("look", {"query": "q"})["ok"]


def test_a_client_that_sends_no_whole_line_for_long_is_cut_off(make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(patience=Patience(silence_s=0.05))
    silent, dribbling = keep(rig.client()), keep(rig.client())
    dribbling.raw(b'{"verb": "lo')

    assert silent.is_ended()
    assert dribbling.is_ended()


def test_a_client_that_never_reads_is_cut_off(make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(patience=Patience(unread_s=0.05))
    deaf = keep(rig.client())
    with pytest.raises((BrokenPipeError, ConnectionResetError)):  # when that is, the machine's pace decides
        send_without_end(deaf)


def send_without_end(client: Client) -> None:
    for _ in range(IN_FLIGHT):
        client.send("look", {"query": "x" * 60_000})
    while True:
        client.send("help")
