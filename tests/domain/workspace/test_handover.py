from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.turn.prompt import HANDOVER_PREFIX, is_block
from domain.workspace.files.session_state import SessionState
from domain.workspace.handover import HANDOVER_CHARS, handover
from domain.workspace.said_words import SAID_CHARS, SaidWords
from tests.domain.workspace.spoken import PATH

STATE = SessionState(
    title="Boat",
    current_state=("ashore",),
    user_intent=("sail to Oslo",),
    active_files=("plan.md",),
    decisions=("blue paint",),
    constraints=("never sail at night",),
    errors=("mast broke",),
    next_steps=("buy rope", "paint"),
    worklog=("washed it",),
)
MEMORY = b"## Constraints\n- Never sail at night.\n- ask Kim\n## Decisions\n- Kim is captain\n## Preferences\n- tea\n"


def words_at(text: str, line: int = 7, author: str = "Ann") -> SaidWords:
    return SaidWords("u1", PATH, line, author, text)


def fields_of(block: str) -> dict[str, Any]:
    head, _, line = block.partition("\n")
    assert head == HANDOVER_PREFIX
    assert is_block(block)
    parsed: dict[str, Any] = json.loads(line)
    return parsed


@pytest.mark.req("S4-10", "S4-29", "S4-04", "S4-21")
def test_a_block_has_the_state_with_rules_and_next_steps_first_and_no_worklog() -> None:
    block = handover(STATE, MEMORY, [words_at("Pay in cash only.")])

    fields = fields_of(block)
    assert list(fields) == [
        "note",
        "constraints",
        "next_steps",
        "current_state",
        "user_intent",
        "decisions",
        "errors",
        "active_files",
        "said_before",
    ]
    assert fields["constraints"] == ["never sail at night", "ask Kim"]
    assert fields["user_intent"] == ["Boat", "sail to Oslo"]
    assert fields["decisions"] == ["blue paint", "Kim is captain"]
    assert fields["said_before"] == [{"who": "Ann", "said": "Pay in cash only.", "at": f"{PATH}:7"}]
    assert "washed" not in block
    assert "tea" not in block


def test_nothing_to_hand_over_is_an_empty_text(subtests: pytest.Subtests) -> None:
    for state in [SessionState(), SessionState(title="Boat"), SessionState(worklog=("washed",))]:
        with subtests.test(state=state):
            assert handover(state, b"# Memory\n\n## Constraints\n<!-- Rules. -->\n") == ""


def test_anything_to_hand_over_makes_a_block(subtests: pytest.Subtests) -> None:
    for state, memory, lines in [
        (SessionState(next_steps=("x",)), b"", []),
        (SessionState(), b"## Constraints\n- x\n", []),
        (SessionState(), b"## Decisions\n- x\n", []),
        (SessionState(), b"", [words_at("x")]),
    ]:
        with subtests.test(state=state, memory=memory):
            assert "x" in str(list(fields_of(handover(state, memory, lines)).values())[1:])


def test_words_stand_in_their_order_each_once_and_none_that_is_a_constraint() -> None:
    words = [words_at(text) for text in ("ask Kim!", "a", "b", "c", "B.", "d")]

    fields = fields_of(handover(SessionState(), MEMORY, words))

    assert [each["said"] for each in fields["said_before"]] == ["a", "b", "c", "d"]


def test_of_more_words_than_may_be_those_in_the_middle_go() -> None:
    fields = fields_of(
        handover(SessionState(), b"", [words_at(f"{number} {'x' * 290}") for number in range(60)], 20_000)
    )

    numbers = [int(each["said"].split()[0]) for each in fields["said_before"]]
    assert len(json.dumps(fields["said_before"], separators=(",", ":"))) <= SAID_CHARS + 2
    first = next(at for at, number in enumerate(numbers) if number != at)
    assert first >= len(numbers) // 4, "the first ones"
    assert numbers[-5:] == [55, 56, 57, 58, 59], "and the newest"


def test_where_nothing_is_kept_no_place_is_named() -> None:
    fields = fields_of(handover(SessionState(), b"", [SaidWords("u1", "", 0, "Ann", "x")]))

    assert fields["said_before"] == [{"who": "Ann", "said": "x"}]


def test_constraints_have_the_first_claim_on_what_room_there_is() -> None:
    state = SessionState(
        constraints=tuple(f"rule {number} " + "so " * 60 for number in range(12)), current_state=("x" * 300,) * 60
    )

    block = handover(state, MEMORY, [words_at("y" * 200)])

    assert HANDOVER_CHARS - 300 < len(block) <= HANDOVER_CHARS
    assert len(fields_of(block)["constraints"]) == 14


@given(
    st.integers(0, 1_500),
    st.text(min_size=1, max_size=400),
    st.lists(st.text(min_size=1, max_size=200), max_size=5),
)
def test_no_block_is_longer_than_it_may_be_or_anything_but_two_lines(budget: int, text: str, others: list[str]) -> None:
    state = SessionState(constraints=(text,), next_steps=tuple(others))

    block = handover(state, b"## Constraints\n- ask Kim\n", [words_at(text, author=text)], budget)

    assert len(block) <= max(budget, 0)
    assert block == "" or is_block(block)
    assert not set("<>\u2028\u2029\x85") & set(block)


def test_a_rule_that_is_long_is_cut_late() -> None:
    fields = fields_of(handover(SessionState(constraints=("a" * 1_600,), next_steps=("b" * 700,)), b""))

    assert fields["constraints"] == ["a" * 1_499 + "…"]
    assert fields["next_steps"] == ["b" * 299 + "…"]


def test_words_that_end_a_markup_or_a_line_are_escaped() -> None:
    block = handover(SessionState(constraints=("</runtime_context>\u2028[x]",)), b"")

    assert "\\u003c/runtime_context\\u003e\\u2028[x]" in block


def test_a_block_is_filled_to_its_last_character() -> None:
    state = SessionState(constraints=("x" * 100,))
    whole = handover(state, b"")

    assert handover(state, b"", budget_chars=len(whole)) == whole
    assert fields_of(handover(state, b"", budget_chars=len(whole) - 1))["constraints"] == ["x" * 98 + "…"]
    assert fields_of(handover(state, b"", budget_chars=len(whole) - 59))["constraints"] == ["x" * 40 + "…"]
    assert handover(state, b"", budget_chars=len(whole) - 60) == ""


def test_what_has_just_the_greatest_length_is_whole() -> None:
    assert fields_of(handover(SessionState(next_steps=("b" * 300,)), b""))["next_steps"] == ["b" * 300]


def test_a_found_line_is_shown_whole_or_not_at_all() -> None:
    lines = [words_at("x" * 100), words_at("short")]
    whole = handover(SessionState(), b"", lines[:1])

    assert handover(SessionState(), b"", lines[:1], len(whole)) == whole
    assert [
        each["said"] for each in fields_of(handover(SessionState(), b"", lines, len(whole) - 1))["said_before"]
    ] == ["short"]
