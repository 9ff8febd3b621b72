from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from actors.kernel import ManualClock
from actors.part import Verb
from actors.socket.actor import SWEEP_S, SocketActor, SocketConfig
from actors.socket.door import IN_FLIGHT
from actors.socket.wire import LONGEST_LINE_BYTES
from messages.base import Message, RequestId
from messages.socket import DoorOpen, Refused, TendDoors
from tests.actors.socket.rig import ALICE, BOB, OF_WINDOWS, OWNER, SOCKET, Client, Look, Rig, Seen, open_files
from tests.crash import CRASH
from tests.patience import PATIENCE_S

Keep = Callable[[Client], Client]
MakeRig = Callable[..., Rig]


def test_a_request_becomes_its_owners_message_and_the_answer_comes_back(rig: Rig, keep: Keep) -> None:
    answer = keep(rig.client()).ask("look", {"query": "tea", "limit": 1}, name="first")

    assert answer == {
        "id": "first",
        "ok": True,
        "result": {"window": ALICE.address.key, "query": "tea", "items": ["one"]},
    }


@pytest.mark.req("X-47")
def test_each_window_has_a_door_of_its_own_that_acts_for_it_alone(rig: Rig, keep: Keep) -> None:
    of_alice, of_bob = keep(rig.client(ALICE)), keep(rig.client(BOB))

    assert of_alice.ask("look", {"query": "q"})["result"]["window"] == ALICE.address.key
    assert of_bob.ask("look", {"query": "q"})["result"]["window"] == BOB.address.key


@pytest.mark.req("X-47")
def test_where_each_window_has_its_own_actor_the_doors_window_says_which(make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(verbs=OF_WINDOWS)
    of_alice, of_bob = keep(rig.client(ALICE)), keep(rig.client(BOB))

    assert of_alice.ask("own", {"query": "q"})["result"]["window"] == ALICE.address.key
    assert of_bob.ask("own", {"query": "q"})["result"]["window"] == BOB.address.key
    stolen = of_alice.ask("own", {"query": "q", "window": BOB.address.key})
    assert "acts for the window whose socket this is and takes no other" in stolen["error"]


def test_at_the_door_of_a_windows_lanes_only_what_lanes_may_ask_is_answered(make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(verbs={"look": Verb(OWNER, Look), "turns": Verb(OWNER, Look, in_lanes=False)})
    own, lane = keep(rig.client()), keep(Client(rig.door(is_lane=True)))

    assert own.ask("turns", {"query": "q"})["ok"]
    assert lane.ask("look", {"query": "q"})["result"]["window"] == ALICE.address.key
    assert "turns: only commands of the conversation's own turns may ask this" in lane.ask("turns", {})["error"]
    assert set(lane.ask("help")["result"]["verbs"]) == {"look"}
    assert set(own.ask("help")["result"]["verbs"]) == {"look", "turns"}
    assert rig.door() != rig.door(is_lane=True)


def test_a_window_that_asks_again_gets_the_same_door(rig: Rig) -> None:
    assert rig.door() == rig.door()


def test_a_door_whose_file_has_gone_is_made_anew(rig: Rig, keep: Keep) -> None:
    first = rig.door()
    first.unlink()

    second = rig.door()

    assert second != first
    assert keep(Client(second)).ask("look", {"query": "q"})["ok"]


def test_what_cannot_be_done_is_answered_with_the_value_and_the_rule(
    subtests: pytest.Subtests, rig: Rig, keep: Keep
) -> None:
    cases: list[tuple[str, dict[str, object], str]] = [
        ("look", {}, "look: Object missing required field `query`"),
        ("look", {"query": 3}, "look: argument query 3: Expected `str`, got `int`"),
        ("look", {"query": "q", "limit": "7"}, "look: argument limit '7': Expected `int`, got `str`"),
        ("look", {"query": "q", "depth": 7}, "look has no argument 'depth': it takes query, limit"),
        ("look", {"query": "q", "type": "Look"}, "look has no argument 'type': it takes query, limit"),
        ("look", {"query": "q", "request_id": "x"}, "look has no argument 'request_id': it takes query, limit"),
        ("look", {"query": "q", "reply_to": "x"}, "look has no argument 'reply_to': it takes query, limit"),
        ("look", {"query": "refuse"}, "no: 'refuse' is refused"),
        ("shout", {}, "verb 'shout': is not one of help, look, silence"),
        ("status", {}, "verb 'status': is not one of help, look, silence"),
    ]
    for verb, arguments, error in cases:
        with subtests.test(verb=verb, arguments=arguments):
            assert keep(rig.client()).ask(verb, arguments) == {"id": 1, "ok": False, "error": error}


def test_no_request_can_name_another_window(rig: Rig, keep: Keep) -> None:
    answer = keep(rig.client(ALICE)).ask("look", {"query": "q", "window": BOB.address.key})

    assert not answer["ok"]
    assert answer["error"] == (
        "window 'discord-thread/100000000000000002': look acts for the window whose socket this is and takes no other"
    )


def test_a_line_that_is_no_request_is_answered_and_the_next_one_is_heard(
    subtests: pytest.Subtests, rig: Rig, keep: Keep
) -> None:
    cases: list[bytes] = [b"{}", b"[1]", b"", b"\xff\xfe", b'{"id":1', b"[" * 50_000, b'"\\ud800"']
    for line in cases:
        with subtests.test(line=line):
            client = keep(rig.client())

            client.raw(line + b"\n")

            assert client.answer()["error"].startswith("not a request: ")
            assert client.ask("look", {"query": "q"})["ok"]


def test_a_faulty_request_is_answered_under_its_own_name(rig: Rig, keep: Keep) -> None:
    client = keep(rig.client())

    client.raw(b'{"id": 7, "verb": "look", "arguments": {}, "arguemnts": 1}\n')

    assert client.answer()["id"] == 7


def test_the_longest_line_is_heard_and_a_longer_one_is_answered_and_cut_off(rig: Rig, keep: Keep) -> None:
    head, tail = b'{"verb":"look","arguments":{"query":"', b'"}}\n'
    longest, longer = keep(rig.client()), keep(rig.client())

    longest.raw(head + b"x" * (LONGEST_LINE_BYTES - len(head) - len(tail)) + tail)
    longer.raw(b"x" * (LONGEST_LINE_BYTES + 1))

    assert longest.answer()["ok"]
    assert longer.answer()["error"] == "a line may have at most 65536 bytes; this one has more"
    assert longer.is_ended()


def test_an_answer_that_is_too_long_is_a_sentence_instead(rig: Rig, keep: Keep) -> None:
    assert "at most 8388608 are allowed" in keep(rig.client()).ask("look", {"query": "big"})["error"]


def test_a_request_without_a_newline_is_heard_when_its_sender_ends(rig: Rig, keep: Keep) -> None:
    client = keep(rig.client())

    client.raw(b'{"verb": "look", "arguments": {"query": "q"}}')
    client.socket.shutdown(socket.SHUT_WR)

    assert client.answer()["ok"]
    assert client.is_ended()


def test_requests_of_one_connection_are_answered_as_their_answers_come(rig: Rig, keep: Keep) -> None:
    client = keep(rig.client())

    client.send("look", {"query": "hold"}, name="slow")
    assert client.ask("look", {"query": "q"}, name="quick")["id"] == "quick"
    client.send("look", {"query": "go"}, name="go")

    assert {client.answer()["id"], client.answer()["id"]} == {"slow", "go"}


def test_more_requests_than_are_answered_at_a_time_wait_and_are_all_answered(make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(describers=(OWNER,))
    client, second, operator = keep(rig.client()), keep(rig.client()), keep(rig.operator())
    for number in range(IN_FLIGHT + 3):
        client.send("look", {"query": "hold"}, name=number)
    while held(operator) < IN_FLIGHT:
        pass
    second.send("look", {"query": "hold"}, name="second")
    assert keep(rig.client(BOB)).ask("look", {"query": "q"})["ok"]

    assert held(operator) == IN_FLIGHT

    answered = set[object]()
    for _ in range(2):
        keep(rig.client(BOB)).ask("look", {"query": "go"})
        answered |= {client.answer()["id"] for _ in range(IN_FLIGHT if not answered else 3)}
        while held(operator) < (4 if len(answered) == IN_FLIGHT else 0):
            pass
    assert answered == set(range(IN_FLIGHT + 3))
    assert second.answer()["id"] == "second"


def held(operator: Client) -> int:
    """How many requests lie with the owner."""
    return int(operator.ask("status")["result"]["actors"]["owner"]["held"])


def test_help_lists_the_verbs_with_what_may_be_given(rig: Rig, keep: Keep) -> None:
    verbs = keep(rig.client()).ask("help")["result"]["verbs"]

    assert set(verbs) == {"look", "silence"}
    assert verbs["look"] == {
        "does": "Look something up for a window.",
        "arguments": {
            "query": {"type": "str", "required": True},
            "limit": {"type": "int", "required": False, "default": 10},
        },
    }


def test_sockets_are_for_this_user_in_a_folder_that_nobody_else_can_list(rig: Rig) -> None:
    path = rig.door()

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((rig.root / "agent.sock").stat().st_mode) == 0o600
    assert stat.S_IMODE((rig.root / "agent.key").stat().st_mode) == 0o600


def test_no_list_of_the_machines_sockets_gives_a_doors_name_away(rig: Rig) -> None:
    path = rig.door()

    listed = Path("/proc/net/unix").read_text()

    assert str(path.parent) in listed
    assert path.name not in listed


def test_names_of_doors_have_nothing_in_common(rig: Rig) -> None:
    names = [rig.door(window).stem for window in (ALICE, BOB)]

    assert [name for name in names if len(name) < 32 or not set(name) <= set("0123456789abcdef")] == []
    assert len({name[:8] for name in names}) == 2


def test_a_folder_with_a_long_path_is_replaced_by_a_temporary_one(
    make_rig: MakeRig, keep: Keep, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rig = make_rig(folder=tmp_path / ("x" * 100))

    path = rig.door()

    assert len(str(path)) <= 107
    assert keep(Client(path)).ask("look", {"query": "q"})["ok"]
    assert "is too long a path for sockets" in caplog.text
    rig.system.stop()
    assert not path.parent.exists()


def test_without_a_folder_a_temporary_one_serves_and_goes_with_the_actor(make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(folder=None, operator_path=None)

    path = rig.door()

    assert keep(Client(path)).ask("look", {"query": "q"})["ok"]
    rig.system.stop()
    assert not path.parent.exists()
    assert list(rig.root.iterdir()) == []


def test_idle_doors_are_closed_and_a_door_in_use_is_not(clock: ManualClock, make_rig: MakeRig, keep: Keep) -> None:
    rig = make_rig(clock=clock, idle_s=100)
    idle, used = rig.door(ALICE), rig.door(BOB)
    client = keep(Client(used))
    assert client.ask("look", {"query": "q"})["ok"]

    for _ in range(3):
        clock.advance(SWEEP_S)
        rig.ask_for_door(BOB)  # is answered after the sweep

    assert not idle.exists()
    assert used.exists()
    assert client.ask("look", {"query": "q"})["ok"]
    assert rig.door(ALICE) != idle


def test_a_stop_leaves_no_socket_no_key_and_no_open_file(make_rig: MakeRig) -> None:
    before = open_files()
    rig = make_rig()
    client = rig.client()
    client.send("look", {"query": "hold"})
    path = rig.door(BOB)

    rig.system.stop()

    assert client.is_ended()
    client.close()
    assert not path.exists()
    assert [each.name for each in rig.root.iterdir()] == ["sockets"]
    assert open_files() == before


def test_what_a_killed_agent_left_behind_is_replaced(make_rig: MakeRig, keep: Keep, root: Path) -> None:
    (root / "sockets").mkdir(mode=0o755)
    (root / "sockets" / "0123.sock").touch()
    (root / "agent.sock").touch()
    (root / "agent.key").write_text("old")

    rig = make_rig()

    assert not (root / "sockets" / "0123.sock").exists()
    assert keep(rig.operator()).ask("help")["ok"]


class Stray(Message, frozen=True, kw_only=True, gc=False):
    """What nobody tells a socket actor."""


@pytest.mark.crashes
def test_after_a_crash_windows_get_new_doors_and_the_operators_is_there_again(rig: Rig, keep: Keep) -> None:
    old = rig.door()
    rig.system.tell(SOCKET, CRASH)

    new = rig.door()

    assert new != old
    assert keep(Client(new)).ask("look", {"query": "q"})["ok"]
    assert keep(rig.operator()).ask("help")["ok"]


@pytest.mark.crashes
@pytest.mark.parametrize("is_over_that", [True, False])
def test_after_a_crash_doors_are_tended_as_often_as_before(
    make_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch, *, is_over_that: bool
) -> None:
    tend, failed = SocketActor._tend, list[SocketActor]()

    def fail_once(actor: SocketActor) -> None:
        failed.append(actor)
        if len(failed) == 1:
            raise RuntimeError("a defect")
        tend(actor)

    clock = ManualClock()
    rig = make_rig(clock=clock)
    old = rig.door()
    if is_over_that:
        monkeypatch.setattr(SocketActor, "_tend", fail_once)
        clock.advance(SWEEP_S)
    else:
        rig.system.tell(SOCKET, CRASH)
    (mailbox,) = (each for each in rig.system.mailboxes() if each.address == SOCKET)
    deadline = monotonic() + PATIENCE_S
    while old.exists() or mailbox.resting or mailbox.queue or mailbox.actor is None:
        assert monotonic() < deadline
        clock.advance(0.1)
        sleep(0.02)
    assert rig.door() != old
    tended: list[Message] = []
    rig.system.overhear(lambda _to, message: tended.append(message) if isinstance(message, TendDoors) else None)
    clock.advance(SWEEP_S)

    assert len(tended) == 1


def test_a_message_that_is_no_reply_hurts_nobody(rig: Rig) -> None:
    door = rig.door()
    strays: list[Any] = [Stray(), "no message at all"]
    for number, stray in enumerate(strays, 1):
        rig.system.tell(SOCKET, stray)
        assert rig.door() == door
        assert rig.system.dead_letters.counts() == {"not understood": number}
    assert rig.system.supervisor.crashes() == {}


def test_a_door_that_cannot_be_made_is_refused_with_the_reason(rig: Rig) -> None:
    rig.folder.rmdir()

    answer = rig.ask_for_door()

    assert isinstance(answer, Refused)
    assert answer.reason.endswith("cannot be opened: No such file or directory")


def test_an_answer_that_nobody_waits_for_is_dropped(rig: Rig, keep: Keep) -> None:
    rig.system.tell(SOCKET, Seen(request_id=RequestId("nobodys"), window="", query=""))

    assert keep(rig.client()).ask("look", {"query": "q"})["ok"]


def test_hundreds_of_windows_have_doors_at_once(rig: Rig, keep: Keep) -> None:
    windows = [ALICE.__class__(surface=ALICE.surface, id=str(200000000000000000 + n)) for n in range(300)]

    paths = {rig.door(window): window for window in windows}

    assert len(paths) == len(windows)
    for path, window in list(paths.items())[::50]:
        assert keep(Client(path)).ask("look", {"query": "q"})["result"]["window"] == window.address.key


def test_help_and_status_cannot_be_taken_by_others(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="verb 'status': is the socket actor's own"):
        SocketActor(SocketConfig(folder=tmp_path, verbs={}, operator_verbs={"status": Verb(OWNER, Look)}))


def test_a_door_open_names_a_socket_that_listens(rig: Rig) -> None:
    answer = rig.ask_for_door()

    assert isinstance(answer, DoorOpen)
    assert stat.S_ISSOCK(Path(answer.path).stat().st_mode)


def test_it_stops_on_a_disk_from_which_nothing_can_be_removed(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    door = rig.door()

    def read_only(path: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    with monkeypatch.context() as disk:
        disk.setattr(Path, "unlink", read_only)
        rig.system.stop()

    assert rig.system.supervisor.crashes() == {}
    assert door.exists()
