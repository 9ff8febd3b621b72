"""Answers that are too long to be read in messages."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.characters import units
from domain.text.long_answer import LONGEST_FILE_BYTES, MOST_MESSAGES, AnswerMessages, in_messages
from domain.text.splitting import LIMIT, split

LINE = "one line of an answer that goes on for rather long\n"


def test_a_text_that_fits_into_a_few_messages_is_shown_in_them() -> None:
    text = LINE * 200
    assert in_messages(text) == AnswerMessages(split(text))
    assert 1 < len(in_messages(text).parts) <= MOST_MESSAGES


def test_a_longer_one_is_a_file_with_its_beginning_above() -> None:
    text = "# Title\n\n" + LINE * 400
    messages = in_messages(text)
    (part,) = messages.parts
    assert messages.attached == text
    assert part.startswith("# Title\n\none line of")
    assert part.endswith(f"\n\n-# This is the beginning; the whole answer, {len(text):,} characters, is in answer.md.")


def test_a_code_block_that_is_cut_is_closed_before_the_note() -> None:
    (part,) = in_messages("```python\n" + "x = 1\n" * 5000).parts
    assert part.count("```") == 2
    assert "```\n\n-# This" in part


def test_a_file_that_discord_would_not_take_is_shown_in_messages() -> None:
    assert in_messages("日" * (LONGEST_FILE_BYTES // 3 + 1)).attached == ""


@pytest.mark.req("X-238")
def test_of_a_very_long_text_only_the_beginning_is_read_as_markdown() -> None:
    text = "`<think>` " * 800_000
    before = time.process_time()

    assert in_messages(text).attached == text

    assert time.process_time() - before < 2


def test_a_long_text_without_a_word_in_its_beginning_is_a_file() -> None:
    text = " " * 20_000 + "```\n```\n" * 2_000 + "word"
    assert in_messages(text).attached == text


def test_a_blank_text_shows_nothing() -> None:
    assert in_messages(" \n") == AnswerMessages(())


@pytest.mark.slow
@given(st.text(st.sampled_from("ab `\n\U0001f600"), min_size=1).map(lambda text: (text + "\n") * (15_000 // len(text))))
def test_no_part_is_too_long_and_nothing_is_lost(text: str) -> None:
    messages = in_messages(text)
    assert len(messages.parts) <= MOST_MESSAGES
    assert all(units(part) <= LIMIT for part in messages.parts)
    assert messages.attached in ("", text)
