from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.characters import units
from domain.text.running_text import CURSOR, interrupted_text, is_running, running_text, stopped_text
from domain.text.splitting import LIMIT

MARKDOWN = st.text(alphabet="ab \n`*_|-👩\u0301😀", max_size=6_000)


def test_before_the_first_word_only_the_status_is_shown() -> None:
    assert running_text("", "running `date`") == f"-# running `date` {CURSOR}"


def test_words_are_shown_with_a_cursor() -> None:
    assert running_text("so far", "") == f"so far {CURSOR}"


def test_the_status_stands_in_a_small_line_below() -> None:
    assert running_text("so far", "running\n  `date`") == f"so far\n-# running `date` {CURSOR}"


def test_of_a_long_answer_the_newest_part_is_shown() -> None:
    text = " ".join(f"word{number}" for number in range(2_000))
    assert running_text(text, "").endswith(f"word1999 {CURSOR}")


def test_a_cursor_never_stands_in_a_code_block() -> None:
    assert running_text("```py\nx = 1", "").endswith(f"\n{CURSOR}")


@given(MARKDOWN, st.text(max_size=400))
def test_a_running_message_fits_and_can_be_told_from_any_other(text: str, status: str) -> None:
    message = running_text(text, status)
    assert 0 < units(message) <= LIMIT
    assert is_running(message)


@given(MARKDOWN, st.text(min_size=1, max_size=400))
def test_a_stopped_message_fits_and_runs_no_more(text: str, note: str) -> None:
    message = stopped_text(text, note.replace(CURSOR, ""))
    assert units(message) <= LIMIT
    assert not is_running(message)
    assert bool(message) == bool(text.strip())


def test_of_a_message_that_is_only_seen_as_much_is_left_as_of_one_that_is_known(subtests: pytest.Subtests) -> None:
    for text, status, left in [
        ("so far", "", "so far\n-# cut"),
        ("so far", "running `date`", "so far\n-# cut"),
        ("", "running `date`", ""),
        ("", "", ""),
        ("```py\nx = 1", "", "```py\nx = 1\n```\n-# cut"),
        ("ends in ▌", "", "ends in ▌\n-# cut"),
    ]:
        with subtests.test(text=text):
            assert interrupted_text(running_text(text, status), "cut") == left
