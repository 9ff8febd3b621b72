from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.policy.forgetting.repeatable import is_repeatable
from domain.turn.forgetting.repetition import RepeatedTexts

texts = st.lists(st.text("ab 1", min_size=1, max_size=20), max_size=60)


@given(texts, texts)
def test_a_text_is_found_wherever_it_stands_and_short_ones_never(looked_for: list[str], around: list[str]) -> None:
    text = "b".join(around)
    long = [each.strip() for each in looked_for if is_repeatable(each.strip())]
    assert RepeatedTexts(looked_for).are_in(text) == any(each in text for each in long)


def test_many_texts_are_told_apart_to_the_last_letter() -> None:
    many = RepeatedTexts(f"the heron number {number:03}" for number in range(100))
    assert many.are_in("once more: the heron number 042, she said")
    assert not many.are_in("the heron number 1")
    assert not many.are_in("")
