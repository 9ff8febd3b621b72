from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from messages.facts import FACTS, EntryRole
from messages.model import Role
from tests.actors.facts.rig import FactsRig


@pytest.fixture
def rig(tmp_path: Path) -> FactsRig:
    return FactsRig(tmp_path / "data")


def decisions(*items: tuple[object, str, str]) -> str:
    return json.dumps([{"id": place, "text": text, "event": event} for place, text, event in items])


@pytest.mark.req("S2-08", "S2-16", "S2-56", "S2-64")
def test_facts_are_taken_from_the_user_s_words_alone(rig: FactsRig) -> None:
    turn = rig.say("My wife is Anne", "I am the assistant and like cats")

    (asked,) = rig.model.asked
    assert asked.purpose == "facts.extract"
    assert [message.role for message in asked.messages] == [Role.USER]
    assert "cats" not in asked.system_prompt + asked.messages[0].text
    assert (asked.api_base, asked.model, asked.tools) == ("http://127.0.0.1:9/v1", "m", ())
    (fact,) = rig.entries("facts/*.md")
    (user,) = rig.entries("turns/user/*.md")
    assert (fact.role, fact.content, fact.source_id) == (EntryRole.MEMORY, "The user said: My wife is Anne", user.id)
    assert turn


@pytest.mark.req("S2-57")
def test_of_five_facts_three_are_kept(rig: FactsRig) -> None:
    rig.model.extract = lambda _: json.dumps([f"fact {n}" for n in range(5)])
    rig.say("I talk a lot")

    assert rig.facts() == ["fact 0", "fact 1", "fact 2"]


@pytest.mark.req("S2-58")
def test_a_reply_that_says_no_facts_leaves_none_and_is_not_asked_again(rig: FactsRig) -> None:
    rig.model.extract = lambda _: "I cannot do that"
    rig.say("My wife is Anne")
    rig.wait(10_000)

    assert rig.facts() == []
    assert rig.model.purposes() == ["facts.extract"]
    assert rig.figures()["owed_turns"] == 0


def test_nobody_is_asked_for_the_facts_of_words_that_say_nothing(rig: FactsRig) -> None:
    for words in ("ok", "Thanks!", "👍"):
        rig.say(words)

    assert rig.model.asked == []
    assert len(rig.turns()) == 6
    assert rig.figures()["owed_turns"] == 0


@pytest.mark.req("S2-62")
def test_the_first_facts_are_kept_without_asking(rig: FactsRig) -> None:
    rig.say("My wife is Anne")

    assert rig.model.purposes() == ["facts.extract"]


@pytest.mark.req("S2-59", "S2-60")
def test_new_facts_are_compared_with_near_ones_of_their_conversation_alone(rig: FactsRig) -> None:
    rig.add("The user likes tea")
    rig.add("The user likes coffee", conversation="other")
    shown: list[list[str]] = []

    def reconcile(existing: list[str], new: list[str]) -> str:
        shown.append([*existing, *new])
        return "[]"

    rig.model.reconcile = reconcile
    rig.model.extract = lambda _: '["The user likes cake"]'
    rig.say("I like cake and tea")

    assert shown == [["The user likes tea", "The user likes cake"]]


@pytest.mark.req("S2-64", "S2-65", "S2-66", "S2-22", "S2-28", "X-74", "X-89")
def test_decisions_are_carried_out_in_files_and_index(rig: FactsRig) -> None:
    rig.add("The user lives in Lyon")
    rig.add("The user likes tea")
    rig.model.extract = lambda _: '["The user lives in Oslo and hates tea"]'

    def reconcile(existing: list[str], _new: list[str]) -> str:
        return decisions(
            (existing.index("The user lives in Lyon"), "The user lives in Oslo", "UPDATE"),
            (existing.index("The user likes tea"), "", "DELETE"),
            (9, "The user hates tea", "ADD"),
        )

    rig.model.reconcile = reconcile
    rig.say("I moved to Oslo and hate tea now")

    assert rig.facts() == ["The user lives in Oslo", "The user hates tea"]
    new_id = rig.entries("facts/*.md")[0].id
    buried = {entry.content: entry.replaced_by for entry in rig.entries("deleted/facts/*.md")}
    assert buried == {"The user lives in Lyon": new_id, "The user likes tea": ""}
    found = {
        hit.content for hit in rig.recall("The user lives in likes tea", top_k=20).hits if hit.role is EntryRole.MEMORY
    }
    assert found == {"The user lives in Oslo", "The user hates tea"}


@pytest.mark.req("S2-63")
@pytest.mark.parametrize("trouble", ["failure", "garbage"])
def test_where_reconciliation_fails_all_is_added_and_nothing_twice(rig: FactsRig, trouble: str) -> None:
    rig.add("The user likes tea")
    rig.model.extract = lambda _: '["the user  LIKES tea", "The user has a tea pot"]'
    if trouble == "failure":
        rig.model.failures["facts.reconcile"] = "no"
    else:
        rig.model.reconcile = lambda *_: "no idea"
    rig.say("I like tea and have a tea pot")

    assert rig.facts() == ["The user likes tea", "The user has a tea pot"]


@pytest.mark.req("S2-82")
def test_a_fact_that_is_there_word_for_word_is_not_asked_about(rig: FactsRig) -> None:
    rig.add("The user likes tea")
    rig.model.extract = lambda _: '["The user likes TEA"]'
    rig.say("I like tea")

    assert rig.model.purposes() == ["facts.extract"]
    assert rig.facts() == ["The user likes tea"]


def test_without_an_embedder_facts_are_compared_with_the_newest(rig: FactsRig) -> None:
    rig.add("The user likes tea")
    rig.embedder.failure = "down"
    rig.model.extract = lambda _: '["The user likes tea", "The user has a dog"]'
    rig.say("I like tea and have a dog")

    assert rig.facts() == ["The user likes tea", "The user has a dog"]
    assert rig.model.purposes() == ["facts.extract", "facts.reconcile"]


def test_a_model_that_fails_is_asked_again_later_and_no_turn_is_lost(rig: FactsRig) -> None:
    rig.model.failures["facts.extract"] = "the server is down"
    rig.say("My wife is Anne")
    assert rig.figures()["owed_turns"] == 1
    assert "down" in rig.figures()["trouble"]

    rig.model.failures.clear()
    rig.wait(31)
    assert rig.facts() == ["The user said: My wife is Anne"]
    assert rig.figures()["owed_turns"] == 0


def test_each_of_two_turns_that_failed_is_tried_again_though_nothing_else_happens(rig: FactsRig) -> None:
    rig.model.failures["facts.extract"] = "the server is down"
    rig.say("My wife is Anne", conversation="a")
    rig.wait(10)
    rig.say("My dog is Rex", conversation="b")
    rig.model.failures.clear()
    rig.wait(20)
    assert (rig.facts("a"), rig.facts("b")) == (["The user said: My wife is Anne"], [])
    rig.wait(30)

    assert (rig.facts("a"), rig.facts("b")) == (["The user said: My wife is Anne"], ["The user said: My dog is Rex"])


def test_a_turn_is_tried_again_in_its_time_though_the_embedder_is_left_alone_for_longer(rig: FactsRig) -> None:
    rig.embedder.failure = "down"
    rig.add("The user has a cat")
    for pause_s in (30, 60, 120, 240, 480):
        rig.wait(pause_s + 1)
    rig.model.failures["facts.extract"] = "the server is down"
    rig.say("My wife is Anne")
    rig.model.failures.clear()
    rig.wait(31)

    assert "The user said: My wife is Anne" in rig.facts()


def test_a_turn_that_always_fails_does_not_hold_up_later_ones_for_ever(rig: FactsRig) -> None:
    rig.model.failing_words.add("poison")
    rig.say("I drank poison")
    rig.say("I like tea")
    assert rig.facts() == []

    for _ in range(4):
        rig.wait(1_000)
    assert rig.facts() == ["The user said: I like tea"]
    assert rig.figures()["owed_turns"] == 1


@pytest.mark.req("X-218")
def test_facts_that_a_server_refuses_for_good_are_given_up_after_a_bound_and_the_words_stay(rig: FactsRig) -> None:
    """As P0luz/Ombre-Brain#117 and parcelvoy/platform#475 report of work without a last try."""
    rig.model.failing_words.add("poison")
    rig.model.refuses = True
    rig.say("I drank poison")
    for _ in range(3 * 96):
        rig.wait(900)

    figures = rig.figures()
    assert len(rig.model.asked) == 12
    assert (figures["owed_turns"], figures["given_up"]) == (0, 1)
    assert (
        "given up after 12 tries, its words are kept: facts could not be extracted: it is poison" in figures["trouble"]
    )
    assert "I drank poison" in rig.turns()
    rig.live_again()
    assert len(rig.model.asked) == 12


@pytest.mark.req("X-218")
def test_facts_wait_a_week_for_a_server_that_is_down(rig: FactsRig) -> None:
    rig.model.failures["facts.extract"] = "down"
    rig.say("I like tea")
    rig.wait(6 * 86_400)
    assert rig.figures()["owed_turns"] == 1
    rig.wait(2 * 86_400)
    rig.be_quiet(8)

    assert (rig.figures()["owed_turns"], rig.figures()["given_up"]) == (0, 1)


@pytest.mark.req("X-218")
@pytest.mark.parametrize("is_off", [False, True])
def test_a_turn_that_seems_a_week_old_outlasts_a_failure_after_a_start_or_a_correction_of_the_clock(
    rig: FactsRig, *, is_off: bool
) -> None:
    rig.model.failures["facts.extract"] = "no network yet"
    if is_off:
        rig.model.silent.add("facts.extract")
    rig.say("I like tea")
    if is_off:
        rig.stop()
        rig.model.silent.clear()
    rig.clock.jump(timedelta(days=56 * 365))
    if is_off:
        rig.start()
    rig.wait(900)
    rig.model.failures.clear()
    rig.be_quiet(2)
    assert (rig.facts(), rig.figures()["given_up"]) == (["The user said: I like tea"], 0)


def test_turns_of_one_conversation_are_worked_on_one_after_the_other(rig: FactsRig) -> None:
    rig.model.silent.add("facts.extract")
    for number in range(3):
        rig.say(f"I have {number} cats", conversation="a")
        rig.say(f"I have {number} dogs", conversation="b")

    assert [message.messages[0].text.split('"')[1] for message in rig.model.held] == ["I have 0 cats", "I have 0 dogs"]


def test_only_a_few_conversations_are_worked_on_at_a_time(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", pipelines=2)
    rig.model.silent.add("facts.extract")
    for number in range(5):
        rig.say("I like tea", conversation=f"c{number}")

    assert len(rig.model.held) == 2


def test_an_answer_that_never_comes_counts_as_failed_after_a_time(rig: FactsRig) -> None:
    rig.model.silent.add("facts.extract")
    rig.say("My wife is Anne")
    rig.model.silent.clear()
    for _ in range(400):
        rig.wait(5)

    assert rig.facts() == ["The user said: My wife is Anne"]


@pytest.mark.parametrize("step", ["facts.extract", "facts.reconcile", "facts.summarize:brief"])
def test_a_kill_at_any_step_makes_no_fact_twice_and_loses_none(rig: FactsRig, step: str) -> None:
    long = "The user collects " + "very old stamps and coins from many countries " * 12
    rig.add("The user likes stamps")
    rig.model.extract = lambda _: json.dumps([long])
    rig.model.silent.add(step)
    rig.say("I collect stamps")
    rig.die()
    rig.model.silent.clear()
    rig.live_again()

    assert sorted(rig.facts()) == sorted(["The user likes stamps", long.strip()])
    assert rig.figures()["owed_turns"] == 0
    assert len(rig.turns()) == 2
    once = {"facts.extract": 3, "facts.reconcile": 1, "facts.summarize:brief": 1}
    assert rig.model.purposes().count("facts.extract") == once[step]


@pytest.mark.req("S2-73", "S2-74", "S2-89", "X-88", "X-93")
def test_the_oldest_facts_and_turns_go_where_there_are_too_many(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", max_entries=6, turns_a_call=1)
    for number in range(4):
        rig.say(f"I have {number} cats", f"answer {number}")

    assert len(rig.paths("facts/*.md")) + len(rig.paths("turns/*/*.md")) == 6
    assert rig.turns() == ["answer 2", "answer 3", "I have 2 cats", "I have 3 cats"]
    assert len(rig.paths("deleted/**/*.md")) == 6
    assert {path.parent.name for path in rig.paths("deleted/**/*.md")} == {"facts", "user", "assistant"}
    assert "I have 0 cats" not in {hit.content for hit in rig.recall("I have 0 cats", top_k=50).hits}


def test_other_conversations_are_not_evicted(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", max_entries=3)
    rig.say("I have 1 cat", conversation="a")
    rig.say("I have 1 dog", conversation="b")

    assert len(rig.paths("**/*.md", "a")) == len(rig.paths("**/*.md", "b")) == 3


@pytest.mark.req("S2-53", "S2-63")
@pytest.mark.parametrize("trouble", [{"failure": "down"}, {"is_silent": True}])
def test_turns_are_kept_whatever_the_embedder_does(rig: FactsRig, trouble: dict[str, Any]) -> None:
    for name, value in trouble.items():
        setattr(rig.embedder, name, value)
    rig.say("My wife is Anne")
    assert len(rig.turns()) == 2

    rig.embedder.failure, rig.embedder.is_silent = "", False
    for _ in range(60):
        rig.wait(5)
    assert {hit.role for hit in rig.recall("My wife is Anne", top_k=9).hits} >= {EntryRole.MEMORY, EntryRole.USER}


def test_settings_may_name_another_model_for_facts(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", model="small", key_name="OPENAI_API_KEY")
    rig.say("My wife is Anne")

    assert [(message.model, message.key_name) for message in rig.model.asked] == [("small", "OPENAI_API_KEY")]


def test_what_is_owed_is_told(rig: FactsRig) -> None:
    rig.model.failures["facts.extract"] = "no"
    rig.say("My wife is Anne")

    assert rig.figures()["failures"] == 1
    assert FACTS.kind == "facts"


def test_after_many_kills_a_new_turn_is_kept_before_all_that_is_owed_is_done_again(rig: FactsRig) -> None:
    rig.model.silent.add("facts.extract")
    for number in range(300):
        rig.say(f"I have {number} cats", conversation=f"c{number % 3}")
    rig.model.silent.clear()
    rig.die()

    rig.be_quiet(2)
    assert rig.figures()["owed_turns"] == 0
    assert len(rig.facts("c0")) == 100
