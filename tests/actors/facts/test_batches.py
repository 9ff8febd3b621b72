"""Turns whose facts are extracted together: at what price, how soon, and with what kept over kills and forgetting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from messages.facts import FACTS, EntryForgotten, EntryRole, ForgetEntry
from tests.actors.facts.rig import FactsRig

BETWEEN_S = 60.0


@pytest.fixture
def rig(tmp_path: Path) -> FactsRig:
    return FactsRig(tmp_path / "data")


def talk(rig: FactsRig, turns: int, first: int = 0) -> list[str]:
    """Say so many things, a minute apart; gives the facts that are owed for them."""
    for number in range(first, first + turns):
        rig.say(f"I have {number} cats", turn=f"turn-{number}")
        rig.wait(BETWEEN_S)
    return [f"The user said: I have {number} cats" for number in range(first, first + turns)]


@pytest.mark.req("X-232")
def test_upkeep_costs_one_call_in_five_turns_and_loses_no_fact_whatever_the_model_does(tmp_path: Path) -> None:
    """As QwenLM/qwen-code#11471 reports of a call each turn, and SlimeBoyOwO/LingChat#564 of turns lost by a failure."""
    failures = []
    for mode in ("good", "failing", "refusing", "hanging", "garbage"):
        rig = FactsRig(tmp_path / mode)
        if mode in ("failing", "refusing"):
            rig.model.failures["facts.extract"] = "down"
            rig.model.refuses = mode == "refusing"
        elif mode == "hanging":
            rig.model.silent.add("facts.extract")
        elif mode == "garbage":
            rig.model.answers["facts.extract"] = "I would rather not."
        expected = talk(rig, 40)
        calls = len(rig.model.asked)
        if calls > 8:
            failures.append(f"{mode}: {calls} calls in 40 turns")
        rig.model.failures.clear()
        rig.model.silent.clear()
        rig.model.answers.clear()
        rig.be_quiet(6)
        kept = rig.facts()
        if sorted(kept) != sorted(expected) and mode != "garbage":
            failures.append(f"{mode}: {len(kept)} facts of {len(expected)}, {len(set(kept))} different")
        if rig.figures()["owed_turns"]:
            failures.append(f"{mode}: {rig.figures()['owed_turns']} turns are owed")
        rig.stop()
    assert not failures


@pytest.mark.req("X-232")
def test_each_fact_of_a_batch_names_its_own_turn(rig: FactsRig) -> None:
    """As vellum-ai/vellum-assistant#22262 and joshuaswarren/remnic#401 report of one source and time for a batch."""
    talk(rig, 15)
    rig.be_quiet(1)
    words = {entry.id: entry.content for entry in rig.entries("turns/user/*.md")}
    facts = rig.entries("facts/*.md")
    assert len(facts) == 15
    assert [fact.content for fact in facts if fact.content != f"The user said: {words[fact.source_id]}"] == []
    assert len({fact.created_at for fact in facts}) == 15
    assert [fact.content for fact in facts] == [f"The user said: I have {number} cats" for number in range(15)]


@pytest.mark.req("X-232")
def test_first_turns_a_wish_and_a_silence_bring_facts_soon(rig: FactsRig) -> None:
    rig.say("I have 1 cat")
    assert len(rig.facts()) == 1
    rig.say("I have 2 dogs")
    assert len(rig.facts()) == 2
    rig.say("I have 3 birds")
    assert len(rig.facts()) == 2
    rig.say("Please remember that I am allergic to nuts")
    assert len(rig.facts()) == 4
    rig.say("I have 4 fish")
    rig.be_quiet(1)
    assert len(rig.facts()) == 5


@pytest.mark.req("X-232")
@pytest.mark.parametrize("step", ["facts.extract", "facts.reconcile"])
def test_a_kill_within_a_batch_makes_no_fact_twice_and_loses_none(rig: FactsRig, step: str) -> None:
    """As fluent/fluentd#2302 reports of a buffer that waits for new data after a restart."""
    expected = talk(rig, 2)
    rig.model.silent.add(step)
    expected += talk(rig, 10, first=2)
    rig.be_quiet(1)
    rig.die()
    rig.die()
    rig.model.silent.clear()
    asked = len(rig.model.asked)
    rig.die()
    assert sorted(rig.facts()) == sorted(expected)
    assert rig.figures()["owed_turns"] == 0
    assert len(rig.model.asked) - asked <= 3, "one batch, at once"


@pytest.mark.req("X-232")
@pytest.mark.parametrize("when", ["waits", "is read", "is compared"])
def test_a_turn_that_is_forgotten_while_its_batch_waits_leaves_no_byte_and_costs_no_other(
    rig: FactsRig, when: str
) -> None:
    talk(rig, 2)
    if when != "waits":
        rig.model.silent.add("facts.extract" if when == "is read" else "facts.reconcile")
    talk(rig, 3, first=2)
    rig.say("I have a secret zebra")
    if when != "waits":
        rig.be_quiet(1)
        assert rig.model.held
    (secret,) = [entry for entry in rig.entries("turns/user/*.md") if "zebra" in entry.content]
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=secret.id, for_good=True)
    rig.model.silent.clear()
    rig.answer_held()
    rig.be_quiet(2)
    assert len(rig.facts()) == 5
    left = [path for path in rig.memory.rglob("*") if path.is_file() and b"zebra" in path.read_bytes()]
    assert left == []
    found = rig.recall("zebra", top_k=50).hits
    assert [hit.content for hit in found if "zebra" in hit.content] == []


@pytest.mark.req("X-232")
def test_a_fact_that_is_forgotten_while_a_turn_is_compared_with_it_lives_on_in_no_update(rig: FactsRig) -> None:
    fact = rig.add("The user keeps a zebra")
    rig.model.silent.add("facts.reconcile")
    rig.model.reconcile = lambda old, new: json.dumps(
        [{"id": place, "text": f"{text}. {new[0]}", "event": "UPDATE"} for place, text in enumerate(old)]
        or [{"id": 0, "text": new[0], "event": "ADD"}]
    )
    rig.say("I keep 3 cats")
    assert rig.model.held
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=fact.id, for_good=True)
    (words,) = rig.entries("turns/user/*.md")
    rig.model.silent.clear()
    rig.answer_held()
    rig.be_quiet(2)
    assert rig.facts() == [f"The user said: {words.content}"]


@pytest.mark.req("X-232")
def test_words_that_are_forgotten_while_a_batch_is_read_live_on_in_no_fact_of_another_turn(rig: FactsRig) -> None:
    talk(rig, 2)
    rig.model.extract_several = lambda said: json.dumps(
        [{"message": each["message"], "fact": " ".join(other["text"] for other in said)} for each in said]
    )
    rig.model.silent.add("facts.extract")
    rig.say("I keep a zebra")
    rig.say("It eats hay")
    rig.wait(600)
    assert rig.model.held
    (secret,) = [entry for entry in rig.entries("turns/user/*.md") if "zebra" in entry.content]
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=secret.id, for_good=True)
    rig.model.silent.clear()
    rig.answer_held()
    rig.be_quiet(2)
    assert [fact for fact in rig.facts() if "zebra" in fact] == []
    assert "The user said: It eats hay" in rig.facts()


@pytest.mark.req("X-232")
@pytest.mark.parametrize("step", ["facts.extract", "facts.reconcile"])
def test_an_old_turn_is_not_given_up_because_an_entry_is_forgotten_meanwhile(rig: FactsRig, step: str) -> None:
    fact = rig.add("The user keeps a zebra")
    rig.model.silent.add("facts.extract")
    rig.say("I keep 3 cats")
    rig.stop()
    rig.clock.advance(8 * 86_400)
    rig.model.silent, rig.model.held = {step}, []
    rig.start()
    assert rig.model.held
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id=fact.id, for_good=True)
    rig.model.silent.clear()
    rig.answer_held()
    rig.be_quiet(1)
    assert (rig.facts(), rig.figures()["given_up"]) == (["The user said: I keep 3 cats"], 0)


@pytest.mark.req("X-232")
def test_one_message_that_no_model_takes_costs_the_others_of_its_batch_nothing(rig: FactsRig) -> None:
    """As vectorize-io/hindsight#601 and MemMachine/MemMachine#1513 report of batches that one message spoils."""
    talk(rig, 2)
    rig.model.failing_words.add("poison")
    expected = talk(rig, 4, first=2)
    rig.say("I drank poison")
    expected += talk(rig, 4, first=6)
    rig.be_quiet(12)
    assert set(expected) <= set(rig.facts())
    assert rig.figures()["owed_turns"] == 1
    rig.model.failing_words.clear()
    rig.be_quiet(2)
    assert "The user said: I drank poison" in rig.facts()


@pytest.mark.req("X-232")
def test_a_model_that_lists_facts_alone_or_no_list_for_several_still_gives_each_turn_its_own(tmp_path: Path) -> None:
    for plain in ("alone", "none"):
        rig = FactsRig(tmp_path / plain)
        talk(rig, 2)
        sizes: list[int] = []

        def several(said: list[dict[str, str]], plain: str = plain, sizes: list[int] = sizes) -> str:
            sizes.append(len(said))
            facts = [f"The user said: {each['text']}" for each in said]
            return json.dumps(facts) if plain == "alone" else "I can read one message at a time."

        rig.model.extract_several = several
        expected = talk(rig, 6, first=2)
        rig.be_quiet(12)
        words = {entry.id: entry.content for entry in rig.entries("turns/user/*.md")}
        facts = rig.entries("facts/*.md")
        assert set(expected) <= {fact.content for fact in facts}
        assert sizes[0] == 6
        assert max(sizes[1:], default=0) < 6, "no batch as large as the one that could not be read"
        assert [fact for fact in facts if fact.content != f"The user said: {words[fact.source_id]}"] == []
        rig.stop()


@pytest.mark.req("X-232", "S2-70")
def test_a_summary_that_is_put_off_is_owed_over_a_kill_and_made_in_the_next_silence(rig: FactsRig) -> None:
    numbers = iter(range(100))
    rig.model.extract = lambda _: json.dumps([f"The user keeps box {next(numbers)} " + "of very old stamps " * 20])
    talk(rig, 4)
    asked = rig.model.purposes()
    assert asked[-1] == "facts.reconcile", "no summary behind two calls that were overdrawn"
    assert rig.figures()["owed_turns"] >= 1
    made = len(rig.facts())
    rig.model.silent.update(("facts.extract", "facts.reconcile"))
    rig.die()
    rig.model.silent.clear()
    rig.be_quiet(3)
    assert rig.model.purposes()[-1].startswith("facts.summarize")
    assert rig.figures()["owed_turns"] == 0
    assert len(rig.facts()) >= made


@pytest.mark.req("X-232")
def test_a_replaced_answer_and_words_that_say_nothing_wait_for_no_batch(rig: FactsRig) -> None:
    talk(rig, 3)
    rig.say("Who has birds?", "Bob", answer_before="I see.")
    asked = len(rig.model.asked)
    rig.say("Who has birds?", "Anne", answer_before="I see.")
    rig.say("ok", "Fine")
    assert "Bob" not in rig.turns()
    assert "Anne" in rig.turns()
    assert len(rig.model.asked) == asked
    assert rig.recall("birds", top_k=9).hits
    assert {hit.role for hit in rig.recall("I have 2 cats", top_k=9).hits} >= {EntryRole.USER}, "words wait for nothing"
