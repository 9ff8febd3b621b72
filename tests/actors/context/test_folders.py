"""Folders that contributors share: whose commands see them, and for how long."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from actors.context.asking.contributions import Contributions
from messages.base import Address, RequestId
from messages.model import StopReason
from messages.shell import SharedFolder
from messages.turn import PrepareTurn, TurnContribution
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type

ONE, TWO = Address("one"), Address("two")
A, B = SharedFolder(path="/a", may_write=True, kept=("x",)), SharedFolder(path="/b")


def contribution_of(by: Address, *folders: SharedFolder, block: str = "") -> TurnContribution:
    return TurnContribution(request_id=RequestId("r"), contributor=str(by), block=block, folders=folders)


def test_they_stand_in_the_contributors_order_and_belong_to_one_turn() -> None:
    contributions = Contributions((ONE, TWO))
    contributions.begin()
    contributions.take(contribution_of(TWO, B, A))
    contributions.take(contribution_of(ONE, A))
    assert contributions.folders() == (A, B, A)
    contributions.begin()
    assert contributions.folders() == ()


def test_those_of_a_late_answer_do_not_count() -> None:
    contributions = Contributions((ONE,))
    contributions.begin()
    contributions.take_late(contribution_of(ONE, A))
    assert contributions.folders() == ()


def test_an_unsound_contribution_gives_none(subtests: pytest.Subtests) -> None:
    cases: list[TurnContribution] = [
        contribution_of(ONE, A, block="nonsense"),
        msgspec.structs.replace(contribution_of(ONE), folders=None),
        msgspec.structs.replace(contribution_of(ONE), folders=("/a",)),
        msgspec.structs.replace(contribution_of(ONE), folders=({"path": "/a"},)),
        contribution_of(ONE, SharedFolder(path=5)),  # type: ignore[arg-type]
        contribution_of(ONE, SharedFolder(path="/a", kept=(5,))),  # type: ignore[arg-type]
    ]
    for contribution in cases:
        with subtests.test(contribution=contribution):
            contributions = Contributions((ONE, TWO))
            contributions.begin()
            contributions.take(contribution)
            contributions.take(contribution_of(TWO, B))
            assert contributions.folders() == (B,)


def test_commands_of_the_turn_see_those_of_its_newest_preparation(tmp_path: Path) -> None:
    rig = Rig(tmp_path, mid_turn="steer", contributors=(Address("edge", "memory"),))
    memory = rig.system.edge("memory")

    def contribute(*folders: SharedFolder) -> None:
        (prepare,) = of_type(PrepareTurn, memory.drain())
        reply = TurnContribution(request_id=prepare.request_id, contributor="edge/memory", block="", folders=folders)
        rig.tell(CHANNEL, reply)

    rig.say("do it", 1)
    contribute(A)
    rig.answer("", bash_call("1"), stop=StopReason.TOOL_CALLS)
    rig.say("in blue", 2)
    first = rig.finish_command("a")
    contribute(B, A)
    rig.answer("", bash_call("2", "call-2"), stop=StopReason.TOOL_CALLS)
    second = rig.finish_command("b")
    rig.answer("done")
    rig.say("more", 3)
    contribute()
    rig.answer("", bash_call("3", "call-3"), stop=StopReason.TOOL_CALLS)
    third = rig.finish_command("c")

    assert [command.folders for command in (first, second, third)] == [(A,), (B, A), ()]
    rig.stop()
