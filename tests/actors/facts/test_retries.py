"""Questions that clients ask again: after a kill, after a broken answer, and for another answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from messages.facts import FACTS, EntryForgotten, ForgetEntry
from tests.actors.facts.rig import FactsRig

ASKED = "My wife is Anne, who am I?"


@dataclass(frozen=True, slots=True)
class Case:
    """Lives of one conversation, and its live texts in the end."""

    name: str
    lives: tuple[tuple[tuple[str, str, str | None, bool], ...], ...]
    """Of each life before a kill: words, answer, answer before as the client shows it, and is over."""
    kept: list[str]


CASES = (
    Case(
        "killed within a stream, then answered at once",
        (((ASKED, "", "", False),), ((ASKED, "Bob", "", True),)),
        [ASKED, "Bob"],
    ),
    Case("killed twice", (((ASKED, "", "", False),),) * 2 + (((ASKED, "Bob", "", True),),), [ASKED, "Bob"]),
    Case(
        "killed behind the answer, before the client had it",
        (((ASKED, "Bob", "", True),), ((ASKED, "Bob", "", True),)),
        [ASKED, "Bob"],
    ),
    Case(
        "killed behind answers of two clients",
        (
            ((ASKED, "Bob", "", True), ("I like tea", "Fine", "", True)),
            ((ASKED, "Robert", "", True), ("I like tea", "Good", "", True)),
        ),
        [ASKED, "Good", "I like tea", "Robert"],
    ),
    Case(
        "the client has the answer, and says the same once more",
        (((ASKED, "Bob", "", True),), ((ASKED, "Still Bob", " Bob\n", True),)),
        [ASKED, ASKED, "Bob", "Still Bob"],
    ),
    Case(
        "asker without a history", (((ASKED, "Bob", None, True), (ASKED, "B", None, True)),), [ASKED, ASKED, "B", "Bob"]
    ),
    Case(
        "another answer is asked for, and breaks",
        (((ASKED, "Bob", "", True), (ASKED, "", "", True)),),
        [ASKED, "Bob"],
    ),
    Case(
        "something else was said since",
        (((ASKED, "Bob", "", True), ("I like tea", "Fine", "Bob", True), (ASKED, "Bob", "Fine", True)),),
        [ASKED, ASKED, "Bob", "Bob", "Fine", "I like tea"],
    ),
)


@pytest.mark.req("X-225")
@pytest.mark.parametrize("is_split", [False, True])
def test_a_question_that_is_asked_again_is_the_same_turn_over_kills(tmp_path: Path, is_split: bool) -> None:
    """As EverMind-AI/EverOS#274, anthropics/anthropic-sdk-java#370 and synergyai-nl/svelte-langgraph#299 report.

    `is_split` tells each turn in two halves, as a stream does.
    """
    failures = []
    for number, case in enumerate(CASES):
        rig = FactsRig(tmp_path / str(number), enable_summarization=False, turns_a_call=1)
        for life, said in enumerate(case.lives):
            for place, (words, answer, before, is_over) in enumerate(said):
                turn = f"t{life}.{place}"
                if is_split and is_over:
                    rig.say(words, "", turn=turn, answer_before=before, is_over=False)
                rig.say(words, answer, turn=turn, answer_before=before, is_over=is_over)
            if life < len(case.lives) - 1:
                rig.die()
        rig.wait(5)
        if sorted(rig.turns()) != sorted(case.kept):
            failures.append(f"{case.name}: {rig.turns()}")
        if len(rig.facts()) != len(set(rig.facts())):
            failures.append(f"{case.name}: {rig.facts()}")
        if rig.model.purposes().count("facts.extract") != len(rig.entries("turns/user/*.md")):
            failures.append(f"{case.name}: {rig.model.purposes()}")
        rig.stop()
    assert not failures


@pytest.mark.req("X-225")
def test_the_last_of_four_answers_counts_and_the_others_are_deleted_over_a_kill(tmp_path: Path) -> None:
    """As oneprolabs/sourcelens#207 and ConGustoAI/chat#158 report of answers that pile up."""
    rig = FactsRig(tmp_path / "data")
    for number in range(4):
        rig.say(ASKED, f"answer {number}", answer_before="")
        if number == 1:
            rig.die()
    rig.wait(5)
    assert set(rig.turns()) == {ASKED, "answer 3"}
    gone = rig.entries("deleted/turns/assistant/*.md")
    assert sorted(entry.content for entry in gone) == ["answer 0", "answer 1", "answer 2"]
    assert all(entry.replaced_by for entry in gone)
    assert rig.model.purposes().count("facts.extract") == 1
    rig.stop()


@pytest.mark.req("X-225")
def test_an_answer_is_replaced_though_a_kill_comes_between_and_its_turn_still_has_work(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data")
    rig.model.silent = {"facts.extract"}
    for answer in ("one", "two"):
        rig.say(ASKED, answer, answer_before="")
    rig.die()
    rig.model.silent.clear()
    rig.die()
    rig.wait(60)
    assert set(rig.turns()) == {ASKED, "two"}
    assert len(rig.facts()) == 1
    rig.stop()


@pytest.mark.req("X-225")
def test_the_same_words_are_another_turn_after_an_hour_elsewhere_or_when_they_were_forgotten(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data")
    rig.say(ASKED, "", answer_before="")
    rig.say(ASKED, "Bob", "d", answer_before="")
    (asked,) = rig.paths("turns/user/*.md", "d")
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=asked.stem.split("__")[1], for_good=True)
    rig.say(ASKED, "Robert", "d", answer_before="")
    assert ASKED in rig.turns("d")
    rig.wait(3_700)
    rig.say(ASKED, "Bob", answer_before="")
    assert sorted(rig.turns()) == ["Bob", ASKED, ASKED]
    rig.stop()


@pytest.mark.req("X-225")
def test_a_retry_that_comes_before_the_index_has_told_its_rows_is_the_same_turn(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data")
    rig.say(ASKED, "", answer_before="")
    rig.say("I like tea", "Fine", answer_before="")
    rig.wait(5)
    rig.index_tells_rows = False
    rig.die()
    rig.say(ASKED, "Bob", answer_before="")
    rig.say("I like tea", "Good", answer_before="")
    rig.wait(5)
    assert sorted(rig.turns()) == sorted([ASKED, "Bob", "I like tea", "Good"])
    assert rig.model.purposes().count("facts.extract") == 2
    rig.stop()
