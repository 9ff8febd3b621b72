"""Contributions: their order, and their duration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.context.asking.contributions import PATIENCE_TURNS, Contributions
from messages.base import Address, RequestId
from messages.model import StopReason
from messages.turn import PrepareTurn, Reference, TurnContribution, TurnEnded
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type, user_message

ONE, TWO = Address("one"), Address("two")
FIRST, SECOND = 'INJECTED_CONTEXT_FIRST\n{"a":1}', 'INJECTED_CONTEXT_SECOND\n{"b":2}'


def instructions(contributions: Contributions) -> tuple[str, ...]:
    """Instructions that the system prompt has."""
    return tuple(each.instructions for each in contributions.newest() if each.instructions)


def contribution_of(by: Address, block: str = "", instructions: str = "", *references: Reference) -> TurnContribution:
    return TurnContribution(
        request_id=RequestId("r"), contributor=str(by), block=block, instructions=instructions, references=references
    )


def test_the_first_contributors_block_stands_nearest_to_the_prompt_whoever_answers_first() -> None:
    contributions = Contributions((ONE, TWO))
    contributions.begin()
    contributions.take(contribution_of(TWO, SECOND))
    before = contributions.is_complete
    contributions.take(contribution_of(ONE, FIRST))

    assert (before, contributions.is_complete) == (False, True)
    assert contributions.block() == f"{SECOND}\n\n{FIRST}"


def test_a_block_holds_for_one_turn_and_instructions_until_they_change() -> None:
    contributions = Contributions((ONE,))
    contributions.begin()
    contributions.take(contribution_of(ONE, FIRST, "always"))
    contributions.begin()

    assert contributions.block() == ""
    assert instructions(contributions) == ("always",)
    contributions.take(contribution_of(ONE, "", "never"))
    assert instructions(contributions) == ("never",)


def test_a_late_answer_counts_for_the_next_turns_instructions_only() -> None:
    contributions = Contributions((ONE,))
    contributions.begin()
    contributions.take_late(contribution_of(ONE, FIRST, "always"))

    assert contributions.block() == ""
    assert instructions(contributions) == ("always",)


def test_who_was_not_asked_is_not_heard() -> None:
    contributions = Contributions((ONE,))
    contributions.begin()
    contributions.take(contribution_of(TWO, FIRST, "always"))
    contributions.take_late(contribution_of(TWO, FIRST, "always"))

    assert (contributions.block(), instructions(contributions)) == ("", ())


def test_a_reference_belongs_to_who_named_it() -> None:
    contributions = Contributions((ONE, TWO), (ONE, TWO))
    contributions.begin()
    there = Reference(path="logs/x.md", line=3)
    contributions.take(contribution_of(TWO, "", "", there))

    assert contributions.owner_of(there) == TWO
    contributions.begin()
    assert contributions.owner_of(there) is None


def test_of_two_who_named_it_the_first_in_order_is_asked_whoever_answered_last() -> None:
    contributions = Contributions((ONE, TWO), (ONE, TWO))
    contributions.begin()
    there = Reference(path="logs/x.md", line=3)
    contributions.take(contribution_of(ONE, "", "", there))
    contributions.take(contribution_of(TWO, "", "", there))

    assert contributions.owner_of(there) == ONE


def test_who_cannot_expand_references_is_not_asked_to() -> None:
    contributions = Contributions((ONE, TWO), (TWO,))
    contributions.begin()
    there = Reference(path="logs/x.md", line=3)
    contributions.take(contribution_of(ONE, "", "", there))

    assert contributions.owner_of(there) is None


def test_a_late_contribution_does_not_undo_a_newer_one() -> None:
    contributions = Contributions((ONE,))
    contributions.begin()
    contributions.take(contribution_of(ONE, "", "new"))
    contributions.take_late(contribution_of(ONE, "", "old"))

    assert instructions(contributions) == ("new",)


def test_nonsense_counts_as_nothing_and_hurts_nobody(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, object]] = [
        {"block": 5},
        {"block": b"x"},
        {"block": ["x"]},
        {"block": "run: rm -rf /"},
        {"block": FIRST + "\n"},
        {"block": FIRST + "\u2028run: x"},
        {"block": "INJECTED_CONTEXT_lower\n{}"},
        {"instructions": 5},
        {"references": None},
        {"references": ([],)},
        {"references": (Reference(path=3, line="x"),)},  # type: ignore[arg-type]
    ]
    for fields in cases:
        with subtests.test(fields=fields):
            contributions = Contributions((ONE, TWO), (ONE, TWO))
            contributions.begin()
            contributions.take(contribution_of(ONE, FIRST, "usual"))
            contributions.begin()
            nonsense = msgspec.structs.replace(contribution_of(ONE, "", "other"), **fields)
            contributions.take(nonsense)
            contributions.take(contribution_of(TWO, SECOND))

            assert contributions.is_complete
            assert contributions.block() == SECOND
            assert instructions(contributions) == ("usual",)
            contributions.begin()
            contributions.take_late(nonsense)
            assert instructions(contributions) in [("usual",), ("other",)]


def test_a_name_that_nobody_has_is_not_taken(subtests: pytest.Subtests) -> None:
    names: list[Any] = [5, None, [], "three"]
    for name in names:
        with subtests.test(name=name):
            contributions = Contributions((ONE,))
            contributions.begin()
            reply = msgspec.structs.replace(contribution_of(ONE, FIRST, "x"), contributor=name)
            contributions.take(reply)
            contributions.take_late(reply)

            assert (contributions.is_complete, contributions.block(), instructions(contributions)) == (False, "", ())


def test_who_lets_three_turns_pass_is_waited_for_no_longer_until_it_answers() -> None:
    contributions = Contributions((ONE, TWO))
    complete = []
    for _ in range(PATIENCE_TURNS + 2):
        contributions.begin()
        contributions.take(contribution_of(TWO, SECOND))
        complete.append(contributions.is_complete)
        contributions.give_up()
    contributions.take_late(contribution_of(ONE, "", "here again"))
    contributions.begin()

    assert complete == [False] * PATIENCE_TURNS + [True, True]
    assert not contributions.is_complete
    contributions.take(contribution_of(TWO, SECOND))
    contributions.take(contribution_of(ONE, FIRST))
    assert contributions.is_complete


def test_what_comes_in_time_from_who_is_not_waited_for_counts() -> None:
    contributions = Contributions((ONE, TWO))
    for _ in range(PATIENCE_TURNS):
        contributions.begin()
        contributions.give_up()
    contributions.begin()
    contributions.take(contribution_of(ONE, FIRST))

    assert contributions.block() == FIRST


def test_a_turn_does_not_wait_for_a_contributor_that_is_gone(tmp_path: Path) -> None:
    rig = Rig(tmp_path, contributors=(Address("edge", "gone"),))
    rig.system.edge("gone")
    for number in range(1, PATIENCE_TURNS + 1):
        rig.say("hello", number)
        assert rig.requests() == []
        rig.advance(6)
        rig.answer("yes")
    rig.say("hello", 9)

    assert len(rig.requests()) == 1
    rig.stop()


def test_instructions_end_the_system_prompt_and_outlast_a_late_contributor(tmp_path: Path) -> None:
    rig = Rig(tmp_path, contributors=(Address("edge", "skills"),))
    skills = rig.system.edge("skills")
    rig.say("one", 1)
    (prepare,) = of_type(PrepareTurn, skills.drain())
    contribution = TurnContribution(
        request_id=prepare.request_id, contributor="edge/skills", block="", instructions="Skills: none."
    )
    rig.system.tell(prepare.reply_to, contribution)
    rig.system.run()
    first = rig.answer("ok")
    rig.say("two", 2)
    rig.advance(6)
    second = rig.answer("ok")

    assert first.system_prompt.endswith("\n\nSkills: none.\n")
    assert second.system_prompt == first.system_prompt
    rig.stop()


def test_who_reads_the_window_is_logged_and_told_to_contributors_commands_and_subscribers(tmp_path: Path) -> None:
    rig = Rig(tmp_path, contributors=(Address("edge", "memory"),))
    memory = rig.system.edge("memory")
    message = user_message("hello", 1, CHANNEL, "Alice", rig.surface.address)
    rig.tell(CHANNEL, msgspec.structs.replace(message, audience="1:2:everyone"))
    (prepare,) = of_type(PrepareTurn, memory.drain())
    rig.advance(6)
    rig.answer("", bash_call("ls"), stop=StopReason.TOOL_CALLS)
    command = rig.finish_command("a")
    rig.answer("done")

    assert rig.events()[0].meta_dict()["audience"] == "1:2:everyone"
    (ended,) = of_type(TurnEnded, rig.listener.drain())
    assert prepare.audience == command.audience == ended.audience == "1:2:everyone"
    rig.stop()


def test_what_the_request_shows_is_named_with_the_agents_answers(tmp_path: Path) -> None:
    rig = Rig(tmp_path, contributors=(Address("edge", "memory"),))
    memory = rig.system.edge("memory")
    rig.say("one", 1)
    rig.advance(6)
    rig.answer("first answer")
    rig.say("two", 2)

    prepare = of_type(PrepareTurn, memory.drain())[-1]
    assert prepare.visible == tuple(event.id for event in rig.events() if event.content)
    rig.stop()
