"""Words of refusals are read by their meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.refusal import Mend, is_about_content, is_beyond_rate, read_refusal
from tests.domain.policy.wordings import (
    EMPTIES,
    FINAL,
    LENGTHS,
    OTHERS,
    PICTURES,
    ROLES,
    SYSTEMS,
    UNSEEN,
    UNSEEN_LENGTHS,
)

PARTS = [
    *((source, words, Mend.ROLES) for source, words in ROLES),
    *((source, words, Mend.SYSTEM) for source, words in SYSTEMS),
    *((source, words, Mend.EMPTY) for source, words in EMPTIES),
]


def test_the_length_and_its_limit_are_read(subtests: pytest.Subtests) -> None:
    for source, words, limit in LENGTHS:
        with subtests.test(source=source, words=words, limit=limit):
            refusal = read_refusal(words)
            assert refusal.mends == {Mend.HISTORY}, source
            assert refusal.limit_tokens == limit, source


def test_sentences_of_no_known_server_are_read_too(subtests: pytest.Subtests) -> None:
    for words in UNSEEN_LENGTHS:
        with subtests.test(words=words):
            assert read_refusal(words).mends == {Mend.HISTORY}


def test_a_refused_picture_is_told_from_a_model_without_vision(subtests: pytest.Subtests) -> None:
    for source, words, most in PICTURES:
        with subtests.test(source=source, words=words, most=most):
            refusal = read_refusal(words)
            assert refusal.mends == {Mend.PICTURES}, source
            assert refusal.most_pictures == most, source


def test_the_refused_part_is_read(subtests: pytest.Subtests) -> None:
    for source, words, mend in PARTS:
        with subtests.test(source=source, words=words, mend=mend):
            assert read_refusal(words).mends == {mend}, source


def test_other_parts_are_read_in_unseen_words(subtests: pytest.Subtests) -> None:
    for words, mend in UNSEEN:
        with subtests.test(words=words, mend=mend):
            assert mend in read_refusal(words).mends


def test_words_about_something_else_name_nothing(subtests: pytest.Subtests) -> None:
    for source, words in OTHERS:
        with subtests.test(source=source, words=words):
            refusal = read_refusal(words)
            assert refusal.mends == frozenset(), source
            assert not refusal.is_final


def test_a_models_name_is_no_picture(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, bool]] = [
        ("No endpoints found that support image input", True),
        ("image input is not supported by this server", True),
        ("Failed to load image or audio file", True),
        ("Conversation roles must alternate", True),
        ('model "llama3.2-vision" not found, try pulling it first', False),
        ("vision-7b is overloaded", False),
    ]
    for words, is_about in cases:
        with subtests.test(words=words, is_about=is_about):
            assert is_about_content(words) == is_about


def test_a_refusal_of_what_was_said_or_of_tools_is_final(subtests: pytest.Subtests) -> None:
    for words in FINAL:
        with subtests.test(words=words):
            refusal = read_refusal(words)
            assert refusal.is_final
            assert refusal.mends == frozenset()


def test_a_body_that_is_too_large_is_blamed_on_its_pictures_too() -> None:
    """earendil-works/pi#401: screenshots make the body too large, long before the tokens are."""
    refusal = read_refusal('{"type":"request_too_large","message":"Request exceeds the maximum size"}')
    assert refusal.mends == {Mend.HISTORY, Mend.PICTURES}
    assert refusal.is_of_bytes
    assert refusal.most_pictures is None


def test_a_status_for_bodies_that_are_too_large_needs_no_words() -> None:
    assert read_refusal("", is_too_long=True).mends == {Mend.HISTORY, Mend.PICTURES}


def test_a_width_is_no_count_of_pictures() -> None:
    assert read_refusal("The image is refused: its width limit is 800").most_pictures is None


def test_data_of_a_picture_that_a_server_repeats_is_no_word() -> None:
    """BerriAI/litellm#17527: a server repeats the input that it refuses."""
    assert read_refusal("Extra inputs are not permitted: " + "image" * 200).mends == frozenset()


@pytest.mark.parametrize(
    ("words", "is_beyond"),
    [
        ("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 132819.", True),
        ("Request too large for m on tokens per minute (TPM): Limit 6000, Requested 5900.", False),
        ("Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 25000, Requested 80000.", False),
    ],
)
def test_a_request_above_a_minutes_share_is_too_long(words: str, is_beyond: bool) -> None:
    """fork-dev/TrackerWin#2595: it was refused each minute anew."""
    assert is_beyond_rate(words) == is_beyond


@given(st.text(max_size=300))
def test_any_words_are_read(words: str) -> None:
    refusal = read_refusal(words)
    assert refusal.counted_tokens is None or refusal.limit_tokens is not None
    assert not (refusal.is_final and refusal.mends)
