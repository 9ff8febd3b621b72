from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.kernel import ActorSystem
from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from actors.socket.paths import listener, reachable
from actors.socket.status import system_facts
from messages.base import Address
from messages.socket import TendDoors
from tests.actors.socket.rig import ALICE, MUTE, OF_WINDOWS, OWNER, SOCKET, Client, Rig

Keep = Callable[[Client], Client]
MakeRig = Callable[..., Rig]


def test_the_operator_may_ask_for_one_window_or_for_all(rig: Rig) -> None:
    assert ask_operator(rig.root, "anywhere")["window"] == "everywhere"
    assert ask_operator(rig.root, "anywhere", window=ALICE.address.key)["window"] == ALICE.address.key


def test_a_window_that_is_none_is_refused(subtests: pytest.Subtests, rig: Rig) -> None:
    cases: list[tuple[object, str]] = [
        ("nowhere", "context key 'nowhere': <surface>/<id> is required, with surface one of "),
        (7, "window 7: <surface>/<id> is required, such as discord-thread/123"),
    ]
    for window, error in cases:
        with subtests.test(window=window, error=error):
            with pytest.raises(RefusalError) as refusal:
                ask_operator(rig.root, "anywhere", window=window)

            assert str(refusal.value).startswith(error)


def test_a_verb_that_needs_a_window_gets_the_operators_own(rig: Rig) -> None:
    assert ask_operator(rig.root, "look", query="q")["window"] == "cli/operator"


def test_where_each_window_has_its_own_actor_the_operator_says_which_or_asks_his_own(make_rig: MakeRig) -> None:
    rig = make_rig(operator_verbs=OF_WINDOWS)
    assert ask_operator(rig.root, "own", query="q", window=ALICE.address.key)["window"] == ALICE.address.key
    assert ask_operator(rig.root, "own", query="q")["window"] == "cli/operator"
    with pytest.raises(RefusalError, match="<surface>/<id> is required"):
        ask_operator(rig.root, "own", query="q", window="nowhere")


def test_a_verb_may_have_a_time_out_of_its_own(rig: Rig) -> None:
    with pytest.raises(RefusalError, match=r"silence was not answered within 0\.05 s"):
        ask_operator(rig.root, "silence", query="q")


def test_a_client_waits_no_longer_than_it_was_told(rig: Rig) -> None:
    with pytest.raises(AgentNotRunningError, match=r"did not answer within 0\.01 s"):
        ask_operator(rig.root, "silence", 0.01, query="q")


def test_nothing_is_done_without_the_key(subtests: pytest.Subtests, rig: Rig, keep: Keep) -> None:
    cases: list[str] = ["", "0" * 32, "ключ", "\ud800"]
    for key in cases:
        with subtests.test(key=key):
            client = keep(Client(rig.root / "agent.sock", key=key))

            answer = client.ask("anywhere")

            assert not answer["ok"]
            assert "result" not in answer


def test_the_operators_help_names_the_window_as_an_argument(rig: Rig) -> None:
    verbs = ask_operator(rig.root, "help")["verbs"]

    assert verbs["anywhere"]["arguments"]["window"]["required"] is False
    assert verbs["look"]["arguments"]["window"] == {"type": "<surface>/<id>", "required": False}


def test_status_gathers_what_actors_tell_of_themselves_and_names_who_is_late(make_rig: MakeRig) -> None:
    rig = make_rig(describers=(OWNER, MUTE, SOCKET), system_facts=lambda: {"windows_in_memory": 4})
    rig.door()

    status = ask_operator(rig.root, "status")

    assert status == {
        "system": {"windows_in_memory": 4},
        "actors": {
            "owner": {"rows": 3, "held": 0},
            "socket": {"doors": 1, "requests": 1, "faults": 0, "strangers": 0},
        },
        "late": ["mute"],
    }


def test_the_systems_facts_count_what_the_kernel_knows(system: ActorSystem) -> None:
    system.tell(Address("nobody"), TendDoors())

    facts = system_facts(system, datetime(2026, 1, 30, 14, 23, 45, tzinfo=UTC))

    assert facts["uptime_s"] == 10
    assert facts["windows_in_memory"] == 0
    assert facts["dead_letters"] == system.dead_letters.counts()
    assert facts["dead_letters"] != {}
    assert (facts["at_work"], facts["some_at_work"]) == (0, [])


def test_without_an_agent_the_client_says_so(tmp_path: Path) -> None:
    with pytest.raises(AgentNotRunningError, match=f"no agent is running on the data root {tmp_path}"):
        ask_operator(tmp_path, "status")


def test_what_a_killed_agent_left_is_no_running_agent(root: Path) -> None:
    listener(root / "agent.sock").close()
    (root / "agent.key").write_text("old")

    with pytest.raises(AgentNotRunningError, match="no agent is running"):
        ask_operator(root, "status")


@pytest.mark.parametrize("words", [b"", b'{"ok": tr', b"[]\n", b"7\n", b"{}\n", b'{"ok": true}\n', b'{"ok": false}\n'])
def test_an_agent_that_ends_before_it_answers_or_says_no_answer_is_named(
    root: Path, stack: ExitStack, words: bytes
) -> None:
    (root / "agent.key").write_text("key")
    socket = stack.enter_context(listener(root / "agent.sock"))
    socket.setblocking(True)
    socket.listen()

    def answer() -> None:
        with socket.accept()[0] as client:
            client.sendall(words)

    answering = threading.Thread(target=answer)
    answering.start()
    stack.callback(answering.join)

    with pytest.raises(AgentNotRunningError):
        ask_operator(root, "status")


def test_a_data_root_with_a_long_path_is_reached_all_the_same(tmp_path: Path, stack: ExitStack) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    rig = Rig(deep)
    stack.callback(rig.system.stop)

    assert ask_operator(deep, "anywhere")["window"] == "everywhere"


def test_a_short_path_is_used_as_it_is(root: Path) -> None:
    with reachable(root / "x.sock") as path:
        assert path == str(root / "x.sock")
