from __future__ import annotations

import pytest

from lab.playground.world import defaults
from messages.base import MessageId
from messages.discord import ReactionKind, ShowReaction
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, timing, until

REACTIONS = "/reactions/"


@pytest.fixture
def life(start_life: StartLife) -> Life:
    return start_life(timing=timing(reaction_after_s=0.2, reaction_every_s=0.02))


def show(life: Life, message_id: int, kind: ReactionKind) -> None:
    life.tell(ShowReaction(window=GENERAL, message_id=MessageId(str(message_id)), kind=kind))


def shown(life: Life, message_id: int) -> list[str]:
    (message,) = [m for m in life.playground.messages(defaults.GENERAL_ID) if m["id"] == str(message_id)]
    return [reaction["emoji"]["name"] for reaction in message.get("reactions") or []]


def calls(life: Life) -> list[str]:
    return [record.method for record in life.playground.requests(path_part=REACTIONS)]


@pytest.mark.parametrize(("end", "sign"), [(ReactionKind.ANSWERED, "✅"), (ReactionKind.FAILED, "❌")])
def test_the_sign_of_work_gives_way_to_how_it_ended(life: Life, end: ReactionKind, sign: str) -> None:
    question = life.say("question")
    show(life, question, ReactionKind.TAKEN)
    until(lambda: shown(life, question) == ["👀"])
    show(life, question, end)
    until(lambda: shown(life, question) == [sign])


def test_what_is_dealt_with_soon_costs_one_call(life: Life) -> None:
    question = life.say("question")
    show(life, question, ReactionKind.TAKEN)
    show(life, question, ReactionKind.ANSWERED)
    until(lambda: shown(life, question) == ["✅"])
    other = life.say("another")
    show(life, other, ReactionKind.TAKEN)
    until(lambda: shown(life, other) == ["👀"])
    assert calls(life) == ["PUT", "PUT"]


def test_a_sign_of_an_earlier_life_is_taken_away(start_life: StartLife) -> None:
    first = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.02))
    question = first.say("question")
    show(first, question, ReactionKind.TAKEN)
    until(lambda: shown(first, question) == ["👀"])
    first.stop()
    second = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.02))
    show(second, question, ReactionKind.RESUMED)
    show(second, question, ReactionKind.ANSWERED)
    until(lambda: shown(second, question) == ["✅"])


def test_reactions_that_fail_disturb_nothing(life: Life) -> None:
    question = life.say("question")
    life.playground.inject("503", REACTIONS, times=1)
    show(life, question, ReactionKind.ANSWERED)
    show(life, 12345, ReactionKind.ANSWERED)
    life.delivered("an answer")
    other = life.say("another")
    show(life, other, ReactionKind.ANSWERED)
    until(lambda: shown(life, other) == ["✅"])


def test_one_that_comes_too_late_is_left_out_but_the_sign_of_work_goes(start_life: StartLife) -> None:
    life = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.05, reaction_late_s=-1.0))
    question = life.say("question")
    show(life, question, ReactionKind.RESUMED)
    show(life, question, ReactionKind.ANSWERED)
    until(lambda: calls(life) == ["DELETE"])
    assert shown(life, question) == []


def test_they_can_be_switched_off(start_life: StartLife) -> None:
    life = start_life(reacts=False, timing=timing(reaction_after_s=0.0))
    question = life.say("question")
    show(life, question, ReactionKind.ANSWERED)
    life.delivered("an answer")
    assert calls(life) == []


@pytest.mark.slow
def test_a_crowd_of_messages_leaves_out_the_oldest(start_life: StartLife) -> None:
    life = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.02))
    first = life.say("first")
    for _ in range(3):
        for number in range(60):
            show(life, 10_000 + number, ReactionKind.TAKEN)
    show(life, first, ReactionKind.ANSWERED)
    until(lambda: shown(life, first) == ["✅"])
    assert len(calls(life)) <= 70
