from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.reconcile import Add, Decision, Delete, Existing, Update, decide, unknown_of

TEA, LYON = Existing("id-tea", "The user likes tea"), Existing("id-lyon", "The user lives in Lyon")


def decided(
    *items: object, existing: tuple[Existing, ...] = (TEA, LYON), new: tuple[str, ...] = ("new fact",)
) -> tuple[Decision, ...]:
    return decide(json.dumps(items), existing, new)


def item(place: object, text: str, event: str) -> dict[str, object]:
    return {"id": place, "text": text, "event": event}


@pytest.mark.req("S2-61", "S2-79", "S2-80", "S2-81", "S2-82")
def test_each_event_does_what_it_says() -> None:
    found = decided(
        item(0, TEA.content, "NONE"), item(1, "The user lives in Oslo", "UPDATE"), item(2, "The user has a dog", "ADD")
    )

    assert found == (Update("id-lyon", "The user lives in Oslo"), Add("The user has a dog"))
    assert decided(item(0, TEA.content, "DELETE"), item(1, LYON.content, "NONE")) == (Delete("id-tea"),)


@pytest.mark.req("S2-60", "X-89")
def test_what_is_missing_or_unknown_changes_nothing() -> None:
    assert decided(item(0, TEA.content, "NONE")) == ()
    assert (
        decided(
            item(7, "x", "DELETE"), item(-1, "x", "DELETE"), item("id-tea", "x", "DELETE"), item(True, "x", "DELETE")
        )
        == ()
    )
    assert decided(item(0, "x", "EXPLODE")) == ()


def test_an_id_may_be_a_number_in_quotes_and_counts_once() -> None:
    assert decided(item("1", "a", "UPDATE"), item(1, "b", "UPDATE"), item(1, "", "DELETE")) == (Update("id-lyon", "a"),)


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
    assert decided(
        item(2, "THE USER likes tea", "ADD"), item(3, "dog", "ADD"), item(4, "dog", "ADD"), new=("1", "2", "3")
    ) == (Add("dog"),)
    assert unknown_of(("a", "A ", "b"), (Existing("i", "b"),)) == ("a",)


def test_a_change_to_the_same_words_is_none_and_one_to_those_of_another_ends_it() -> None:
    assert decided(item(0, "the user LIKES tea", "UPDATE")) == ()
    assert decided(item(0, LYON.content, "UPDATE")) == (Delete("id-tea"),)


def test_of_facts_that_say_the_same_one_always_stays() -> None:
    swapped = item(0, LYON.content, "UPDATE"), item(1, TEA.content, "UPDATE")
    moved = item(0, LYON.content, "UPDATE"), item(1, "", "DELETE")
    renewed = item(0, TEA.content, "DELETE"), item(2, TEA.content, "ADD")
    joined = item(0, "both", "UPDATE"), item(1, "both", "UPDATE"), item(2, "Both", "ADD")

    assert decided(*swapped) == (Update("id-tea", LYON.content), Update("id-lyon", TEA.content))
    assert decided(*moved) == (Update("id-tea", LYON.content), Delete("id-lyon"))
    assert decided(*renewed) == (Delete("id-tea"), Add(TEA.content))
    assert decided(*joined) == (Update("id-tea", "both"), Delete("id-lyon"))


EVENTS = st.sampled_from(["ADD", "UPDATE", "DELETE", "NONE", "?"])
WORDS = st.sampled_from(["a", "b", "A ", "c", "d", ""])


@given(st.lists(st.builds(item, st.integers(-1, 4), WORDS, EVENTS), min_size=1), st.lists(WORDS.filter(bool)))
def test_each_fact_is_changed_once_and_nothing_is_said_twice_that_was_not(items: list[object], new: list[str]) -> None:
    existing = [Existing(f"id-{text}", text) for text in "abc"]
    decisions = decided(*items, existing=tuple(existing), new=tuple(new))
    changed = [each.id for each in decisions if not isinstance(each, Add)]
    left = [each.content for each in existing if each.id not in changed]
    left += [each.text for each in decisions if not isinstance(each, Delete)]

    assert len(changed) == len(set(changed))
    assert len({text.strip().casefold() for text in left}) == len(left)
    assert sum(isinstance(each, Add) for each in decisions) <= len(new)


def test_what_a_model_thought_before_it_answered_counts_for_nothing() -> None:
    thought = json.dumps([item(0, "x", "DELETE")])

    assert decide(f"<think>{thought}</think>{json.dumps([item(0, 'x', 'NONE')])}", (TEA,), ("a",)) == ()
    assert decide(f"As [1] says: {thought}", (TEA,), ("a",)) == (Delete("id-tea"),)


def test_half_a_character_is_marked_for_no_file_can_hold_it() -> None:
    assert decided(item(2, "dog \ud83d", "ADD")) == (Add("dog \ufffd"),)


def test_no_more_is_added_than_was_new() -> None:
    assert decided(*(item(2 + n, f"fact {n}", "ADD") for n in range(9)), new=("a", "b")) == (
        Add("fact 0"),
        Add("fact 1"),
    )


def test_a_fenced_reply_is_understood() -> None:
    assert decide('```json\n[{"id": 0, "text": "x", "event": "delete"}]\n```', (TEA,), ("a",)) == (Delete("id-tea"),)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "text", "event", "x"]), inner),
    )
)
def test_nothing_that_a_model_says_is_an_error(reply: object) -> None:
    for decision in decide(json.dumps(reply), (TEA, LYON), ("a",)):
        assert isinstance(decision, Add) or decision.id in ("id-tea", "id-lyon")
