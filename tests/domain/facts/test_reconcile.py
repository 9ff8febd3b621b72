from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.reconcile import Add, Decision, Delete, Existing, Update, decide, unknown_of

TEA, LYON = Existing("id-tea", "The user likes tea"), Existing("id-lyon", "The user lives in Lyon")
NEW = "The owl hoots"
ADDED = (Add(NEW),)


def decision_of(
    *items: object, existing: tuple[Existing, ...] = (TEA, LYON), new: tuple[str, ...] = (NEW,)
) -> tuple[Decision, ...]:
    return decide(json.dumps(items), existing, new)


def item(place: object, text: str, event: str) -> dict[str, object]:
    return {"id": place, "text": text, "event": event}


@pytest.mark.req("S2-61", "S2-79", "S2-80", "S2-81", "S2-82")
def test_each_event_does_what_it_says() -> None:
    decision = decision_of(
        item(0, TEA.content, "NONE"),
        item(1, "The user lives in Oslo", "UPDATE"),
        item(2, "The user has a dog", "ADD"),
        new=("The user moved to Oslo", "There is a dog"),
    )

    assert decision == (Update("id-lyon", "The user lives in Oslo"), Add("The user has a dog"))
    assert decision_of(item(0, TEA.content, "DELETE"), item(1, LYON.content, "NONE"), new=()) == (Delete("id-tea"),)


@pytest.mark.req("S2-60", "X-89")
def test_missing_or_unknown_decisions_change_nothing_and_lose_nothing() -> None:
    assert decision_of(item(0, TEA.content, "NONE")) == ADDED
    assert (
        decision_of(
            item(7, "x", "DELETE"), item(-1, "x", "DELETE"), item("id-tea", "x", "DELETE"), item(True, "x", "DELETE")
        )
        == ADDED
    )
    assert decision_of(item(0, "x", "EXPLODE")) == ADDED


def test_an_id_may_be_a_number_in_quotes_and_counts_once() -> None:
    assert decision_of(item("1", "a", "UPDATE"), item(1, "b", "UPDATE"), item(1, "", "DELETE"), new=()) == (
        Update("id-lyon", "a"),
    )


@pytest.mark.req("S2-62", "S2-63", "S2-83")
def test_without_a_usable_reply_all_that_is_new_is_added(subtests: pytest.Subtests) -> None:
    cases: list[str | None] = [None, "", "no JSON", "[]", '["just", "strings"]', "{}"]
    for reply in cases:
        with subtests.test(reply=reply):
            assert decide(reply, (TEA,), ("a", "b")) == (Add("a"), Add("b"))


@pytest.mark.req("S2-62")
def test_where_nothing_exists_all_is_added() -> None:
    assert decide(None, (), ("a",)) == (Add("a"),)


@pytest.mark.req("S2-82")
def test_nothing_is_kept_twice_word_for_word() -> None:
    assert decide(None, (TEA,), ("the user likes  TEA", "b", "B")) == (Add("b"),)
    assert decision_of(
        item(2, "THE USER likes tea", "ADD"), item(3, "dog", "ADD"), item(4, "dog", "ADD"), new=("a dog",)
    ) == (Add("dog"),)
    assert unknown_of(("a", "A ", "b"), (Existing("i", "b"),)) == ("a",)


def test_a_change_to_the_same_words_is_none_and_one_to_those_of_another_ends_it() -> None:
    assert decision_of(item(0, "the user LIKES tea", "UPDATE")) == ADDED
    assert decision_of(item(0, LYON.content, "UPDATE"), new=()) == (Delete("id-tea"),)


def test_of_facts_that_say_the_same_one_always_stays() -> None:
    swapped = item(0, LYON.content, "UPDATE"), item(1, TEA.content, "UPDATE")
    moved = item(0, LYON.content, "UPDATE"), item(1, "", "DELETE")
    renewed = item(0, TEA.content, "DELETE"), item(2, TEA.content, "ADD")
    joined = item(0, "both", "UPDATE"), item(1, "both", "UPDATE"), item(2, "Both", "ADD")

    assert decision_of(*swapped, new=()) == (Update("id-tea", LYON.content), Update("id-lyon", TEA.content))
    assert decision_of(*moved, new=()) == (Update("id-tea", LYON.content), Delete("id-lyon"))
    assert decision_of(*renewed, new=()) == ()
    assert decision_of(*joined, new=("both",)) == (Update("id-tea", "both"), Delete("id-lyon"))


EVENTS = st.sampled_from(["ADD", "UPDATE", "DELETE", "NONE", "?"])
WORDS = st.sampled_from(["a", "b", "A ", "c", "d", ""])


@given(st.lists(st.builds(item, st.integers(-1, 4), WORDS, EVENTS), min_size=1), st.lists(WORDS.filter(bool)))
def test_each_fact_is_changed_once_and_nothing_is_said_twice_that_was_not(items: list[object], new: list[str]) -> None:
    existing = [Existing(f"id-{text}", text) for text in "abc"]
    decisions = decision_of(*items, existing=tuple(existing), new=tuple(new))
    changed = [each.id for each in decisions if not isinstance(each, Add)]
    left = [each.content for each in existing if each.id not in changed]
    left += [each.text for each in decisions if not isinstance(each, Delete)]

    assert len(changed) == len(set(changed))
    assert len({text.strip().casefold() for text in left}) == len(left)
    assert sum(isinstance(each, Add) for each in decisions) <= len(new)


def test_what_a_model_thought_before_it_answered_counts_for_nothing() -> None:
    thought = json.dumps([item(0, "x", "DELETE")])

    assert decide(f"<think>{thought}</think>{json.dumps([item(0, 'x', 'NONE')])}", (TEA,), ()) == ()
    assert decide(f"As [1] says: {thought}", (TEA,), ()) == (Delete("id-tea"),)


def test_half_a_character_is_marked_for_no_file_can_hold_it() -> None:
    assert decision_of(item(2, "dog \ud83d", "ADD"), new=("dog",)) == (Add("dog \ufffd"),)


def test_no_more_is_added_than_was_new() -> None:
    assert decision_of(*(item(2 + n, f"fact {n}", "ADD") for n in range(9)), new=("fact 1", "fact 8")) == (
        Add("fact 1"),
        Add("fact 8"),
    )


def test_a_fenced_reply_is_understood() -> None:
    assert decide('```json\n[{"id": 0, "text": "x", "event": "delete"}]\n```', (TEA,), ()) == (Delete("id-tea"),)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "text", "event", "x"]), inner),
    )
)
def test_nothing_that_a_model_says_is_an_error(reply: object) -> None:
    for decision in decide(json.dumps(reply), (TEA, LYON), ("a",)):
        assert isinstance(decision, Add) or decision.id in ("id-tea", "id-lyon")


REPORTED = (
    # A contradiction is answered with DELETE alone: mem0ai/mem0#4536, mem0ai/mem0#4580, mem0ai/mem0#2709.
    ("hates pizza", [item(0, "loves pizza", "DELETE")], ["hates pizza", "likes tea"]),
    # UPDATE brings the old words again instead of the new ones: mem0ai/mem0#4903.
    ("hates pizza", [item(0, "loves pizza", "UPDATE")], ["loves pizza", "likes tea", "hates pizza"]),
    # The answer names the new facts alone, or the old ones alone: basnijholt/agent-cli#109.
    ("has a dog", [item(2, "has a dog", "ADD")], ["loves pizza", "likes tea", "has a dog"]),
    ("has a dog", [item(0, "loves pizza", "NONE"), item(1, "", "NONE")], ["loves pizza", "likes tea", "has a dog"]),
    # An old fact is listed as a new one, in place of the new one.
    ("has a dog", [item(2, "likes tea", "ADD")], ["loves pizza", "likes tea", "has a dog"]),
    # The answer invents a fact.
    ("has a dog", [item(2, "owns a yacht", "ADD")], ["loves pizza", "likes tea", "has a dog"]),
    # A refinement stands for the new fact, and a merged one for both.
    (
        "loves pizza with olives",
        [item(0, "loves pizza with olives", "UPDATE")],
        ["likes tea", "loves pizza with olives"],
    ),
    # A fact that repeats an old one in other words is no fact of its own.
    ("enjoys tea", [item(2, "enjoys tea", "NONE")], ["loves pizza", "likes tea"]),
    ("\u559c\u6b22\u72d7", [item(0, "loves pizza", "DELETE")], ["likes tea", "\u559c\u6b22\u72d7"]),
)


@pytest.mark.req("X-218")
def test_replies_of_public_reports_lose_no_new_fact() -> None:
    existing = (Existing("0", "loves pizza"), Existing("1", "likes tea"))
    failures = []
    for new, items, right in REPORTED:
        got = outcome(existing, decision_of(*items, existing=existing, new=(new,)))
        failures += [f"{new}: {items}: {got}"] if sorted(got) != sorted(right) else []
    assert not failures


@pytest.mark.req("X-218")
def test_a_fact_that_is_said_again_stays() -> None:
    """As mem0ai/mem0#1674 reports; the model was not shown the fact as a new one."""
    new = (TEA.content.upper(), "The user has a dog")
    for events in (item(0, "", "DELETE"),), (item(0, "The user has a dog", "UPDATE"),):
        assert TEA.content in outcome((TEA, LYON), decision_of(*events, new=new))
    fuller = item(0, "The user likes tea with milk", "UPDATE")
    assert outcome((TEA, LYON), decision_of(fuller, new=(TEA.content, "milk"))) == [LYON.content, fuller["text"]]


def outcome(existing: tuple[Existing, ...], decisions: tuple[Decision, ...]) -> list[str]:
    """Facts after the decisions."""
    gone = {each.id for each in decisions if not isinstance(each, Add)}
    left = [each.content for each in existing if each.id not in gone]
    return left + [each.text for each in decisions if not isinstance(each, Delete)]


FACTS = st.lists(st.sampled_from(["owns bikes", "owns 2 cats", "speaks Thai", "hates rain"]), min_size=1, max_size=3)
TEXTS = st.sampled_from(
    ["owns bikes", "rides a bike", "owns 2 cats", "owns 3 cats", "speaks Thai", "likes tea", "", "x"]
)


@pytest.mark.req("X-218")
@given(st.lists(st.builds(item, st.integers(-1, 4), TEXTS, EVENTS), max_size=6), FACTS)
def test_no_reply_loses_a_fact_of_which_no_word_is_left(items: list[object], new: list[str]) -> None:
    existing = (Existing("0", "likes tea"), Existing("1", "drives a car"))
    left = outcome(existing, decision_of(*items, existing=existing, new=tuple(new)))
    named = [item["text"] for item in items if isinstance(item, dict) and item["event"] == "NONE"]
    words = {word[:4] for text in (*left, *named) for word in text.split()}

    assert [text for text in new if not words & {word[:4] for word in text.split()}] == []
