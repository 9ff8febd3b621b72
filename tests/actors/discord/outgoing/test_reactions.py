from __future__ import annotations

import logging
from pathlib import Path

import pytest

from actors.discord.outgoing.signs import FILE_NAME, load_signs
from lab.playground.world import defaults
from messages.base import MessageId
from messages.discord import ReactionKind, ShowReaction
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, timing
from tests.patience import eventually

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
    eventually(lambda: shown(life, question) == ["👀"])
    show(life, question, end)
    eventually(lambda: shown(life, question) == [sign])


@pytest.mark.req("X-160")
def test_what_is_answered_soon_costs_no_call(life: Life) -> None:
    soon, other = life.say("question"), life.say("another")
    show(life, soon, ReactionKind.TAKEN)
    show(life, soon, ReactionKind.ANSWERED)
    show(life, other, ReactionKind.TAKEN)
    eventually(lambda: shown(life, other) == ["👀"])
    show(life, other, ReactionKind.ANSWERED)
    eventually(lambda: shown(life, other) == ["✅"])
    assert shown(life, soon) == []
    assert calls(life) == ["PUT", "PUT", "DELETE"]


@pytest.mark.req("X-160")
def test_a_failure_is_shown_however_soon_it_comes(life: Life) -> None:
    question = life.say("question")
    show(life, question, ReactionKind.TAKEN)
    show(life, question, ReactionKind.FAILED)
    eventually(lambda: shown(life, question) == ["❌"])
    other = life.say("another")
    show(life, other, ReactionKind.TAKEN)
    eventually(lambda: shown(life, other) == ["👀"])
    assert calls(life) == ["PUT", "PUT"]


def test_one_that_lasts_shows_it_though_many_others_are_answered_soon(life: Life) -> None:
    questions = [life.say(f"question {number}") for number in range(20)]
    lasting = life.say("a long one")
    for question in [*questions, lasting]:
        show(life, question, ReactionKind.TAKEN)
    for question in reversed(questions):
        show(life, question, ReactionKind.ANSWERED)
    eventually(lambda: shown(life, lasting) == ["👀"])
    assert calls(life) == ["PUT"]


def test_states_that_change_faster_than_they_can_be_shown_are_skipped(start_life: StartLife) -> None:
    life = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.3))
    first, second = life.say("first"), life.say("second")
    show(life, first, ReactionKind.TAKEN)
    eventually(lambda: shown(life, first) == ["👀"])
    show(life, second, ReactionKind.TAKEN)  # waits for its turn in the channel
    show(life, second, ReactionKind.ANSWERED)
    eventually(lambda: shown(life, second) == ["✅"])
    assert calls(life) == ["PUT", "PUT"]


def test_a_sign_of_work_of_which_nobody_knows_whether_it_came_is_taken_away(start_life: StartLife) -> None:
    life = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.02))
    life.playground.inject("abort-after", REACTIONS, times=2)
    question = life.say("question")
    show(life, question, ReactionKind.TAKEN)
    eventually(lambda: shown(life, question) == ["👀"])
    show(life, question, ReactionKind.ANSWERED)
    eventually(lambda: shown(life, question) == ["✅"])


def test_a_sign_that_an_earlier_life_of_the_bot_alone_left_is_taken_away(start_life: StartLife) -> None:
    """Its windows live on when this actor alone has crashed, and say nothing of an earlier life."""
    first = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.02))
    question = first.say("question")
    show(first, question, ReactionKind.TAKEN)
    eventually(lambda: shown(first, question) == ["👀"])
    first.stop()
    second = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.02))
    show(second, question, ReactionKind.ANSWERED)
    eventually(lambda: shown(second, question) == ["✅"])


@pytest.mark.parametrize(("end", "signs"), [(ReactionKind.ANSWERED, []), (ReactionKind.FAILED, ["❌"])])
def test_a_turn_that_its_window_takes_up_again_at_once_has_no_sign_of_work_that_could_be_taken_away(
    life: Life, end: ReactionKind, signs: list[str]
) -> None:
    question, other = life.say("question"), life.say("another")
    show(life, question, ReactionKind.TAKEN)
    show(life, question, ReactionKind.RESUMED)
    show(life, question, end)
    show(life, other, ReactionKind.TAKEN)
    eventually(lambda: shown(life, other) == ["👀"])
    assert shown(life, question) == signs
    assert calls(life) == ["PUT"] * (1 + len(signs))


def test_a_sign_of_work_that_discord_refused_is_not_taken_away(life: Life) -> None:
    question, other = life.say("question"), life.say("another")
    life.playground.delete(defaults.GENERAL_ID, question)
    show(life, question, ReactionKind.TAKEN)
    eventually(lambda: calls(life) == ["PUT"])
    show(life, question, ReactionKind.ANSWERED)
    show(life, other, ReactionKind.FAILED)
    eventually(lambda: shown(life, other) == ["❌"])
    assert calls(life) == ["PUT", "PUT", "PUT"]


def test_a_crowd_of_messages_leaves_out_no_failure(start_life: StartLife) -> None:
    life = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.0))
    life.playground.inject("delay", REACTIONS, times=1, delay_s=0.5)
    question = life.say("question")
    show(life, life.say("first"), ReactionKind.TAKEN)
    eventually(lambda: life.playground.counters()["faults_fired"] == 1)
    show(life, question, ReactionKind.FAILED)
    for number in range(60):
        show(life, 10_000 + number, ReactionKind.TAKEN)
    eventually(lambda: shown(life, question) == ["❌"])


def test_a_sign_of_an_earlier_life_is_taken_away(start_life: StartLife) -> None:
    first = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.02))
    question = first.say("question")
    show(first, question, ReactionKind.TAKEN)
    eventually(lambda: shown(first, question) == ["👀"])
    first.stop()
    second = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.02))
    show(second, question, ReactionKind.RESUMED)
    show(second, question, ReactionKind.ANSWERED)
    eventually(lambda: shown(second, question) == ["✅"])


def test_reactions_that_fail_disturb_nothing(life: Life) -> None:
    question = life.say("question")
    life.playground.inject("503", REACTIONS, times=1)
    show(life, question, ReactionKind.ANSWERED)
    show(life, 12345, ReactionKind.ANSWERED)
    life.delivered("an answer")
    other = life.say("another")
    show(life, other, ReactionKind.ANSWERED)
    eventually(lambda: shown(life, other) == ["✅"])


def test_one_that_comes_too_late_is_left_out_but_the_sign_of_work_goes(start_life: StartLife) -> None:
    life = start_life(timing=timing(reaction_after_s=0.0, reaction_every_s=0.05, reaction_late_s=-1.0))
    question = life.say("question")
    show(life, question, ReactionKind.RESUMED)
    show(life, question, ReactionKind.ANSWERED)
    eventually(lambda: calls(life) == ["DELETE"])
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
    eventually(lambda: shown(life, first) == ["✅"])
    assert len(calls(life)) <= 70


# kills


def lasting(start_life: StartLife, root: Path, **timings: float) -> Life:
    """A life on a data root, which knows what the one before left."""
    times = timing(**({"reaction_after_s": 0.0, "reaction_every_s": 0.02, "signs_left_s": 0.5} | timings))
    return start_life(timing=times, data_root=root, signs=load_signs(root))


@pytest.mark.req("X-160")
def test_a_sign_that_a_killed_life_left_is_taken_away(start_life: StartLife, tmp_path: Path) -> None:
    life = lasting(start_life, tmp_path)
    question = life.say("question")
    show(life, question, ReactionKind.TAKEN)
    eventually(lambda: shown(life, question) == ["👀"])
    life.stop()  # before anybody said how it ended

    life = lasting(start_life, tmp_path)
    eventually(lambda: shown(life, question) == [])
    eventually(lambda: load_signs(tmp_path) == ())


def test_a_turn_that_goes_on_keeps_its_sign(start_life: StartLife, tmp_path: Path) -> None:
    life = lasting(start_life, tmp_path)
    resumed, left = life.say("resumed"), life.say("left")
    for question in (resumed, left):
        show(life, question, ReactionKind.TAKEN)
        eventually(lambda question=question: shown(life, question) == ["👀"])  # type: ignore[misc]
    life.stop()

    life = lasting(start_life, tmp_path)
    show(life, resumed, ReactionKind.RESUMED)
    eventually(lambda: shown(life, left) == [])
    assert shown(life, resumed) == ["👀"]
    show(life, resumed, ReactionKind.ANSWERED)
    eventually(lambda: shown(life, resumed) == ["✅"])
    eventually(lambda: load_signs(tmp_path) == ())


def test_a_sign_is_on_the_disk_before_it_is_shown_and_until_it_is_gone(start_life: StartLife, tmp_path: Path) -> None:
    life = lasting(start_life, tmp_path)
    question = life.say("question")
    show(life, question, ReactionKind.TAKEN)
    eventually(lambda: "PUT" in calls(life))
    assert load_signs(tmp_path) == ((str(defaults.GENERAL_ID), str(question)),)
    show(life, question, ReactionKind.FAILED)
    eventually(lambda: shown(life, question) == ["❌"])
    eventually(lambda: load_signs(tmp_path) == ())


def test_without_a_file_signs_are_shown_and_the_log_says_so_once(
    start_life: StartLife, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / f".{FILE_NAME}.new").mkdir()
    life = lasting(start_life, tmp_path)
    for question in (life.say("one"), life.say("two")):
        show(life, question, ReactionKind.TAKEN)
        eventually(lambda question=question: shown(life, question) == ["👀"])  # type: ignore[misc]
        show(life, question, ReactionKind.ANSWERED)
        eventually(lambda question=question: shown(life, question) == ["✅"])  # type: ignore[misc]
    life.stop()

    said = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(said) == 1
    assert said[0].startswith(f"{FILE_NAME} cannot be written")
