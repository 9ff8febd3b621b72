from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.capture import MOST, proposals
from domain.curated.refusal import LONGEST_FACT
from domain.text.lines import one_line
from tests.pace import paced_s


@pytest.mark.req("S1-80")
def test_what_people_ask_to_keep_is_proposed_in_their_words(subtests: pytest.Subtests) -> None:
    for text, facts in [
        ("Remember that the build needs make.", ["The build needs make."]),
        ("please, remember: the build needs make", ["The build needs make"]),
        ("Please note that CI is slow. How are you?", ["CI is slow."]),
        ("Keep in mind that the API is frozen!", ["The API is frozen!"]),
        ("For the record, we use tabs", ["We use tabs"]),
        ("Correction: the port is 8443.", ["The port is 8443."]),
        ("build command: make -j4", ["Make -j4"]),
        ("We decided to use SQLite.", ["We decided to use SQLite."]),
        ("From now on we squash.", ["From now on we squash."]),
        ("I've decided on trio for this", ["I've decided on trio for this"]),
        ("Hello.\nRemember: - use tabs\nBye", ["Use tabs"]),
        ("Note: one two. Note: one two. Note: three four.", ["One two.", "Three four."]),
    ]:
        with subtests.test(said=text):
            assert list(proposals(text)) == facts


def test_questions_and_other_sentences_propose_nothing(subtests: pytest.Subtests) -> None:
    for text in [
        "Do you remember that the build was slow?",
        "Remember that?",
        "remember: make",
        "I remember that day.",
        "Remembering that is hard.",
        "We decided nothing.",
        "The note that Anna wrote is gone.",
        "What have we decided on?",
        "Remember that",
        "",
        "Remember that " + "x " * LONGEST_FACT,
    ]:
        with subtests.test(said=text):
            assert proposals(text) == ()


@given(st.lists(st.sampled_from(["Remember that ", "note: ", "we decided to ", "a b", ". ", "? ", "\n", "- "])))
def test_proposals_are_few_each_in_one_line_and_none_twice(parts: list[str]) -> None:
    facts = proposals("".join(parts))

    assert len(facts) == len(set(facts)) <= MOST
    for fact in facts:
        assert fact == one_line(fact)
        assert 0 < len(fact) <= LONGEST_FACT
        assert not fact.endswith("?")


@given(st.text())
def test_any_text_has_its_proposals(text: str) -> None:
    assert len(proposals(text)) <= MOST


def test_very_long_texts_are_read_at_once(subtests: pytest.Subtests) -> None:
    for piece in ["a", " ", "\n", ". ", "!", "please ", "please,", "note ", "remember that ", "note:,"]:
        with subtests.test(piece=piece):
            text = piece * (33_000 // len(piece))

            def read(text: str = text) -> None:
                for before in ("", "note ", "we decided to "):
                    proposals(before + text)
                    proposals(before + text + "?")

            assert paced_s(read, enough_s=0.7) < 0.7
