from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.rules.directives import LONGEST_LINE, FoundLine, directive_score, found_lines, surest
from tests.domain.workspace.rules.said_by_the_way import NO_TERSE_RULES
from tests.domain.workspace.rules.said_in_few_words import TERSE_RULES
from tests.domain.workspace.rules.said_lines import NO_RULES, RULES
from tests.domain.workspace.spoken import PATH, turn
from tests.pace import paced_s

words = st.sampled_from(
    ["never", "always", "if", "the", "a", "must", "no", ",", "keep", "and", "x", "only", "you", "bis", "-", "?"]
)


@pytest.mark.parametrize("line", [*RULES, *TERSE_RULES])
def test_lines_that_set_a_rule_are_found(line: str) -> None:
    assert 0 < directive_score(line) <= 1


@pytest.mark.parametrize("line", [*NO_RULES, *NO_TERSE_RULES])
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


@pytest.mark.parametrize("sign", ["\U0001f6ab ", "\u2757", "\u26a0\ufe0f ", "\u2192 ", "\u2022 "])
def test_pictures_and_signs_before_a_rule_are_no_part_of_it(sign: str) -> None:
    assert directive_score(f"{sign}Never push to main.") == directive_score("Never push to main.")


@pytest.mark.parametrize("hidden", ["\u200b", "\u200d", "\u00ad", "\ufeff", "\u202e"])
def test_characters_that_nobody_sees_hide_no_rule(hidden: str) -> None:
    (found,) = found_lines([turn(f"Ne{hidden}ver push to main.")])

    assert found.text == "Never push to main."


def test_a_rule_far_behind_on_a_line_is_found() -> None:
    (found,) = found_lines([turn("word " * 1_000 + ". Never push to main.")])

    assert found.text == "Never push to main."


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


def line(text: str, score: float = 0.5, turn_id: str = "u1") -> FoundLine:
    return FoundLine(turn_id, PATH, 1, "Ann", text, score)


def texts(lines: tuple[FoundLine, ...]) -> list[str]:
    return [each.text for each in lines]


def test_the_surest_lines_come_first_and_what_says_the_same_once_at_its_surest() -> None:
    lines = [line("Ask Kim!", 0.4), line("Use tabs.", 0.6), line("ask kim", 0.9), line("So what?", 0.0)]

    assert texts(surest(lines, 5)) == ["ask kim", "Use tabs."]
    assert texts(surest(lines, 1)) == ["ask kim"]
    assert surest(lines, 0) == ()


def test_of_equals_come_first_those_that_are_nearest_to_the_beginning_or_the_end() -> None:
    lines = [line(text) for text in ("Wear gloves.", "Pay cash.", "Use tabs.", "Ask Kim.", "No nuts.")]

    assert texts(surest(lines, 5)) == ["Wear gloves.", "No nuts.", "Pay cash.", "Ask Kim.", "Use tabs."]


@pytest.mark.parametrize(
    ("saying", "rule"),
    [
        ("Ha, you should always ask twice about {}, the answer is only half of it.", "No nuts on any menu."),
        ("你一定要听听{}的故事,大家总是笑。", "配音的费用最多八万四千元。"),
    ],
)
def test_a_saying_that_is_used_again_and_again_takes_one_place(saying: str, rule: str) -> None:
    again = [line(saying.format(name), 0.65) for name in ("打印机", "the cat", "自行车", "the lamp", "车票")]

    chosen = texts(surest([*again[:2], line(rule, 0.5), *again[2:]], 2))

    assert chosen == [again[0].text, rule]


def test_rules_that_differ_in_one_word_are_both_kept_where_there_is_room() -> None:
    lines = [line("Never send invoices to Bob without asking."), line("Never send invoices to Eve without asking.")]

    assert len(surest(lines, 2)) == 2


def test_what_stands_beside_a_rule_makes_it_no_other() -> None:
    rule = "Never send invoices to {} without asking."
    lines = [
        line(rule.format("Bob"), 0.7),
        line(f"It rained all day long and we sat in the hut. {rule.format('Eve')} Bye now, until the summer.", 0.7),
        line("Answers have to be short.", 0.5),
    ]

    assert texts(surest(lines, 2)) == [lines[0].text, lines[2].text]


@given(st.lists(st.tuples(words, st.sampled_from([0.0, 0.5, 1.0])), max_size=60), st.integers(0, 20))
def test_no_more_are_chosen_than_asked_for_and_all_that_there_is_room_for(
    given_lines: list[tuple[str, float]], most: int
) -> None:
    lines = [line(text, score) for text, score in given_lines]

    chosen = surest(lines, most)

    assert len(chosen) == min(most, len({each.text for each in lines if each.score}))
    assert set(chosen) <= set(lines)


@pytest.mark.parametrize("count", [400, 1_200, 4_000])
def test_very_many_lines_of_one_kind_push_no_fainter_rule_out(count: int) -> None:
    rules = [line("Ask Mona before you order anything.", 0.46), line("No deploys on Friday."), line("Keine Fotos.")]
    lines = [line(f"Never eat {number}.", 0.7) for number in range(count)]
    lines[count // 2 : count // 2] = rules

    assert set(rules) <= set(surest(lines, 12))
    assert paced_s(lambda: surest(lines, 12)) < 2, "it takes about 0.05 s"


def test_of_more_lines_than_are_compared_some_of_all_parts_are() -> None:
    lines = [line(f"Never open door {number} of {number * 7}.") for number in range(20_000)]
    lines += [line(f"Bitte kein Salz an Topf {number}.", 0.46) for number in range(20_000)]

    assert {each.text[:5] for each in surest(lines, 12)} == {"Never", "Bitte"}


def test_the_same_lines_are_chosen_in_every_process() -> None:
    program = """
from domain.workspace.rules.directives import FoundLine, surest
lines = [FoundLine("u", "p", 1, "Ann", f"Never put shelf {n * n} above {n} or {n % 7}.", 0.5) for n in range(300)]
print([each.text for each in surest(lines, 12)])
"""
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(answers) == 1
