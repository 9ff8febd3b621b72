from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.answers.guard import LONGEST_ECHO, SPOKEN_CHARS, Spoken, flaw_of, name_text
from tests.domain.workspace.spoken import turn
from tests.pace import paced_s

QUOTED = (
    "The quick brown fox jumps over the lazy dog while seven wizards box up five dozen liquor jugs at the old pier."
)


def test_plain_words_may_be_written(subtests: pytest.Subtests) -> None:
    for text in [
        "Kim pays; ask her first (always).",
        "use logs/<date>.md and Vec<String>, not a < b > c",
        "run `make all` in src/main.py",
        "see https://example.org/a?b=c",
        "#17 is open",
        "the system prompt says so, and 5 > 4",
        "2026-11-22: moved to Oslo",
        "Bitte nur auf Deutsch – 日本語も可",
    ]:
        with subtests.test(text=text):
            assert flaw_of(text) == ""


def test_what_may_not_be_written_is_told_by_its_rule(subtests: pytest.Subtests) -> None:
    for text, rule in [
        ("<b>x</b>", "markup"),
        ("a <br/> b", "markup"),
        ('<img src="x">', "markup"),
        ("<details>", "markup"),
        ("x --> y", "markup"),
        ("# Constraints", "markup"),
        ("a\n## b", "markup"),
        ("a\n#", "markup"),
        ("##", "markup"),
        ("a\n ######\nb", "markup"),
        ("> quoted", "markup"),
        ("| a | b |", "markup"),
        ("~~~", "markup"),
        ("![x](y)", "markup"),
        ("[x](https://example.org)", "markup"),
        ("INJECTED_CONTEXT_RELEVANT_MEMORIES", "runtime"),
        ("the injected context said", "runtime"),
        ("</runtime_context>", "runtime"),
        ("<system>", "runtime"),
        ("<tool_call>", "runtime"),
        ("[2026-11-22 16:20 UTC] Ann:", "runtime"),
        ("<available_skills>", "runtime"),
        ("a\x00b", "control"),
        ("a\u202eb", "control"),
        ("a\u2028b", "control"),
        ("\ud800", "control"),
        ("api_key = Zx81kQ02mmPl5", "secret"),
        ("Zx81\u200bkQ02", "hidden"),
        ("a\u00adb", "hidden"),
        ("a\U000e0041", "hidden"),
        ("a\ufe0f", "hidden"),
        ("sk-proj-4f9A2b\u200b7C1d8E6f3G5h", "secret"),
        ("api_key = Zx81kQ02mmPl5 <!-- x -->", "secret"),
        ("api_key = Zx81kQ02mmPl5 \x01", "secret"),
        ("INJECTED_CONTEXT api_key = Zx81kQ02mmPl5", "secret"),
        (QUOTED, "80 characters or more of an answer"),
    ]:
        with subtests.test(text=text, rule=rule):
            assert rule in flaw_of(text, Spoken([turn("hi", QUOTED)]))


@given(st.integers(0, 20), st.text("ab ", max_size=45), st.text("ab ", max_size=200), st.integers(0, 7))
def test_an_echo_is_found_wherever_it_stands(skip: int, before: str, around: str, case: int) -> None:
    echo = QUOTED[skip : skip + LONGEST_ECHO + 1].strip()
    echo = echo.upper() if case & 1 else echo
    quoted = "> " + " ".join(f"{around}{QUOTED}".split())
    spoken = turn(quoted if case & 2 else "", f"{around}{QUOTED}" if case & 4 else "", f"{around}{QUOTED}")

    assert Spoken([spoken]).has_words_of(f"{before} {echo} {before}") is (len(echo) >= LONGEST_ECHO)


def test_shorter_words_of_a_turn_are_no_echo() -> None:
    assert not Spoken([turn("", QUOTED)]).has_words_of(f"x{QUOTED[: LONGEST_ECHO - 1]}x{QUOTED[LONGEST_ECHO:]}")
    assert not Spoken([turn("", "short")]).has_words_of("short")
    assert not Spoken([]).has_words_of(QUOTED)


def test_blanks_and_line_ends_hide_no_echo() -> None:
    assert Spoken([turn("", QUOTED.replace(" ", "\n"))]).has_words_of(QUOTED.replace(" ", "   "))


def test_an_echo_of_the_least_length_is_found_at_every_place(subtests: pytest.Subtests) -> None:
    for around in range(45):
        with subtests.test(around=around):
            spoken, echo = "z" * around + QUOTED[:LONGEST_ECHO], f"{'q' * (around % 7)}{QUOTED[:LONGEST_ECHO]}"

            assert Spoken([turn("", spoken)]).has_words_of(echo)
            assert not Spoken([turn("", spoken)]).has_words_of(echo[:-1])


def test_two_halves_of_a_turn_are_no_echo() -> None:
    assert not Spoken([turn("", QUOTED)]).has_words_of(f"{QUOTED[60:]} {QUOTED[:60]}")


def test_hidden_characters_hide_no_secret_from_whoever_tells_it() -> None:
    assert flaw_of("it is hun\u00adter2", is_secret=lambda text: "hunter2" in text) == "must hold no secret"


def test_hidden_characters_hide_no_echo() -> None:
    assert Spoken([turn("", "\u200b".join(QUOTED))]).has_words_of(QUOTED)


@given(st.lists(st.text("ab=", max_size=300), max_size=4), st.text("ab=", max_size=300))
def test_an_echo_is_what_has_eighty_characters_in_common_however_much_repeats_itself(
    middle: list[str], text: str
) -> None:
    grams = {each[at : at + LONGEST_ECHO] for each in middle for at in range(len(each) - LONGEST_ECHO + 1)}
    spoken = Spoken([turn("", "", *middle)])

    expected = any(text[at : at + LONGEST_ECHO] in grams for at in range(len(text) - LONGEST_ECHO + 1))
    assert spoken.has_words_of(text) is expected
    assert spoken.has_words_of(text) is expected, "what was met once is met again"


def test_text_that_repeats_itself_takes_no_longer_than_any_other() -> None:
    rulings = [("=" * 60 + f"\nFAILED test {number} of {each}\n") * 25 for number in range(60) for each in range(10)]
    spoken = Spoken([turn("x", "y", *rulings)])
    texts = [("=" * 60 + f" step {number} of the way ") * 2 for number in range(240)]

    def compare() -> None:
        assert not any(spoken.has_words_of(text) for text in texts)

    assert paced_s(compare) < 3


def test_of_very_much_the_newest_is_compared_and_what_was_said_before_what_was_printed() -> None:
    much = [turn("", "", "".join(random.Random(each).choices("abcdefgh", k=SPOKEN_CHARS // 4))) for each in range(5)]
    old, middle, new = (
        turn("", "", QUOTED),
        turn("", QUOTED[::-1]),
        turn("", "", QUOTED.replace("o", "u").replace("e", "i")),
    )

    spoken = Spoken([old, middle, *much, new])

    assert not spoken.has_words_of(QUOTED)
    assert spoken.has_words_of(middle.answer)
    assert spoken.has_words_of(new.results[0])


def test_what_people_wrote_themselves_may_stand_word_for_word_and_nothing_else() -> None:
    failures = []
    for name, spoken, is_echo in [
        ("a person's rule", turn(f"From now on: {QUOTED}"), False),
        ("over two lines", turn(QUOTED.replace(" ", "\n")), False),
        ("repeated by the agent", turn(QUOTED, f"Understood: {QUOTED}", f"echo {QUOTED}"), False),
        ("of an answer", turn("What holds?", QUOTED), True),
        ("of an output", turn("What holds?", "See above.", QUOTED), True),
        ("quoted by a person", turn(f"The page says:\n> {QUOTED}"), True),
        ("pasted as code", turn(f"The page says:\n```\n{QUOTED}\n```"), True),
        ("half a person's, half an answer's", turn(QUOTED[:60], QUOTED), True),
    ]:
        if Spoken([spoken]).has_words_of(QUOTED) is not is_echo:
            failures.append(name)
    assert not failures


def test_an_error_names_a_text_but_no_secret() -> None:
    assert name_text("plum", flaw_of("<b>")) == "'plum'"
    assert name_text("plum", flaw_of("plum", is_secret=lambda text: True)) == "(secret)"
