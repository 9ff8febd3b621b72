from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.memory.excerpt import MARK, collapse, excerpt
from domain.memory.keywords import question_terms

TURN = (
    "Hi there! We had soup at noon. Later my sister Ada moved to Oslo with two cats. It was a long day, and I slept "
    "until ten. What about you?"
)


def json_width(text: str) -> int:
    return len(json.dumps(text)) - 2


def test_a_turn_that_fits_is_shown_whole_with_its_whitespace_collapsed() -> None:
    part = excerpt("  one\n\n two\tthree ", 13)
    assert (part.text, part.is_truncated) == ("one two three", False)


def test_a_longer_turn_shows_the_stretch_that_bears_on_the_question_from_the_start_of_a_sentence() -> None:
    part = excerpt(TURN, 60, question_terms("Where does Ada live with her cats?"))
    assert (part.text, part.is_truncated) == (
        f"{MARK} Later my sister Ada moved to Oslo with two cats. It was a{MARK}",
        True,
    )


def test_of_stretches_that_bear_equally_the_earlier_one_of_the_longest_is_shown() -> None:
    assert excerpt("Aa aa aa. Bb bb bb. Cc cc cc.", 20).text == f"Aa aa aa. Bb bb bb.{MARK}"
    assert excerpt("Aa aa cow. Bb bb cow. Cc cc bb.", 21, {"cow"}).text == f"Aa aa cow. Bb bb{MARK}"


def test_stop_words_do_not_choose_the_stretch() -> None:
    text = "It was what it was when it was. " + "Nothing. " * 5 + "Ada is here now."
    assert "Ada" in excerpt(text, 40, {"ada", "what", "when", "was"}).text


def test_words_in_other_forms_count() -> None:
    assert "moved" in excerpt(TURN, 50, question_terms("When will she be moving?")).text


def test_a_word_is_not_cut_when_leaving_it_out_costs_little() -> None:
    assert excerpt("a sentence that goes on without any end", 20).text == f"a sentence that{MARK}"
    assert excerpt("a" + "b" * 50, 20).text == "a" + "b" * 18 + MARK


def test_sentences_end_in_other_scripts_too() -> None:
    text = "今日は雨でした。昨日は晴れでした。明日は雪でしょう。"
    assert excerpt(text, 14, {"明日は雪でしょう"}).text == f"{MARK} 明日は雪でしょう。{MARK}"


def test_where_there_is_room_for_the_mark_only_the_mark_is_shown() -> None:
    assert excerpt("abc", 1).text == MARK


def test_without_room_for_the_mark_there_is_no_excerpt() -> None:
    with pytest.raises(ValueError, match="limit 0"):
        excerpt("abc", 0)


@pytest.mark.req("S0-82", "X-08")
@given(
    st.text('ab .!?\n"\\\x00é😀中。', max_size=120),
    st.integers(6, 60),
    st.frozensets(st.sampled_from(("a", "ab", "b", "aa"))),
)
def test_an_excerpt_fits_and_is_marked_exactly_when_it_is_not_the_whole_turn(
    text: str, limit: int, wanted: frozenset[str]
) -> None:
    part = excerpt(text, limit, wanted, width=json_width)

    whole = collapse(text)
    assert json_width(part.text) <= limit
    assert part.is_truncated == (part.text != whole)
    if part.is_truncated:
        assert part.text.endswith(MARK)
        assert part.text.removesuffix(MARK).removeprefix(f"{MARK} ") in whole
    else:
        assert part.text == whole
