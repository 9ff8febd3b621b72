"""Look-alikes: normal forms in bounded pieces."""

from __future__ import annotations

import unicodedata
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from domain.text.lookalike import LONGEST_FOREIGN_RUN, normalize, pieces

MARKS = "\u0301\u0316"
FORMS: list[Literal["NFD", "NFKC", "NFKD"]] = ["NFD", "NFKC", "NFKD"]


@given(
    st.text(st.sampled_from("ab \né\u0301\u0316\u1100\u1161\ufdfa\u0430\u202e"), max_size=200), st.sampled_from(FORMS)
)
def test_a_text_without_long_foreign_runs_has_its_usual_normal_form(
    text: str, form: Literal["NFD", "NFKC", "NFKD"]
) -> None:
    assert normalize(form, text) == unicodedata.normalize(form, text)


@given(st.lists(st.tuples(st.text("ab\n", max_size=3), st.integers(0, 3 * LONGEST_FOREIGN_RUN)), max_size=4))
def test_of_any_text_at_most_a_bounded_run_of_marks_is_put_in_order_at_a_time(runs: list[tuple[str, int]]) -> None:
    text = "".join(letters + (MARKS * count)[:count] for letters, count in runs)
    text_pieces = pieces(text)
    assert "".join(text_pieces) == text
    assert all(sum(not letter.isascii() for letter in piece) <= LONGEST_FOREIGN_RUN for piece in text_pieces)
    assert len(text_pieces) <= 2 * len(runs) + len(text) // LONGEST_FOREIGN_RUN


def test_only_the_order_of_marks_across_a_cut_is_left() -> None:
    marks = "\u0301" * LONGEST_FOREIGN_RUN + "\u0316"
    assert normalize("NFD", marks) == marks
    assert unicodedata.normalize("NFD", marks)[0] == "\u0316"
