from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.directives import LONGEST_LINE, directive_score, found_lines
from tests.domain.workspace.said_lines import NO_RULES, RULES
from tests.domain.workspace.spoken import PATH, turn

words = st.sampled_from(
    ["never", "always", "if", "the", "a", "must", "no", ",", "keep", "and", "x", "only", "you", "bis", "-", "?"]
)


@pytest.mark.parametrize("line", RULES)
def test_lines_that_set_a_rule_are_found(line: str) -> None:
    assert 0 < directive_score(line) <= 1


@pytest.mark.parametrize("line", NO_RULES)
def test_what_is_told_asked_or_said_to_cheer_sets_none(line: str) -> None:
    assert directive_score(line) == 0


@pytest.mark.parametrize(
    ("plain", "stronger"),
    [
        ("Answers should be short.", "From now on answers must always be short, no exceptions."),
        ("Two reviewers per merge request.", "Never merge without two reviewers."),
        ("Never merge alone!", "Never merge alone."),
    ],
)
def test_the_surer_a_rule_is_the_higher_it_scores(plain: str, stronger: str) -> None:
    assert 0 < directive_score(plain) < directive_score(stronger)


@pytest.mark.parametrize(
    "lead", ["Please ", "Oh, and ", "Btw, ", "For the release, ", "Important: ", "Ben, ", "- ", "2) "]
)
def test_what_stands_before_a_rule_hides_it_from_nobody(lead: str) -> None:
    assert directive_score(f"{lead}never push to main.") > 0
    assert directive_score(f"It rained all day. {lead}never push to main. Bye!") > 0


def test_curly_quotes_are_quotes() -> None:
    assert directive_score("Don\u2019t post on Sundays.") == directive_score("Don't post on Sundays.") > 0


def test_lines_are_found_with_who_said_them_and_where() -> None:
    spoken = [
        turn("Hi!\n  Never  push to main.\nHow are you?", "Always at your service; never push.", "must not", line=4),
        turn("Ask me before you post.", line=9, author="Ben"),
    ]

    found = found_lines(spoken)

    assert [(each.turn_id, each.path, each.line, each.author, each.text) for each in found] == [
        ("u4", PATH, 4, "Ann", "Never push to main."),
        ("u9", PATH, 9, "Ben", "Ask me before you post."),
    ]
    assert all(each.score == directive_score(each.text) for each in found)


def test_code_and_quotations_are_nobodys_words() -> None:
    assert found_lines([turn("```\nNever push to main.\n```\n> Never push to main.\n>Never push to main.")]) == ()
    assert len(found_lines([turn("```\nx\n```\nNever push to main.")])) == 1


def test_a_long_line_is_cut_to_the_sentences_that_set_a_rule() -> None:
    talk = "We walked along the river and talked about the summer. "
    (found,) = found_lines([turn(f"{talk * 6}Never push to main. {talk}")])
    (long,) = found_lines([turn("Never push to main. " * 20)])

    assert found.text == "Never push to main."
    assert len(long.text) == LONGEST_LINE
    assert long.text.endswith("…")


@given(st.lists(words, max_size=40).map(" ".join))
def test_a_score_is_a_share(line: str) -> None:
    assert 0 <= directive_score(line) <= 1
    assert all(each.score > 0 and len(each.text) <= LONGEST_LINE for each in found_lines([turn(line)]))


@pytest.mark.parametrize("line", ["", "no", "no!", "Never.", "?", "```", "never " * 3_000, "if a, " * 2_000])
def test_what_is_short_empty_or_endless_is_no_trouble(line: str) -> None:
    assert directive_score(line) <= 1


def test_a_line_of_just_the_greatest_length_is_kept_whole() -> None:
    line = "Never push to main. " + "Z" * (LONGEST_LINE - 20)

    assert found_lines([turn(line)])[0].text == line
    assert found_lines([turn(f"{line}z")])[0].text == "Never push to main."
